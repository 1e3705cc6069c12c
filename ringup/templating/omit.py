"""The value that says: as if this argument had not been written."""

from __future__ import annotations

from typing import Any


class Omit:
    """`{{ mode | default(omit) }}` gives the one instance, `OMIT`; the engine drops arguments that hold it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "omit"

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> Omit:
        return self

    def __deepcopy__(self, memo: Any) -> Omit:
        return self


OMIT = Omit()
