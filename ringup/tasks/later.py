"""Rooms that are read when they are first used: what runs a playbook must not pay for the lab."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType


def later(name: str) -> ModuleType:
    """A module by its full name, read at the first look at anything in it."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
