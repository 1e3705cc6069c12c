"""How a play's hosts are cut into batches, and when too many have failed. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ringup.errors import PlaybookError


def ordered(hosts: Sequence[str], order: str | None) -> list[str]:
    """Hosts in the order of the play: inventory (default), reverse_inventory, sorted, reverse_sorted, shuffle."""
    listed = list(hosts)
    if order in ("sorted", "reverse_sorted"):
        return sorted(listed, reverse=order == "reverse_sorted")
    if order == "reverse_inventory":
        return listed[::-1]
    if order == "shuffle":
        random.shuffle(listed)
    return listed


def batch_size(size: int | str, total: int) -> int:
    """A serial size as a number of hosts: a percentage is of the play's hosts, rounded down, at least one.

    Raises:
        PlaybookError: it is neither a number nor a percentage.
    """
    text = str(size).strip()
    try:
        if text.endswith("%"):
            return max(1, int(float(text[:-1]) * total / 100))
        return max(0, int(text)) or total
    except ValueError:
        raise PlaybookError(f"serial cannot be {size!r}", hint='write serial: 2, or serial: "25%"') from None


def batches(hosts: Sequence[str], serial: Sequence[int | str]) -> list[list[str]]:
    """The batches of a play; the last size repeats until no host is left."""
    if not serial:
        return [list(hosts)] if hosts else []
    left = list(hosts)
    cut: list[list[str]] = []
    sizes = [batch_size(size, len(hosts)) for size in serial]
    while left:
        size = sizes[min(len(cut), len(sizes) - 1)]
        cut.append(left[:size])
        left = left[size:]
    return cut


def too_many(failed: int, total: int, percentage: float | None) -> bool:
    """Whether more than the allowed percentage of a batch has failed: it must be exceeded, not reached."""
    return percentage is not None and total > 0 and 100 * failed / total > percentage
