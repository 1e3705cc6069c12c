"""Lookups: what `lookup('name', ...)`, `query('name', ...)` and `with_name:` read on the controller."""

from ringup.templating.lookups.call import LookupCall
from ringup.templating.lookups.registry import LOOKUPS, run_lookup

__all__ = ["LOOKUPS", "LookupCall", "run_lookup"]
