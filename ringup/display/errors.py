"""The one place where an error reaches the operator."""

from __future__ import annotations

import sys
from typing import TextIO

from ringup.errors import RingupError


def show_error(error: RingupError, stream: TextIO | None = None) -> None:
    """What happened, where, and what to do, on lines of their own; never a traceback."""
    out = stream or sys.stderr
    where = f"{error.where}: " if error.where is not None else ""
    out.write(f"error: {where}{error.message}\n")
    if error.hint:
        out.write(f"  hint: {error.hint}\n")
    out.flush()
