"""How a lookup is called and what its answer becomes."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from ringup.errors import RingupError, TemplateError
from ringup.templating.lookups import lists, made, names, read, tables
from ringup.templating.lookups.call import LookupCall

#: Options that every lookup takes and none sees.
OWN = ("wantlist", "errors")

LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {
    **lists.LOOKUPS,
    **made.LOOKUPS,
    **names.LOOKUPS,
    **read.LOOKUPS,
    **tables.LOOKUPS,
}


def run_lookup(call: LookupCall) -> Any:
    """The answer of a lookup: a list with `wantlist`, else one value, or texts joined by commas.

    Raises:
        TemplateError: there is no such lookup, or it failed and `errors` does not say ignore.
    """
    name = call.name.removeprefix("ansible.builtin.").removeprefix("ansible.legacy.")
    if name not in LOOKUPS:
        near = difflib.get_close_matches(name, LOOKUPS, 1)
        raise TemplateError(
            f"the lookup '{call.name}' is not known", hint=f"did you mean '{near[0]}'?" if near else ", ".join(sorted(LOOKUPS))
        )
    wantlist = bool(call.options.pop("wantlist", False))
    errors = call.options.pop("errors", "strict")
    try:
        found = LOOKUPS[name](call.rendered())
    except RingupError as error:
        if errors in ("ignore", "warn"):
            return [] if wantlist else None
        error.message = f"lookup '{name}': {error.message}" if not error.message.startswith("lookup ") else error.message
        raise
    if wantlist:
        return found
    if len(found) == 1:
        return found[0]
    return ",".join(found) if all(isinstance(item, str) for item in found) else found
