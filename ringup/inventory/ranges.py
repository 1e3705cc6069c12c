"""Ranges in host names: `node[01:64]`, `rack[a:d]-gpu[0:7:2]`."""

from __future__ import annotations

import itertools
import re
import string

from ringup.errors import InventoryError

RANGE = re.compile(r"\[([^\[\]]*)\]")
#: A port behind a name, `host:2222`, or behind an address in brackets, `[2001:db8::1]:2222`.
PORT = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|(?:[^\[\]:]|\[[^\]]*\])+):(?P<port>\d+)\Z")
LETTERS = string.ascii_letters


def expanded(pattern: str) -> list[str]:
    """The names that a name with ranges stands for, both ends included.

    Raises:
        InventoryError: a range that makes no sense, without a place: the caller knows it.
    """
    if "[" not in pattern:
        return [pattern]
    pieces: list[list[str]] = []
    end = 0
    for found in RANGE.finditer(pattern):
        pieces += [[pattern[end : found.start()]], _members(found[1], pattern)]
        end = found.end()
    rest = pattern[end:]
    if not pieces or "[" in rest or "]" in rest:
        raise InventoryError(f"the brackets of '{pattern}' do not match", hint="write a range as node[01:64]")
    pieces.append([rest])
    return ["".join(parts) for parts in itertools.product(*pieces)]


def without_port(name: str) -> tuple[str, int | None]:
    """A host name and the port behind it, if any; `name` may hold ranges."""
    found = PORT.match(name)
    if found is None:
        return name, None
    bare = found["name"]
    return (bare[1:-1] if bare.startswith("[") and "]" not in bare[:-1] and ":" in bare else bare), int(found["port"])


def _members(text: str, pattern: str) -> list[str]:
    fields = text.split(":")
    if len(fields) not in (2, 3) or not fields[1]:
        hint = "write a range as node[01:64] or node[01:64:2]"
        if re.fullmatch(r"\d+-\d+", text):
            hint = f"write it as [{text.replace('-', ':')}]"
        raise InventoryError(f"'[{text}]' in '{pattern}' is no range", hint=hint)
    start, stop = fields[0] or "0", fields[1]
    step = _whole(fields[2], pattern) if len(fields) == 3 else 1
    if step < 1:
        raise InventoryError(f"'[{text}]' in '{pattern}' never ends", hint="the step must be 1 or more")
    if start in LETTERS and stop in LETTERS:
        members = list(LETTERS[LETTERS.index(start) : LETTERS.index(stop) + 1 : step])
    else:
        first, last = _whole(start, pattern), _whole(stop, pattern)
        padded = len(start) > 1 and start.startswith("0")
        if padded and len(start) != len(stop):
            raise InventoryError(
                f"the ends of '[{text}]' in '{pattern}' have different lengths", hint="pad both with zeros alike: [001:128]"
            )
        members = [str(number).zfill(len(start) if padded else 0) for number in range(first, last + 1, step)]
    if not members:
        raise InventoryError(f"'[{text}]' in '{pattern}' ends before it begins", hint=f"write the smaller end first: [{stop}:{start}]")
    return members


def _whole(text: str, pattern: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InventoryError(f"'{text}' in '{pattern}' is neither a number nor a letter", hint="write a range as node[01:64] or rack[a:d]")
    return int(text)
