"""`module: key=value key="a b"` and `command: uptime chdir=/tmp`: arguments written in one line."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

QUOTES = "\"'"
#: options that command-like modules take beside their free text; any other key=value belongs to the text.
#: Source: ansible-core 2.19, documentation of command, shell and script.
BESIDE_TEXT = frozenset(("chdir", "creates", "executable", "removes", "stdin", "stdin_add_newline", "strip_empty_ends", "warn"))


class Word(NamedTuple):
    text: str
    begin: int
    end: int


class UnbalancedText(ValueError):
    """A quote or a brace is opened and not closed."""


def words(line: str) -> Iterator[Word]:
    """The words of a line: split at white space, but not inside quotes or `{{ }}`.

    Raises:
        UnbalancedText: a quote or a brace is never closed.
    """
    begin: int | None = None
    quote = ""
    depth = 0
    index = 0
    while index < len(line):
        letter = line[index]
        if begin is None and not letter.isspace():
            begin = index
        if line[index : index + 2] in ("{{", "{%"):
            depth, index = depth + 1, index + 1
        elif line[index : index + 2] in ("}}", "%}") and depth:
            depth, index = depth - 1, index + 1
        elif quote:
            index += letter == "\\" and quote == '"'
            quote = "" if letter == quote else quote
        elif letter in QUOTES and not depth and (begin == index or line[index - 1] == "="):
            quote = letter
        elif letter.isspace() and not depth and begin is not None:
            yield Word(line[begin:index], begin, index)
            begin = None
        index += 1
    if quote or depth:
        raise UnbalancedText("a quote is not closed" if quote else "'{{' is not closed")
    if begin is not None:
        yield Word(line[begin:], begin, len(line))


def pair(word: str) -> tuple[str, str] | None:
    """`key=value` as its two parts, quotes around the value removed; None when the word is no pair."""
    key, equals, value = word.partition("=")
    if not equals or not key.isidentifier():
        return None
    if len(value) >= 2 and value[0] in QUOTES and value[-1] == value[0]:
        value = value[1:-1]
    return key, value


def pairs(line: str) -> dict[str, str]:
    """A line that is nothing but pairs.

    Raises:
        UnbalancedText: a quote or brace is open.
        ValueError: a word is no pair; its argument is the word.
    """
    found: dict[str, str] = {}
    for word in words(line):
        read = pair(word.text)
        if read is None:
            raise ValueError(word.text)
        found[read[0]] = read[1]
    return found


def text_and_pairs(line: str, options: Collection[str]) -> tuple[str, dict[str, str]]:
    """A free text and the options written in it, which are cut out; the rest stays as it is, quotes, line ends and all."""
    found: dict[str, str] = {}
    rest: list[str] = []
    kept_from = 0
    try:
        split = list(words(line))
    except UnbalancedText:
        # the text is a shell's or a program's, not ours: its quotes are its own matter
        return line.strip(), {}
    for word in split:
        read = pair(word.text)
        if read is not None and read[0] in BESIDE_TEXT and read[0] in options:
            found[read[0]] = read[1]
            rest.append(line[kept_from : word.begin].rstrip(" "))
            kept_from = word.end
    rest.append(line[kept_from:])
    return "".join(rest).strip(), found
