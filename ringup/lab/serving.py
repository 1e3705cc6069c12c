"""Serves a rack's driver repository to its hosts, and to nobody else: on the rack's management address only.

python -m ringup.lab.serving RACK_FOLDER CGROUP ADDRESS PORT REPOSITORY_FOLDER
"""

from __future__ import annotations

import functools
import os
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ringup.lab import cgroups, processes, state

RECORD = "repository.json"


class Shelf(SimpleHTTPRequestHandler):
    """Files of one folder; what is asked for goes to the standard error, which is the rack's log."""

    protocol_version = "HTTP/1.1"  # apt asks for many files on one connection


def main(argv: list[str]) -> int:
    folder, cgroup, address, port, shelf = Path(argv[0]), argv[1], argv[2], int(argv[3]), argv[4]
    handle = processes.handle_of(os.getpid())
    if handle is None or not (folder / "processes").is_dir():
        return 1
    processes.record(folder / "processes" / RECORD, handle)
    if state.phase_of(folder) == "going":  # asked after the record was written, as the hosts' supervisors do
        return 0
    cgroups.join(f"{cgroup}/repository")
    with ThreadingHTTPServer((address, port), functools.partial(Shelf, directory=shelf)) as server:
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
