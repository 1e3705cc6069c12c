"""`ringup`: the same namespace as a program of its own, for those outside a checkout."""

from __future__ import annotations

from invoke.program import Program

from ringup import __version__
from ringup.tasks.namespace import namespace

program = Program(name="ringup", binary="ringup", namespace=namespace, version=__version__)


def main() -> None:
    program.run()


if __name__ == "__main__":
    main()
