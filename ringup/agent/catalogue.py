"""Every module's declaration, for the controller: validation before any host is touched, help, docs and completion."""

import importlib
import pkgutil

from . import modules
from .task import kind_of


class ModuleSpec:
    """A module as playbooks see it.

    Attributes:
        name: its name in a playbook.
        summary: the first line of its documentation.
        description: all of it.
        args: the `Arguments` subclass.
        kind: converge, read or run.
    """

    def __init__(self, name, args, kind, description):
        self.name = name
        self.args = args
        self.kind = kind
        self.description = description
        self.summary = description.splitlines()[0] if description else ""


def specs():
    """All modules by name."""
    found = {}
    for entry in pkgutil.iter_modules(modules.__path__):
        file = importlib.import_module("." + entry.name, modules.__name__)
        name = entry.name.rstrip("_")
        found[name] = ModuleSpec(name, file.Args, kind_of(file), (file.Args.__doc__ or "").strip())
    return found
