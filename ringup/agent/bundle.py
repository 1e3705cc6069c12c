"""The agent as bytes, packed on the controller; nothing of it is ever a file on a host (noexec /tmp and full disks do not matter)."""

import functools
import json
import os
import zlib

#: what only the controller needs
LEFT_OUT = frozenset(("bundle.py", "catalogue.py"))

#: unpacks itself: a finder for the packed sources, then the agent's main loop. Read by the first stage below.
UNPACK = """
import importlib.abc, importlib.util, json, linecache, sys, zlib
class Packed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, sources): self.sources = sources
    def find_spec(self, name, path=None, target=None):
        if name not in self.sources: return None
        return importlib.util.spec_from_loader(name, self, is_package=self.sources[name][1])
    def create_module(self, spec): return None
    def get_source(self, name): return self.sources[name][0]
    def exec_module(self, module):
        name = module.__name__
        place = '<ringup>/' + name.replace('.', '/') + '.py'
        exec(compile(self.sources[name][0], place, 'exec', dont_inherit=True), module.__dict__)
sys.meta_path.insert(0, Packed(json.loads(zlib.decompress(packed).decode())))
from ringup_agent.main import main
main(nonce)
"""

#: the first stage, given to `python -c`: says that it runs, then reads the rest from standard input
FIRST_STAGE = """
import os, sys
nonce = sys.argv[1]
os.write(1, ("RINGUP-BOOT %s\\n" % nonce).encode())
def read(count):
    pieces = []
    while count:
        piece = os.read(0, min(count, 65536))
        if not piece: sys.exit(1)
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
sizes = int(read(8)), int(read(8))
stage, packed = read(sizes[0]).decode(), read(sizes[1])
exec(stage)
"""


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
