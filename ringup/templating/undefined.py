"""What an unknown name becomes: an error at its first use, unless `default` or `is defined` asks first."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any, NoReturn

from jinja2 import StrictUndefined, UndefinedError
from jinja2.utils import missing

from ringup.errors import UndefinedVariable


class UndefinedUse(UndefinedError):
    """An undefined value was used; `undefined` says which."""

    def __init__(self, undefined: Undefined) -> None:
        super().__init__(undefined._undefined_hint or f"'{undefined._undefined_name}' is not defined")
        self.undefined = undefined


class Undefined(StrictUndefined):
    """An undefined value. Its attributes are undefined too, so that `nope.a.b | default('x')` gives x, as in Ansible.

    Attributes:
        needed_by: the variable whose text uses the undefined name, where it is not the template at hand.
    """

    needed_by: str | None = None

    def _fail_with_undefined_error(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise UndefinedUse(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, key: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = _fail_with_undefined_error
    __mul__ = __rmul__ = __div__ = __rdiv__ = _fail_with_undefined_error
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _fail_with_undefined_error
    __mod__ = __rmod__ = __pos__ = __neg__ = __call__ = _fail_with_undefined_error
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __complex__ = _fail_with_undefined_error
    __pow__ = __rpow__ = __iter__ = __str__ = __len__ = __eq__ = __ne__ = __bool__ = _fail_with_undefined_error
    __contains__ = __index__ = _fail_with_undefined_error
    __hash__ = _fail_with_undefined_error


def explained(undefined: Undefined, known: Iterable[str]) -> UndefinedVariable:
    """The error for a use of `undefined`; `known` are the names of all variables."""
    name = undefined._undefined_name
    needed = f", which '{undefined.needed_by}' needs" if undefined.needed_by else ""
    if undefined._undefined_hint:
        return UndefinedVariable(f"{undefined._undefined_hint}{needed}")
    if undefined._undefined_obj is missing:
        near = difflib.get_close_matches(str(name), [key for key in known if isinstance(key, str)], 1)
        hint = f"did you mean '{near[0]}'?" if near else f"define it, or write '{name} | default(...)'"
        return UndefinedVariable(f"the variable '{name}' is not defined{needed}", hint=hint)
    return _lacking(undefined._undefined_obj, name, needed)


def _lacking(owner: Any, name: Any, needed: str) -> UndefinedVariable:
    if isinstance(owner, dict):
        keys = [key for key in owner if isinstance(key, str)]
        near = difflib.get_close_matches(str(name), keys, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"it has {_some(keys)}"
        return UndefinedVariable(f"the dictionary has no key '{name}'{needed}", hint=hint)
    if isinstance(owner, list | tuple) and isinstance(name, int):
        return UndefinedVariable(f"the list has no item {name}{needed}", hint=f"it has {len(owner)} items, counted from 0")
    kind = {str: "a string", int: "a number", float: "a number", bool: "a boolean", list: "a list"}.get(type(owner), "the value")
    return UndefinedVariable(
        f"{kind} has no attribute '{name}'{needed}", hint="check what the value before the dot is: '| type_debug' says it"
    )


def _some(keys: list[str]) -> str:
    shown = ", ".join(sorted(keys)[:8])
    return f"the keys {shown}{' ...' if len(keys) > 8 else ''}" if keys else "no keys"
