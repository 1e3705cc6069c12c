"""Lookups that rearrange lists: those behind `with_items`, `with_nested`, `with_together` and their kin."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.filters.collections import subelements
from ringup.templating.filters.sets import flatten
from ringup.templating.lookups.call import LookupCall


def items(call: LookupCall) -> list[Any]:
    """The terms, lists among them flattened by one level."""
    return flatten(call.terms, levels=1, skip_nulls=False)


def listed(call: LookupCall) -> list[Any]:
    return call.terms


def indexed_items(call: LookupCall) -> list[Any]:
    return [[index, item] for index, item in enumerate(items(call))]


def pairs_of(call: LookupCall) -> list[Any]:
    """`dict`: each entry as {key, value}."""
    found: list[Any] = []
    for term in call.terms:
        if not isinstance(term, Mapping):
            raise TemplateError(f"it takes a dictionary, not {term!r}", hint="check the variable with '| type_debug'")
        found.extend({"key": key, "value": value} for key, value in term.items())
    return found


def together(call: LookupCall) -> list[Any]:
    _some_lists(call)
    return [list(row) for row in itertools.zip_longest(*map(_as_list, call.terms))]


def nested(call: LookupCall) -> list[Any]:
    _some_lists(call)
    return [flatten(row, levels=1, skip_nulls=False) for row in itertools.product(*map(_as_list, call.terms))]


def inner_items(call: LookupCall) -> list[Any]:
    """`subelements`: each element with each item of a list inside it."""
    if len(call.terms) not in (2, 3):
        raise TemplateError("it takes a list, a key and perhaps {skip_missing: true}", hint="query('subelements', users, 'keys')")
    flags = call.terms[2] if len(call.terms) == 3 else {}
    elements = call.terms[0]
    if isinstance(elements, list):
        elements = [element for element in elements if not (isinstance(element, Mapping) and element.get("skipped"))]
    return [list(pair) for pair in subelements(elements, call.terms[1], bool(flags.get("skip_missing", False)))]


def random_choice(call: LookupCall) -> list[Any]:
    return [random.SystemRandom().choice(call.terms)] if call.terms else []


def _as_list(term: Any) -> list[Any]:
    return list(term) if isinstance(term, list | tuple) else [term]


def _some_lists(call: LookupCall) -> None:
    if not call.terms:
        raise TemplateError("it takes at least one list", hint="give it two lists to combine")


LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {
    "items": items,
    "list": listed,
    "indexed_items": indexed_items,
    "dict": pairs_of,
    "together": together,
    "nested": nested,
    "subelements": inner_items,
    "random_choice": random_choice,
}
