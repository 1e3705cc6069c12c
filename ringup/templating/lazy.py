"""Containers whose strings are rendered when somebody looks at them.

`{{ rack.leaf }}` must not fail because `rack.spine` uses a variable that is undefined on this host, and a dictionary of 200 templates
must not cost 200 renderings when one is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

#: Gives the rendered form of a raw value; the label names it in messages: "rack.leaf".
Render = Callable[[Any, str], Any]


class LazyMap(dict[Any, Any]):
    """A dictionary that holds raw values until they are read.

    C code that copies dictionaries (`dict(x)`, `{**x}`, json) takes the slow path through `keys` and `[]` for a subclass that
    overrides `__iter__` and `items`, so it sees rendered values too.

    Args:
        raw: the variable as it was written; never changed.
        pending: its keys whose values may need rendering.
        render: called once per pending key that is read.
        label: the variable's name.
    """

    __slots__ = ("_label", "_pending", "_render")

    def __init__(self, raw: dict[Any, Any], pending: Iterable[Any], render: Render, label: str) -> None:
        super().__init__(raw)
        self._pending = dict.fromkeys(pending)
        self._render = render
        self._label = label

    def __getitem__(self, key: Any) -> Any:
        value = super().__getitem__(key)
        if key in self._pending:
            value = self._render(value, f"{self._label}.{key}")
            self[key] = value
            self._pending.pop(key, None)
        return value

    def settle(self) -> LazyMap:
        """Render all that is left."""
        for key in tuple(self._pending):
            self[key]
        return self

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if key in self else default  # noqa: SIM401 - get is what this is

    def __iter__(self) -> Iterator[Any]:
        return super().__iter__()

    def items(self) -> Any:
        return dict.items(self.settle())

    def values(self) -> Any:
        return dict.values(self.settle())

    def pop(self, *args: Any) -> Any:
        return dict.pop(self.settle(), *args)

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __eq__(self, other: object) -> bool:
        return dict.__eq__(self.settle(), other.settle() if isinstance(other, LazyMap) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return dict.__repr__(self.settle())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (self.copy(),)

    __hash__ = None
