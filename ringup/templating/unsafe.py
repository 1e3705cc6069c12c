"""Values that came from hosts: whatever braces they hold, they are never templates."""

from __future__ import annotations

from typing import Any

from ringup.yamlfile.values import UnsafeText


class UnsafeMap(dict[Any, Any]):
    """A dictionary in which nothing is a template, at any depth; the templar passes it on without looking inside."""

    __slots__ = ()


class UnsafeList(list[Any]):
    """A list in which nothing is a template, at any depth."""

    __slots__ = ()


def mark_unsafe(value: Any) -> Any:
    """A copy of `value` in which no string is ever rendered.

    What a host answers is marked by this before it becomes a variable: a file name `{{ lookup('pipe', 'rm -rf /') }}` on a host
    must stay a file name (ansible-core 2.19 has the same rule).
    """
    if isinstance(value, str):
        return value if type(value) is UnsafeText else UnsafeText(value)
    if isinstance(value, UnsafeMap | UnsafeList):
        return value
    if isinstance(value, dict):
        return UnsafeMap((key, mark_unsafe(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return UnsafeList(mark_unsafe(item) for item in value)
    return value
