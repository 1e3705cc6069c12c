"""Parser events to values with places. One pass over the events of libyaml; no tree of nodes in between."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from typing import Any

import yaml
from yaml.constructor import ConstructorError, SafeConstructor
from yaml.resolver import Resolver

from ringup.errors import InputError
from ringup.source import Source
from ringup.yamlfile.mistakes import by_the_line
from ringup.yamlfile.values import Position, SourcedList, SourcedMap, UnsafeText, VaultedText

#: libyaml where PyYAML was built with it (10 times faster), else PyYAML's own scanner.
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

KNOWN_TAGS = ("!vault", "!unsafe")
VAULT_TAGS = ("!vault", "!vault-encrypted")
STANDARD = "tag:yaml.org,2002:"
STRING = STANDARD + "str"
MERGE = "<<"
_MISSING = object()


class Builder:
    """Builds the one document of a text.

    Args:
        text: the file's content.
        path: the file as an operator would name it.
    """

    def __init__(self, text: str, path: str) -> None:
        self._events = Loader(text)
        self._next = self._events.get_event
        self._text = text
        self._path = path
        self._anchors: dict[str, Any] = {}

    def document(self) -> Any:
        """The value of the document, None for an empty text.

        Raises:
            yaml.MarkedYAMLError: it is not YAML.
            InputError: it is YAML that means nothing: a key twice, an unknown tag, a second document.
        """
        self._next()
        if isinstance(self._next(), yaml.StreamEndEvent):
            return None
        value = self._value(self._next())
        self._next()
        after = self._next()
        if not isinstance(after, yaml.StreamEndEvent):
            raise InputError("a second document begins here", where=self._source(after), hint="a file holds one document: remove the '---'")
        return value

    def _value(self, event: Any) -> Any:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
        elif kind is yaml.AliasEvent:
            return self._alias(event)
        elif kind is yaml.MappingStartEvent:
            return self._tagged(event, self._mapping(event))
        else:
            return self._tagged(event, self._sequence(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _scalar(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None or tag == "!":
            return _plain(text) if tag is None and event.implicit[0] else text
        if tag in VAULT_TAGS:
            return VaultedText(text, self._source(event))
        if tag == "!unsafe":
            return UnsafeText(text)
        if tag.startswith(STANDARD) and tag in SafeConstructor.yaml_constructors:
            try:
                return _constructed(tag, text)
            except (ConstructorError, ValueError):
                message = f"{text!r} is not a {tag.removeprefix(STANDARD)}"
                raise InputError(message, where=self._source(event), hint=f"remove the tag !!{tag.removeprefix(STANDARD)}") from None
        raise self._unknown_tag(event)

    def _mapping(self, event: Any) -> SourcedMap:
        keys: dict[Any, Position] = {}
        places: dict[Any, Position] = {}
        built = SourcedMap(path=self._path, position=_position(event), key_positions=keys, value_positions=places)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Unfinished
        merged: list[SourcedMap] = []
        while type(key_event := self._next()) is not yaml.MappingEndEvent:
            key = self._value(key_event)
            value_event = self._next()
            value = self._value(value_event)
            if key == MERGE and key_event.implicit[0]:
                merged.extend(self._merged(value, value_event))
                continue
            self._check_key(key, key_event, keys)
            built[key] = value
            keys[key] = _position(key_event)
            places[key] = _position(value_event)
        for other in merged:
            for key, value in other.items():
                if key not in built:
                    built[key] = value
                    keys[key] = other.key_positions.get(key, other.position)
                    places[key] = other.value_positions.get(key, other.position)
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        return built

    def _check_key(self, key: Any, event: Any, known: dict[Any, Position]) -> None:
        if not isinstance(key, Hashable):
            line, _ = _position(event)
            raise by_the_line(self._text.splitlines(), line - 1, self._path) or InputError(
                "a list or mapping cannot be a key", where=self._source(event), hint="quote it if text is meant"
            )
        if key in known:
            line, _ = known[key]
            raise InputError(
                f"the key {str(key)!r} is given twice", where=self._source(event), hint=f"the first is in line {line}: keep one of them"
            )

    def _merged(self, value: Any, event: Any) -> list[SourcedMap]:
        parts = value if isinstance(value, SourcedList) else [value]
        if not all(isinstance(part, SourcedMap) for part in parts):
            raise InputError(
                "'<<' takes a mapping or a list of mappings", where=self._source(event), hint="write '<<: *name' for an anchor &name"
            )
        return list(parts)

    def _sequence(self, event: Any) -> SourcedList:
        positions: list[Position] = []
        built = SourcedList(path=self._path, position=_position(event), item_positions=positions)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Unfinished
        while type(item := self._next()) is not yaml.SequenceEndEvent:
            built.append(self._value(item))
            positions.append(_position(item))
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        return built

    def _alias(self, event: Any) -> Any:
        value = self._anchors.get(event.anchor, _MISSING)
        if value is _MISSING:
            raise InputError(
                f"'*{event.anchor}' refers to an anchor that is not defined above",
                where=self._source(event),
                hint=f"quote it if text is meant: '*{event.anchor}'",
            )
        if value is _Unfinished:
            raise InputError(f"'*{event.anchor}' refers to what it is in", where=self._source(event), hint="a value cannot hold itself")
        return value

    def _tagged(self, event: Any, value: SourcedMap | SourcedList) -> Any:
        tag = event.tag
        if tag is None or tag in ("!", STANDARD + "map", STANDARD + "seq"):
            return value
        if tag == "!unsafe":
            return _unsafe(value)
        if tag == STANDARD + "set" and isinstance(value, dict):
            return set(value)
        if tag in (STANDARD + "omap", STANDARD + "pairs") and isinstance(value, list):
            return [pair for item in value for pair in item.items()]
        raise self._unknown_tag(event)

    def _unknown_tag(self, event: Any) -> InputError:
        shown = event.tag.replace(STANDARD, "!!")
        return InputError(
            f"the tag {shown!r} is not known",
            where=self._source(event),
            hint=f"known are {', '.join(KNOWN_TAGS)}; quote the value if text is meant",
        )

    def _source(self, event: Any) -> Source:
        return Source(self._path, *_position(event))


class _Unfinished:
    """Stands for a mapping or list whose end has not been read."""


def _position(event: Any) -> Position:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


@functools.lru_cache(maxsize=8192)
def _plain(text: str) -> Any:
    """An unquoted scalar by YAML 1.1: yes is true, 0644 is octal, 1:30 is 90, ~ is null."""
    resolvers = Resolver.yaml_implicit_resolvers
    for tag, pattern in resolvers.get(text[:1], ()):
        if pattern.match(text):
            try:
                return text if tag in (STANDARD + "merge", STANDARD + "value") else _constructed(tag, text)
            except ValueError:
                # it looks like a date (2024-13-45) or a number and is none
                return text
    return text


def _constructed(tag: str, text: str) -> Any:
    constructor = SafeConstructor()
    return SafeConstructor.yaml_constructors[tag](constructor, yaml.ScalarNode(tag, text))


def _unsafe(value: Any) -> Any:
    if isinstance(value, str):
        return UnsafeText(value)
    if isinstance(value, SourcedMap):
        for key, item in value.items():
            value[key] = _unsafe(item)
    elif isinstance(value, SourcedList):
        value[:] = [_unsafe(item) for item in value]
    return value
