"""uv for hosts: its wheel carries the program, which runs anywhere without Python, and makes environments without ensurepip."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ringup.errors import TaskFailed
from ringup.wheels.cache import Wheel


def unpack_uv(wheel: Wheel) -> Path:
    """The program out of uv's wheel, beside it in the cache.

    Raises:
        TaskFailed: the wheel holds no such program.
    """
    program = wheel.path.with_suffix(".uv")
    if program.exists():
        return program
    with zipfile.ZipFile(wheel.path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".data/scripts/uv")]
        if not names:
            raise TaskFailed(f"{wheel.path.name} holds no uv program", hint="another uv version may: set uv_version")
        partial = program.with_suffix(".partial")
        partial.write_bytes(archive.read(names[0]))
        partial.chmod(0o755)
        partial.rename(program)
    return program
