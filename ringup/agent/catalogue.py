"""Every module's declaration, for the controller: validation before any host is touched, help, docs and completion."""

import importlib
import pkgutil
from collections.abc import Mapping

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


class OnDemand(Mapping):
    """Declarations by name, each read when it is first asked for: a playbook names five modules of seventy.

    Args:
        names: all there are.
        load: gives the declaration of a name.
    """

    def __init__(self, names, load):
        self._names = frozenset(names)
        self._load = load
        self._loaded = {}

    def __getitem__(self, name):
        if name not in self._names:
            raise KeyError(name)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(sorted(self._names))

    def __len__(self):
        return len(self._names)


def files_by_name(paths):
    """The files of a folder by the names they have in playbooks: an underscore behind a name only keeps it from being a keyword."""
    return {entry.name.rstrip("_"): entry.name for entry in pkgutil.iter_modules(paths)}


def specs():
    """All modules by name."""
    files = files_by_name(modules.__path__)

    def load(name):
        file = importlib.import_module("." + files[name], modules.__name__)
        return ModuleSpec(name, file.Args, kind_of(file), (file.Args.__doc__ or "").strip())

    return OnDemand(files, load)
