"""Dictionaries and lists of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2.utils import pass_environment

from ringup.errors import TemplateError
from ringup.templating.filters.sets import flatten

LIST_MERGES: dict[str, Callable[[list[Any], list[Any]], list[Any]]] = {
    "replace": lambda low, high: high,
    "keep": lambda low, high: low,
    "append": lambda low, high: low + high,
    "prepend": lambda low, high: high + low,
    "append_rp": lambda low, high: [item for item in low if item not in high] + high,
    "prepend_rp": lambda low, high: high + [item for item in low if item not in high],
}


def combine(*terms: Any, recursive: bool = False, list_merge: str = "replace") -> Any:
    """Dictionaries merged, later ones on top."""
    if list_merge not in LIST_MERGES:
        raise TemplateError(f"combine: list_merge '{list_merge}' is not known", hint=f"one of {', '.join(LIST_MERGES)}")
    merged: Any = None
    for number, term in enumerate(flatten(terms, levels=1), 1):
        if not isinstance(term, Mapping):
            raise TemplateError(
                f"combine takes dictionaries; its argument {number} is {term!r}", hint="check the variable, or write | default({})"
            )
        merged = term if merged is None else _merged(merged, term, recursive, list_merge)
    return {} if merged is None else merged


def _merged(low: Mapping[Any, Any], high: Mapping[Any, Any], recursive: bool, list_merge: str) -> dict[Any, Any]:
    result = dict(low.items())
    for key, value in high.items():
        below = result.get(key)
        if recursive and isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(below, value, recursive, list_merge)
        elif isinstance(below, list) and isinstance(value, list):
            result[key] = LIST_MERGES[list_merge](list(below), list(value))
        else:
            result[key] = value
    return result


def dict2items(value: Any, key_name: str = "key", value_name: str = "value") -> list[dict[str, Any]]:
    if not isinstance(value, Mapping):
        raise TemplateError(f"dict2items takes a dictionary, not {value!r}", hint="check the variable with '| type_debug'")
    return [{key_name: key, value_name: item} for key, item in value.items()]


def items2dict(values: Any, key_name: str = "key", value_name: str = "value") -> dict[Any, Any]:
    if not isinstance(values, list | tuple) or not all(isinstance(item, Mapping) for item in values):
        raise TemplateError(f"items2dict takes a list of dictionaries, not {values!r}", hint="check the variable with '| type_debug'")
    for item in values:
        if key_name not in item or value_name not in item:
            raise TemplateError(
                f"items2dict: {item!r} lacks '{key_name}' or '{value_name}'", hint="name the keys: key_name=..., value_name=..."
            )
    return {item[key_name]: item[value_name] for item in values}


def subelements(value: Any, path: Any, skip_missing: bool = False) -> list[tuple[Any, Any]]:
    """Each element with each item of a list inside it, which a dotted path finds."""
    if not isinstance(value, dict | list):
        raise TemplateError(f"subelements takes a list or dictionary, not {value!r}", hint="check the variable with '| type_debug'")
    keys = path.split(".") if isinstance(path, str) else list(path)
    pairs: list[tuple[Any, Any]] = []
    for element in value.values() if isinstance(value, dict) else value:
        inner = element
        for key in keys:
            if not isinstance(inner, Mapping):
                raise TemplateError(
                    f"subelements: '{key}' is looked for in {inner!r}, which is no dictionary", hint="check the dotted path"
                )
            if key not in inner:
                if not skip_missing:
                    raise TemplateError(f"subelements: an element has no '{key}'", hint="add skip_missing=true, or give it the key")
                inner = []
                break
            inner = inner[key]
        if not isinstance(inner, list):
            raise TemplateError(f"subelements: '{'.'.join(keys)}' is {inner!r} and no list", hint="point to a list")
        pairs.extend((element, item) for item in inner)
    return pairs


def rekey_on_member(values: Any, key: str, duplicates: str = "error") -> dict[Any, Any]:
    """A dictionary of dictionaries, named by one of their members."""
    if duplicates not in ("error", "overwrite"):
        raise TemplateError(f"rekey_on_member: duplicates '{duplicates}' is not known", hint="error or overwrite")
    rekeyed: dict[Any, Any] = {}
    for item in values.values() if isinstance(values, Mapping) else values:
        if not isinstance(item, Mapping) or key not in item:
            raise TemplateError(f"rekey_on_member: {item!r} has no '{key}'", hint="every item must have the key")
        if item[key] in rekeyed and duplicates == "error":
            raise TemplateError(f"rekey_on_member: '{item[key]}' is there twice", hint="write duplicates='overwrite' to keep the last")
        rekeyed[item[key]] = item
    return rekeyed


@pass_environment
def extract(environment: Any, key: Any, container: Any, morekeys: Any = None) -> Any:
    """`key | extract(container)`: for use with map."""
    value = container
    for part in [key, *(morekeys if isinstance(morekeys, list) else [] if morekeys is None else [morekeys])]:
        value = environment.getitem(value, part)
    return value


FILTERS: dict[str, Callable[..., Any]] = {
    "combine": combine,
    "dict2items": dict2items,
    "items2dict": items2dict,
    "subelements": subelements,
    "rekey_on_member": rekey_on_member,
    "extract": extract,
}
