"""The agent as bytes, packed on the controller; nothing of it is ever a file on a host (noexec /tmp and full disks do not matter)."""

import functools
import importlib.util
import marshal
import os
import re
import threading
import zlib

PACKAGE = "ringup_agent"
#: what only the controller needs
LEFT_OUT = frozenset(("bundle.py", "catalogue.py"))
#: an import of a sibling at the top of a module: `from .name import ...` or `from . import name, name as other`
IMPORT = re.compile(r"^from \.(\w*) import (.+)$", re.MULTILINE)
#: every Python from 3.4 on reads this format of strings, bytes, tuples and dictionaries
MARSHAL_VERSION = 4
#: 6 is half the work of 9 for 1 % more bytes
COMPRESSION = 6

#: many hosts begin at the same moment: one of them packs, the others wait
_packing = threading.Lock()

#: exit code of an interpreter that has been the agent, whatever became of it: the shell that looks for one does not try the next
WAS_AGENT = 88

#: unpacks itself: a finder for the packed sources, then the agent's main loop. Run by the first stage, which gives it `packed`.
#: A finder needs no base class: importlib.abc would cost every host 20 ms.
UNPACK = (
    """
try:
    import marshal, sys, zlib
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import MAGIC_NUMBER
    class Packed:
        def __init__(self, magic, modules):
            self.ready = magic == MAGIC_NUMBER
            self.modules = modules
        def find_spec(self, name, path=None, target=None):
            return ModuleSpec(name, self, is_package=self.modules[name][0]) if name in self.modules else None
        def create_module(self, spec):
            return None
        def get_source(self, name):
            return self.modules[name][1]
        def exec_module(self, module):
            _, source, code = self.modules[module.__name__]
            place = "<ringup>/" + module.__name__.replace(".", "/") + ".py"
            exec(marshal.loads(code) if code and self.ready else compile(source, place, "exec", dont_inherit=True), module.__dict__)
    sys.meta_path.insert(0, Packed(*marshal.loads(zlib.decompress(packed))))
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


def payload():
    """What the first stage reads: two lengths of eight digits, the unpacker, the packed modules. Made once a process.

    Of each module its source; of those that the loop begins with also the compiled code, which a host with the same Python runs as it is:
    a third of the agent's start is compiling.
    """
    with _packing:
        return _packed()


@functools.lru_cache(maxsize=1)
def _packed():
    sources = _sources()
    first = _begun_with(sources)
    modules = {}
    for name, (package, source) in sorted(sources.items()):
        code = b""
        if name in first:
            place = "<ringup>/%s.py" % name.replace(".", "/")
            code = marshal.dumps(compile(source, place, "exec", dont_inherit=True), MARSHAL_VERSION)
        modules[name] = (package, source, code)
    packed = zlib.compress(marshal.dumps((importlib.util.MAGIC_NUMBER, modules), MARSHAL_VERSION), COMPRESSION)
    stage = UNPACK.encode()
    return b"%08d%08d" % (len(stage), len(packed)) + stage + packed


def _sources():
    """Dotted name -> (whether it is a package, source)."""
    folder = os.path.dirname(os.path.abspath(__file__))
    sources = {PACKAGE: (True, "")}
    for parent, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".py") or (parent == folder and name in LEFT_OUT):
                continue
            parts = os.path.relpath(os.path.join(parent, name), folder)[: -len(".py")].split(os.sep)
            package = parts[-1] == "__init__"
            dotted = ".".join([PACKAGE] + (parts[:-1] if package else parts))
            with open(os.path.join(parent, name), encoding="utf-8") as stream:
                sources[dotted] = (package, stream.read())
    return sources


def _begun_with(sources):
    """The modules that `main` imports, and those that these import: all of them are siblings in the package's own folder."""
    found, waiting = set(), {PACKAGE + ".main"}
    while waiting:
        name = waiting.pop()
        found.add(name)
        for module, names in IMPORT.findall(sources[name][1]):
            siblings = [module] if module else [word.split()[0] for word in names.split(",")]
            waiting.update({PACKAGE + "." + sibling for sibling in siblings} - found)
    return found
