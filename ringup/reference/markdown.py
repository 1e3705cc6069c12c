"""The little Markdown that the reference needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: the first line of every generated page
GENERATED = "<!-- Written by `invoke docs`; change the declarations, not this page. -->"


def page(title: str, *parts: str) -> str:
    """A page: its title, its parts with a blank line between them, one line end at the end."""
    return "\n\n".join([GENERATED, f"# {title}", *(part.strip("\n") for part in parts if part)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars and line ends in cells are made harmless."""
    lines = [_row(heads), _row(["---"] * len(heads)), *(_row([cell(word) for word in row]) for row in rows)]
    return "\n".join(lines)


def cell(text: str) -> str:
    """Text as it may stand in a cell."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: object) -> str:
    """A word as it is typed; a blank one, and one with a line end, are shown as Python writes them."""
    word = str(text)
    if not word.strip() or "\n" in word or "\r" in word:
        word = repr(word)
    return f"``{word}``" if "`" in word else f"`{word}`"


def codes(words: Iterable[object]) -> str:
    return ", ".join(code(word) for word in words)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
