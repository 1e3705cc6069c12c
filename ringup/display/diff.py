"""Before and after, as the lines that `diff -u` would print."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

#: a diff longer than this is cut: the operator wants to see what changes, not to read a file
LINES_SHOWN = 200


def diff_lines(diff: Any) -> list[str]:
    """The lines of a result's `diff`: a mapping with `before` and `after`, or a list of them."""
    entries: Iterable[Mapping[str, Any]] = diff if isinstance(diff, list) else [diff]
    lines: list[str] = []
    for entry in entries:
        if "prepared" in entry:
            lines += str(entry["prepared"]).splitlines()
            continue
        before, after = (_lines(entry.get(side)) for side in ("before", "after"))
        names = [str(entry.get(f"{side}_header") or side) for side in ("before", "after")]
        lines += [line.rstrip("\n") for line in difflib.unified_diff(before, after, f"before: {names[0]}", f"after: {names[1]}")]
    if len(lines) > LINES_SHOWN:
        lines[LINES_SHOWN:] = [f"... {len(lines) - LINES_SHOWN} more lines"]
    return lines


def _lines(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    text = value if isinstance(value, str) else f"{value}"
    return text.splitlines(keepends=True)
