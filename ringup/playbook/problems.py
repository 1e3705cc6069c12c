"""Mistakes of a playbook, collected so that one run tells them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ringup.errors import InputError, PlaybookError

#: more than these in one answer help nobody
MOST = 10


class Problems:
    """What has been found so far; later mistakes may follow from earlier ones, so the order is that of the files."""

    def __init__(self) -> None:
        self._found: list[InputError] = []

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Go on after this block with what comes next, whatever is wrong inside it."""
        try:
            yield
        except InputError as error:
            self.add(error)

    def add(self, error: InputError) -> None:
        # an anchor or a role used twice is read twice: its mistakes are told once
        if str(error) not in map(str, self._found):
            self._found.append(error)

    def raise_any(self) -> None:
        """Raise what was found, if anything.

        Raises:
            InputError: the only mistake as it is, or up to 10 in one, named by the first one's place.
        """
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            raise together(self._found)


def together(found: Sequence[InputError]) -> PlaybookError:
    """Several mistakes as one error: a line each."""
    lines = [f"  {error}" for error in found[:MOST]]
    rest = f"\n  and {len(found) - MOST} more" if len(found) > MOST else ""
    return PlaybookError(f"{len(found)} mistakes:\n" + "\n".join(lines) + rest, where=found[0].where, hint="nothing has been run yet")
