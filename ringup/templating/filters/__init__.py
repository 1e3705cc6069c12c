"""The filters of ansible.builtin that Jinja does not have, by subject. Each file gives `FILTERS`: name in templates -> function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringup.templating.filters import collections, encoding, numbers, paths, sets, structured, text, time, undefined, vaults

FILTERS: dict[str, Callable[..., Any]] = {
    **collections.FILTERS,
    **encoding.FILTERS,
    **numbers.FILTERS,
    **paths.FILTERS,
    **sets.FILTERS,
    **structured.FILTERS,
    **text.FILTERS,
    **time.FILTERS,
    **undefined.FILTERS,
    **vaults.FILTERS,
}

#: Those that are asked about undefined values and must get them.
SEES_UNDEFINED = undefined.SEES_UNDEFINED

__all__ = ["FILTERS", "SEES_UNDEFINED"]
