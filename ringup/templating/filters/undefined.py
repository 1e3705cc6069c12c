"""Filters that ask about a value: is it there, is it true, what is it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringup.errors import UndefinedVariable
from ringup.templating.omit import Omit
from ringup.templating.undefined import Undefined

TRUE = frozenset(("yes", "on", "true", "1"))
FALSE = frozenset(("no", "off", "false", "0"))
#: Python's name where it is not the one of the value it stands for.
NATIVE = {"SourcedMap": "dict", "LazyMap": "dict", "UnsafeMap": "dict", "SourcedList": "list", "UnsafeList": "list", "UnsafeText": "str"}


def default(value: Any, default_value: Any = "", boolean: bool = False) -> Any:
    if isinstance(value, Undefined):
        return default_value
    return default_value if boolean and not value else value


def mandatory(value: Any, msg: str | None = None) -> Any:
    if isinstance(value, Undefined):
        raise UndefinedVariable(msg or f"the variable '{value._undefined_name}' must be given", hint="define it in the inventory, or by -e")
    return value


def ternary(value: Any, true_val: Any, false_val: Any, none_val: Any = None) -> Any:
    if value is None and none_val is not None:
        return none_val
    return true_val if value else false_val


def boolean(value: Any) -> bool:
    """yes, on, true, 1 and no, off, false, 0 in any case; anything else is no boolean, and Ansible calls it false."""
    if isinstance(value, bool):
        return value
    text = str(value).lower() if isinstance(value, str | int) else ""
    return text in TRUE or (text not in FALSE and isinstance(value, float) and value == 1)


def type_debug(value: Any) -> str:
    if isinstance(value, Undefined):
        return "Undefined"
    if isinstance(value, Omit):
        return "Omit"
    name = type(value).__name__
    return NATIVE.get(name, name)


#: Given undefined values as they are; all other filters hand them on.
SEES_UNDEFINED = frozenset(("default", "d", "mandatory", "ternary", "type_debug"))

FILTERS: dict[str, Callable[..., Any]] = {
    "default": default,
    "d": default,
    "mandatory": mandatory,
    "ternary": ternary,
    "bool": boolean,
    "type_debug": type_debug,
}
