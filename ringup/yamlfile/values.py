"""What a YAML file becomes: plain dicts, lists and strings that remember where they were written."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ringup.source import Source

#: Line and column, both counted from 1.
Position = tuple[int, int]


class SourcedMap(dict[Any, Any]):
    """A mapping of a YAML file.

    Attributes:
        path: the file as an operator would name it.
        position: where the mapping begins.
        key_positions, value_positions: where each key and its value begin; kept as bare numbers because a large inventory has many.
    """

    __slots__ = ("key_positions", "path", "position", "value_positions")

    def __init__(
        self,
        items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = (),
        *,
        path: str = "",
        position: Position = (0, 0),
        key_positions: dict[Any, Position] | None = None,
        value_positions: dict[Any, Position] | None = None,
    ) -> None:
        super().__init__(items)
        self.path = path
        self.position = position
        self.key_positions = key_positions if key_positions is not None else {}
        self.value_positions = value_positions if value_positions is not None else {}

    @property
    def source(self) -> Source:
        return Source(self.path, *self.position)

    def key_source(self, key: Hashable) -> Source:
        """Where `key` was written; the place of the mapping for a key that was added later."""
        return Source(self.path, *self.key_positions.get(key, self.position))

    def value_source(self, key: Hashable) -> Source:
        """Where the value of `key` begins."""
        return Source(self.path, *self.value_positions.get(key, self.position))


class SourcedList(list[Any]):
    """A sequence of a YAML file; `item_positions[i]` is where item i begins."""

    __slots__ = ("item_positions", "path", "position")

    def __init__(
        self,
        items: Iterable[Any] = (),
        *,
        path: str = "",
        position: Position = (0, 0),
        item_positions: list[Position] | None = None,
    ) -> None:
        super().__init__(items)
        self.path = path
        self.position = position
        self.item_positions = item_positions if item_positions is not None else []

    @property
    def source(self) -> Source:
        return Source(self.path, *self.position)

    def item_source(self, index: int) -> Source:
        """Where item `index` was written; the place of the list for an item that was added later."""
        known = -len(self.item_positions) <= index < len(self.item_positions)
        return Source(self.path, *(self.item_positions[index] if known else self.position))


class UnsafeText(str):
    """Text that is never a template, whatever braces it holds: tagged `!unsafe`, or sent by a host."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class VaultedText:
    """A `!vault` value. It stays encrypted until a template needs it.

    Attributes:
        ciphertext: from the header `$ANSIBLE_VAULT;` on, as written.
        source: where the value begins.
    """

    ciphertext: str
    source: Source

    def __str__(self) -> str:
        return "(a vaulted value)"

    def __repr__(self) -> str:
        return f"VaultedText({self.source})"
