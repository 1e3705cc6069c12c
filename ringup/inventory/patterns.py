"""Patterns of hosts: `gpu-rack:&newest:!node07`, `node*`, `~node0[1-4]`, `gpu-rack[0:3]`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ringup.errors import InventoryError
from ringup.inventory.building import nearest
from ringup.inventory.values import Group, Host
from ringup.source import Source

LOCALHOST = ("localhost", "127.0.0.1", "::1")
SUBSCRIPT = re.compile(r"(?P<name>.+)\[(?:(?P<at>-?\d+)|(?P<start>\d+)[:-](?P<end>\d*))\]\Z")
#: A part of a pattern: no colon outside brackets.
PART = re.compile(r"(?:[^:\[\]]|\[[^\]]*\])+")
ADDRESS = re.compile(r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\Z")
WILD = ".?*["


@dataclass(frozen=True, slots=True)
class Selection:
    """What a pattern selects.

    Attributes:
        hosts: in the inventory's order, each once.
        unmatched: the parts that match no host and no group.
    """

    hosts: tuple[str, ...]
    unmatched: tuple[str, ...] = ()


def parts_of(pattern: str | Sequence[str]) -> list[str]:
    """The parts of a pattern, which stand between commas or colons."""
    if not isinstance(pattern, str):
        return [part for text in pattern for part in parts_of(str(text))]
    if "," in pattern:
        return [part for text in pattern.split(",") for part in parts_of(text.strip())]
    text = pattern.strip()
    if ADDRESS.match(text):
        return [text]
    if text.startswith("~") and ":" not in text:
        return [text]
    return [part.strip() for part in PART.findall(text) if part.strip()]


def select(
    pattern: str | Sequence[str], groups: Mapping[str, Group], hosts: Mapping[str, Host], members: Callable[[str], Iterable[str]]
) -> Selection:
    """The hosts of a pattern: first all unions, then all intersections (`&`), then all exclusions (`!`), in whatever order they stand.

    Args:
        members: the hosts of a group and all groups below it, in order.
    Raises:
        InventoryError: a part that is no pattern.
    """
    parts = parts_of(pattern)
    unions = [part for part in parts if part[0] not in "&!"]
    if parts and not unions:
        unions = ["all"]
    unmatched: list[str] = []

    def matching(part: str) -> list[str]:
        found, known = _matching(part, groups, hosts, members)
        if not known:
            unmatched.append(part)
        return found

    chosen = dict.fromkeys(host for part in unions for host in matching(part))
    for part in parts:
        if part[0] == "&":
            kept = set(matching(_operand(part)))
            chosen = {host: None for host in chosen if host in kept}
    for part in parts:
        if part[0] == "!":
            for host in matching(_operand(part)):
                chosen.pop(host, None)
    return Selection(tuple(chosen), tuple(unmatched))


def unmatched_error(part: str, groups: Iterable[str], hosts: Iterable[str], source: Source | str | None = None) -> InventoryError:
    """The error for a part that matches nothing."""
    near = nearest(part, [*groups, *hosts])
    if near:
        hint = f"did you mean '{near}'?"
    else:
        names = sorted(set(groups) - {"all", "ungrouped"})
        hint = f"the groups are {', '.join(names[:8])}" + (" ..." if len(names) > 8 else "") if names else "the inventory has no groups"
    return InventoryError(f"no host and no group is called '{part}'", where=source, hint=hint)


def _operand(part: str) -> str:
    rest = part[1:].strip()
    if not rest:
        raise InventoryError(f"'{part}' in the pattern stands alone", hint=f"write {part}GROUP without a space")
    return rest


def _matching(
    part: str, groups: Mapping[str, Group], hosts: Mapping[str, Host], members: Callable[[str], Iterable[str]]
) -> tuple[list[str], bool]:
    """The hosts of one part, and whether it names anything at all (an empty group does)."""
    if part in groups:
        return list(members(part)), True
    if part in hosts:
        return [part], True
    if part == "*":
        return list(members("all")), True
    subscript = SUBSCRIPT.match(part) if not part.startswith("~") else None
    if subscript is not None:
        found, known = _matching(subscript["name"], groups, hosts, members)
        return _subscripted(found, subscript) if known else found, known
    if part in LOCALHOST:
        return [part], True
    accepts = _accepting(part)
    if accepts is None:
        return [], False
    named = [name for name in groups if accepts(name)]
    found = [host for name in named for host in members(name)]
    found += [host for host in hosts if accepts(host)]
    return list(dict.fromkeys(found)), bool(named or found)


def _accepting(part: str) -> Callable[[str], object] | None:
    if part.startswith("~"):
        try:
            return re.compile(part[1:]).match
        except re.error as error:
            raise InventoryError(f"the regular expression '{part[1:]}' in the pattern: {error}", hint="'.' matches any character") from None
    return re.compile(fnmatch.translate(part)).match if any(letter in part for letter in WILD) else None


def _subscripted(found: list[str], subscript: re.Match[str]) -> list[str]:
    if subscript["at"] is not None:
        at = int(subscript["at"])
        if not -len(found) <= at < len(found):
            raise InventoryError(f"'{subscript[0]}': '{subscript['name']}' has {len(found)} hosts", hint="hosts are counted from 0")
        return [found[at]]
    end = int(subscript["end"]) + 1 if subscript["end"] else len(found)
    return found[int(subscript["start"]) : end]
