"""The agent as bytes, packed on the controller; nothing of it is ever a file on a host (noexec /tmp and full disks do not matter)."""

import functools
import json
import os
import zlib

#: what only the controller needs
LEFT_OUT = frozenset(("bundle.py", "catalogue.py"))

#: exit code of an interpreter that has been the agent, whatever became of it: the shell that looks for one does not try the next
WAS_AGENT = 88

#: unpacks itself: a finder for the packed sources, then the agent's main loop. Run by the first stage, which gives it `packed`.
#: A finder needs no base class: importlib.abc would cost every host 20 ms.
UNPACK = (
    """
try:
    import json, sys, zlib
    from importlib.machinery import ModuleSpec
    class Packed:
        def __init__(self, sources):
            self.sources = sources
        def find_spec(self, name, path=None, target=None):
            return ModuleSpec(name, self, is_package=self.sources[name][1]) if name in self.sources else None
        def create_module(self, spec):
            return None
        def get_source(self, name):
            return self.sources[name][0]
        def exec_module(self, module):
            place = "<ringup>/" + module.__name__.replace(".", "/") + ".py"
            exec(compile(self.sources[module.__name__][0], place, "exec", dont_inherit=True), module.__dict__)
    sys.meta_path.insert(0, Packed(json.loads(zlib.decompress(packed).decode())))
    from ringup_agent.main import main
    main(sys.argv[1])
except BaseException:
    import traceback
    traceback.print_exc()
finally:
    os._exit(%d)
"""
    % WAS_AGENT
)

#: the first stage, given to `python -c`: proves its Python, says that it runs, then reads the rest from standard input. One line without
#: backslashes or single quotes, since the login shell may be csh or fish. It may read ahead: until the agent has announced itself the
#: controller sends the payload and no more.
FIRST_STAGE = (
    "import os,sys;sys.version_info<(3,6) and sys.exit(1);"
    'os.write(1,("RINGUP-BOOT "+sys.argv[1]+chr(10)).encode());'
    'f=open(0,"rb",closefd=False);a=int(f.read(8) or 0);b=int(f.read(8) or 0);stage=f.read(a);packed=f.read(b);'
    'exec(stage or "os._exit(%d)")' % WAS_AGENT
)


@functools.lru_cache(maxsize=1)
def payload():
    """What the first stage reads: two lengths of eight digits, the unpacker, the packed sources."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sources = {"ringup_agent": ("", True)}
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".py") or (parent == folder and name in LEFT_OUT):
                continue
            parts = os.path.relpath(os.path.join(parent, name), folder)[: -len(".py")].split(os.sep)
            package = parts[-1] == "__init__"
            dotted = ".".join(["ringup_agent"] + (parts[:-1] if package else parts))
            with open(os.path.join(parent, name), encoding="utf-8") as stream:
                sources[dotted] = (stream.read(), package)
    packed = zlib.compress(json.dumps(sources, sort_keys=True).encode(), 9)
    stage = UNPACK.encode()
    return b"%08d%08d" % (len(stage), len(packed)) + stage + packed
