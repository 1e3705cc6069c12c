"""Lists as sets and their combinations. The order is that of first appearance, which Ansible leaves to chance."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from jinja2.filters import do_unique
from jinja2.utils import pass_environment

from ringup.errors import TemplateError


@pass_environment
def unique(environment: Any, values: Iterable[Any], case_sensitive: bool | None = None, attribute: str | None = None) -> list[Any]:
    """Each value once. Texts that differ in case only are one, as in Ansible, unless `case_sensitive=true`."""
    values = list(values)
    try:
        return list(do_unique(environment, values, case_sensitive=bool(case_sensitive), attribute=attribute))
    except TypeError:
        # what cannot be hashed (dictionaries) is compared one with another
        if attribute:
            raise TemplateError(
                f"unique by '{attribute}': its values are lists or dictionaries", hint="use an attribute with plain values"
            ) from None
        return _once(values)


def intersect(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    among = _membership(right)
    return _once([value for value in left if among(value)])


def difference(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    among = _membership(right)
    return _once([value for value in left if not among(value)])


def symmetric_difference(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    left, right = list(left), list(right)
    return difference(left, right) + difference(right, left)


def union(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    return _once([*left, *right])


def flatten(values: Iterable[Any], levels: int | None = None, skip_nulls: bool = True) -> list[Any]:
    """Lists within lists as one list, `levels` deep; None is dropped unless `skip_nulls=false`."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TemplateError(f"flatten takes a list, not {values!r}", hint="write [value] | flatten")
    flat: list[Any] = []
    for value in values:
        if skip_nulls and (value is None or (isinstance(value, str) and value in ("None", "null"))):
            continue
        if isinstance(value, list | tuple) and (levels is None or levels >= 1):
            flat.extend(flatten(value, None if levels is None else levels - 1, skip_nulls))
        else:
            flat.append(value)
    return flat


def _membership(values: Iterable[Any]) -> Callable[[Any], bool]:
    listed = list(values)
    try:
        hashed = set(listed)
    except TypeError:
        return listed.__contains__

    def among(value: Any) -> bool:
        try:
            return value in hashed
        except TypeError:
            return value in listed

    return among


def _once(values: list[Any]) -> list[Any]:
    try:
        return list(dict.fromkeys(values))
    except TypeError:
        kept: list[Any] = []
        for value in values:
            if value not in kept:
                kept.append(value)
        return kept


FILTERS: dict[str, Callable[..., Any]] = {
    "unique": unique,
    "intersect": intersect,
    "difference": difference,
    "symmetric_difference": symmetric_difference,
    "union": union,
    "flatten": flatten,
    "zip": zip,
    "zip_longest": itertools.zip_longest,
    "product": itertools.product,
    "permutations": itertools.permutations,
    "combinations": itertools.combinations,
}
