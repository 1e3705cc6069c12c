"""The kinds of values that keywords take: each turns what was written into what the engine expects, or says what is wrong.

A string with `{{ }}` is let through wherever Ansible renders the keyword for each host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ringup.agent.arguments import FALSE, TRUE, nearest
from ringup.errors import PlaybookError
from ringup.source import Source
from ringup.yamlfile import SourcedList, UnsafeText, VaultedText

#: (value, its place) -> the value as kept in Keywords, Task or Play
Kind = Callable[[Any, Source], Any]

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def templated(value: Any) -> bool:
    """Whether a value is a string that is rendered later."""
    return isinstance(value, VaultedText) or (isinstance(value, str) and not isinstance(value, UnsafeText) and "{{" in value)


def described(value: Any) -> str:
    """A value as messages show it: what kind of thing it is, and itself when it is short."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def wrong(value: Any, wanted: str, where: Source, hint: str) -> PlaybookError:
    return PlaybookError(f"{wanted} is needed here, not {described(value)}", where=where, hint=hint)


def boolean(value: Any, where: Source) -> Any:
    if isinstance(value, bool) or templated(value):
        return value
    text = str(value).lower()
    if isinstance(value, str | int) and (text in TRUE or text in FALSE):
        return text in TRUE
    raise wrong(value, "true or false", where, "write true or false, without quotes")


def whole(value: Any, where: Source) -> Any:
    if templated(value) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+", value.strip()):
        return int(value)
    raise wrong(value, "a whole number", where, "write digits only, or a template in quotes")


def number(value: Any, where: Source) -> Any:
    if templated(value) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise wrong(value, "a number", where, "write digits, with a point for fractions, or a template in quotes") from None


def text(value: Any, where: Source) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    hint = "quote it: an unquoted {{ }} is a mapping in YAML" if isinstance(value, Mapping) else "quote it"
    raise wrong(value, "a text", where, hint)


def identifier(value: Any, where: Source) -> str:
    if isinstance(value, str) and IDENTIFIER.match(value):
        return value
    raise wrong(value, "the name of a variable", where, "letters, digits and _, not beginning with a digit")


def mapping(value: Any, where: Source) -> Any:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return value
    raise wrong(value, "a mapping (name: value)", where, "write 'name: value', one a line, indented below the keyword")


def variables(value: Any, where: Source) -> Any:
    """`vars:`, whose keys are names of variables."""
    found = mapping(value, where)
    for name in found:
        if not isinstance(name, str) or not IDENTIFIER.match(name):
            place = found.key_source(name) if hasattr(found, "key_source") else where
            raise PlaybookError(
                f"'{name}' cannot be the name of a variable", where=place, hint="letters, digits and _, not beginning with a digit"
            )
    return found


def texts(value: Any, where: Source) -> tuple[Any, ...]:
    """A text or a list of texts."""
    items = value if isinstance(value, list) else [value]
    return tuple(text(item, place_in(value, index, where)) for index, item in enumerate(items))


def tags(value: Any, where: Source) -> frozenset[str]:
    """A list, or a text with commas."""
    items = value if isinstance(value, list) else [value]
    found: set[str] = set()
    for index, item in enumerate(items):
        if not isinstance(item, str | int) or isinstance(item, bool):
            raise wrong(item, "a tag (a text)", place_in(value, index, where), "write tags: [a, b]")
        found.update(part.strip() for part in str(item).split(","))
    return frozenset(tag for tag in found if tag)


def conditions(value: Any, where: Source) -> tuple[Any, ...]:
    """One condition or a list of them: expressions or booleans."""
    items = value if isinstance(value, list) else [value]
    for index, item in enumerate(items):
        if isinstance(item, VaultedText) or not isinstance(item, str | bool | int):
            raise wrong(item, "a condition", place_in(value, index, where), "write an expression: x == 1")
    return tuple(items)


def environment(value: Any, where: Source) -> tuple[Any, ...]:
    """A mapping, a template that gives one, or a list of these."""
    items = value if isinstance(value, list) else [value]
    for index, item in enumerate(items):
        if not (isinstance(item, Mapping) or templated(item)):
            raise wrong(item, "a mapping of environment variables", place_in(value, index, where), "write environment: {NAME: value}")
    return tuple(items)


def percent(value: Any, where: Source) -> Any:
    """A number, with or without %."""
    if templated(value):
        return value
    # the plain type: what is tagged !unsafe stays so, and is no number
    found = number(value.strip().removesuffix("%") if type(value) is str else value, where)
    if not 0 <= float(found) <= 100:
        raise wrong(value, "a percentage from 0 to 100", where, "write max_fail_percentage: 25")
    return found


def batches(value: Any, where: Source) -> tuple[Any, ...]:
    """`serial`: a number of hosts, a percentage, or a list of these."""
    items = value if isinstance(value, list) else [value]
    found = []
    for index, item in enumerate(items):
        percentage = isinstance(item, str) and re.fullmatch(r"\d+(\.\d+)?%", item.strip())
        try:
            size = item if templated(item) or percentage else whole(item, where)
        except PlaybookError:
            size = -1
        if isinstance(size, int) and size < 0:
            place = place_in(value, index, where)
            raise wrong(item, "a number of hosts or a percentage", place, "write serial: 2, serial: '30%', or a list of these")
        found.append(size)
    return tuple(found)


def choice(*known: str) -> Kind:
    """One of a few words, or a template."""

    def parse(value: Any, where: Source) -> Any:
        if templated(value) or value in known:
            return value
        near = nearest(value, known)
        raise wrong(value, "another word", where, f"did you mean '{near}'?" if near else f"known are {', '.join(known)}")

    return parse


def anything(value: Any, where: Source) -> Any:
    return value


def place_in(value: Any, index: int, where: Source) -> Source:
    return value.item_source(index) if isinstance(value, SourcedList) else where


#: `collections:` searches these by itself; others hold nothing that is known here
SEARCHED = ("ansible.builtin", "ansible.legacy", "ansible.posix", "community.general", "ringup")


def collections(value: Any, where: Source) -> tuple[Any, ...]:
    found = texts(value, where)
    for name in found:
        if name not in SEARCHED:
            raise PlaybookError(f"the collection '{name}' is not supported", where=where, hint=f"known are {', '.join(SEARCHED)}")
    return found
