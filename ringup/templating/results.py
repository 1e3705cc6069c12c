"""From what a template's parts gave to a plain value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import date, time, timedelta
from typing import Any

from jinja2.environment import TemplateModule
from jinja2.runtime import Macro

from ringup.errors import TemplateError
from ringup.templating.context import listed
from ringup.templating.omit import OMIT
from ringup.templating.undefined import Undefined, UndefinedUse
from ringup.templating.unsafe import UnsafeList, UnsafeMap
from ringup.yamlfile.values import UnsafeText

SCALARS = frozenset((int, float, bool, type(None), UnsafeText, UnsafeMap, UnsafeList, bytes))


def joined(parts: Iterable[Any]) -> Any:
    """One part is the value itself; several are joined as text. None says nothing; no part at all is None."""
    kept = [part for part in parts if part is not None]
    if not kept:
        return None
    if len(kept) == 1:
        return str(kept[0]) if type(kept[0]) is TemplateModule else kept[0]
    return "".join(part if isinstance(part, str) else str(finished(part)) for part in kept if part is not OMIT)


def stated(value: Any) -> Any:
    """The value itself. Template files call this for each output, so that the error for an undefined one has its line.

    Raises:
        UndefinedUse: there is no value.
    """
    if isinstance(value, Undefined):
        raise UndefinedUse(value)
    return value


def finished(value: Any) -> Any:
    """A plain value: nothing lazy, nothing undefined, lists for all sequences.

    A text that holds braces is marked unsafe: it is a result, and results are not rendered again.

    Raises:
        UndefinedUse: something in it is undefined.
        TemplateError: it is no value: a function, a module.
    """
    kind = type(value)
    if kind is str:
        return UnsafeText(value) if "{" in value else value
    if kind in SCALARS or value is OMIT:
        return value
    if isinstance(value, Undefined):
        raise UndefinedUse(value)
    if isinstance(value, str):
        return finished(str(value))
    if isinstance(value, Mapping):
        return {_key(key): item for key, item in ((key, finished(item)) for key, item in value.items()) if item is not OMIT}
    value = listed(value)
    if isinstance(value, Sequence | Set):
        return [item for item in map(finished, value) if item is not OMIT]
    if isinstance(value, date | time | timedelta):
        return value
    return _other(value)


def _key(key: Any) -> Any:
    return finished(key) if isinstance(key, str) else key


def _other(value: Any) -> Any:
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    if callable(value) or isinstance(value, Macro):
        name = getattr(value, "__name__", type(value).__name__)
        raise TemplateError(
            f"the template gives the function '{name}'", hint=f"call it: {name}(), or write ['{name}'] for a key of that name"
        )
    raise TemplateError(
        f"the template gives a {type(value).__name__}, which is no value", hint="turn it into text or a list: '| string', '| list'"
    )
