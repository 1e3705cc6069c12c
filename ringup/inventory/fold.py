"""Many host names as few characters: node01 ... node64 is `node[01-64]`."""

from __future__ import annotations

import re
from collections.abc import Iterable

NUMBER = re.compile(r"(?P<head>.*?)(?P<digits>\d+)(?P<tail>\D*)\Z", re.DOTALL)
BRACKETS = re.compile(r"\[([0-9,-]+)\]")


def fold(names: Iterable[str]) -> str:
    """The names, each once, with the last number of each folded into ranges, joined by commas.

    `unfold` gives the same names back. Order is by name, numbers as numbers.
    """
    plain: list[str] = []
    numbered: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(names):
        found = NUMBER.match(name)
        if found is None:
            plain.append(name)
        else:
            numbered.setdefault((found["head"], found["tail"]), []).append(found["digits"])
    folded = [(head, _ranges(digits), tail) for (head, tail), digits in numbered.items()]
    texts = plain + [head + (f"[{ranges}]" if not ranges.isdigit() else ranges) + tail for head, ranges, tail in folded]
    return ",".join(sorted(texts, key=_natural))


def unfold(text: str) -> list[str]:
    """The names that a folded text stands for, in its order."""
    names: list[str] = []
    for part in _parts(text):
        found = BRACKETS.search(part)
        if found is None:
            names.append(part)
            continue
        for piece in found[1].split(","):
            start, _, end = piece.partition("-")
            names += [part[: found.start()] + number + part[found.end() :] for number in _between(start, end or start)]
    return names


def _between(start: str, end: str) -> list[str]:
    return [str(number).zfill(len(start)) for number in range(int(start), int(end) + 1)]


def _parts(text: str) -> list[str]:
    parts = re.findall(r"(?:[^,\[\]]|\[[^\]]*\])+", text)
    return [part.strip() for part in parts if part.strip()]


def _ranges(digits: list[str]) -> str:
    """`01,02,03,07` as `01-03,07`. A range never changes its number of digits, so that padding survives."""
    pieces: list[list[str]] = []
    for number in sorted(digits, key=lambda text: (len(text), int(text))):
        last = pieces[-1][-1] if pieces else None
        if (
            last is not None
            and int(number) == int(last) + 1
            and (len(number) == len(last) or (not last.startswith("0") and not number.startswith("0")))
        ):
            pieces[-1].append(number)
        else:
            pieces.append([number])
    return ",".join(piece[0] if len(piece) == 1 else f"{piece[0]}-{piece[-1]}" for piece in pieces)


def _natural(text: str) -> list[tuple[int, int, str]]:
    return [(0, int(part), part) if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", text)]
