"""A place in a file that an operator wrote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value was written.

    Attributes:
        path: the file as the operator would name it (relative to the working folder where possible).
        line: counted from 1; 0 when only the file is known.
        column: counted from 1; 0 when only the line is known.
    """

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join([self.path, *(str(number) for number in (self.line, self.column) if number)])
