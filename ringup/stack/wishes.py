"""Inventory variables into Wishes; a misspelt wish is refused, never ignored."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from ringup.errors import InputError
from ringup.stack.values import Wishes

#: what may be written under each variable
KEYS = {
    "driver": ("branch", "version", "flavour", "frozen"),
    "cuda": ("toolkits",),
    # find_links is the fetching role's: where to look has no part in what is chosen
    "torch": ("version", "variant", "python", "index_url", "find_links", "extra_packages"),
}


def parse_wishes(variables: Mapping[str, Any], where: str | None = None) -> Wishes:
    """The wishes of a host.

    Args:
        variables: the host's; `driver`, `cuda`, `torch` and `allow_end_of_life` are read, all optional.
        where: named in errors.
    Raises:
        InputError: an unknown key, or a value that cannot be one.
    """
    groups = {name: _group(name, variables.get(name), where) for name in KEYS}
    driver, cuda, torch = groups["driver"], groups["cuda"], groups["torch"]
    flavour = driver.get("flavour")
    if flavour not in (None, "open", "proprietary"):
        raise InputError(f"driver.flavour cannot be '{flavour}'", where=where, hint="one of: open, proprietary; or leave it out")
    return Wishes(
        driver_branch=_whole(driver.get("branch"), "driver.branch", where),
        driver_version=_text(driver.get("version")),
        driver_flavour=flavour,
        driver_frozen=bool(driver.get("frozen", False)),
        cuda_toolkits=_texts(cuda.get("toolkits"), "cuda.toolkits", where),
        torch_version=_text(torch.get("version")),
        torch_variant=_text(torch.get("variant")),
        torch_python=_text(torch.get("python")),
        torch_index_url=_text(torch.get("index_url")),
        torch_extra_packages=_texts(torch.get("extra_packages"), "torch.extra_packages", where),
        allow_end_of_life=bool(variables.get("allow_end_of_life", False)),
    )


def _group(name: str, value: Any, where: str | None) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping, not {value!r}", where=where, hint=f"write {name}: {{{KEYS[name][0]}: ...}}")
    for key in value:
        if key not in KEYS[name]:
            close = get_close_matches(str(key), KEYS[name], n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(KEYS[name])}"
            raise InputError(f"{name} has no '{key}'", where=where, hint=hint)
    return value


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _texts(value: Any, name: str, where: str | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise InputError(f"{name} must be a list, not {value!r}", where=where, hint=f"write {name}: [{value}]")
    return tuple(str(entry) for entry in value)


def _whole(value: Any, name: str, where: str | None) -> int | None:
    if value is None:
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a whole number, not {value!r}", where=where, hint="a branch is written 580") from None
