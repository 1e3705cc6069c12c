"""The inventory: which hosts there are, what groups hold them, and which variables they get from where."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.building import nearest
from ringup.inventory.patterns import LOCALHOST, Selection, parts_of, select, unmatched_error
from ringup.inventory.values import Given, Group, Host, Layer
from ringup.inventory.variable_files import VariableFiles
from ringup.source import Source


@dataclass(frozen=True)
class Inventory:
    """Hosts and groups of all sources.

    Attributes:
        hosts, groups: by name, in the order in which sources name them.
        folders: those whose `group_vars/` and `host_vars/` count, in the order of the sources.
        files: reads them.
    """

    hosts: Mapping[str, Host]
    groups: Mapping[str, Group]
    folders: tuple[Path, ...] = ()
    files: VariableFiles = field(default_factory=VariableFiles, compare=False, repr=False)

    def match(
        self,
        pattern: str | Sequence[str],
        *,
        limit: str | Sequence[str] | None = None,
        strict: bool = False,
        source: Source | str | None = None,
    ) -> tuple[str, ...]:
        """The names of the hosts a pattern selects, in the inventory's order, each once.

        Args:
            limit: a second pattern that the hosts must match too (`--limit`); `@file` in it stands for the lines of a file.
            strict: a part of `pattern` that matches nothing is an error; else `select(pattern).unmatched` has it.
            source: the place to name in errors.
        Raises:
            InventoryError: a part is no pattern; with `strict`, or in `limit`, one that matches nothing.
        """
        selection = self.select(pattern, source=source)
        if strict and selection.unmatched:
            raise unmatched_error(selection.unmatched[0], self.groups, self.hosts, source)
        if limit is None:
            return selection.hosts
        within = self.select(limit_patterns(limit), source="--limit")
        if within.unmatched and not within.hosts:
            raise unmatched_error(within.unmatched[0], self.groups, self.hosts, "--limit")
        allowed = set(within.hosts)
        return tuple(host for host in selection.hosts if host in allowed)

    def select(self, pattern: str | Sequence[str], *, source: Source | str | None = None) -> Selection:
        """The hosts of a pattern and its parts that match nothing."""
        try:
            return select(pattern, self.groups, self.hosts, self.members)
        except InventoryError as error:
            if error.where is None:
                error.where = source
            raise

    def unmatched(self, part: str, source: Source | str | None = None) -> InventoryError:
        """What to tell an operator about a part of a pattern that matches nothing, with the nearest name."""
        return unmatched_error(part, self.groups, self.hosts, source)

    def members(self, group: str) -> tuple[str, ...]:
        """The hosts of a group and of all groups below it, in order, each once."""
        known = self._members.get(group)
        if known is None:
            known = self._members[group] = tuple(dict.fromkeys(self._walk(group)))
        return known

    def groups_of(self, host: str) -> tuple[str, ...]:
        """The groups a host is in, directly or through others, without `all`: in the order their variables are laid over each other.

        `group_names` of a play is the same, sorted by name.
        """
        key = self._host(host).groups
        known = self._ancestors.get(key)
        if known is None:
            found: dict[str, None] = {}
            rest = list(key)
            while rest:
                name = rest.pop()
                if name not in found:
                    found[name] = None
                    rest += self._parents[name]
            found.pop("all", None)
            known = self._ancestors[key] = tuple(sorted(found, key=lambda name: self.groups[name].rank))
        return known

    def layers(self, host: str, playbook_folder: Path | None = None) -> tuple[Layer, ...]:
        """The variables of a host by origin, lowest precedence first.

        `all` of the inventory, group_vars/all (inventory, then playbook), then the other groups from shallow to deep (inventory, then
        their group_vars next to the inventory, then next to the playbook), then the host in the same three places.
        """
        names = ("all", *self.groups_of(host)) if not self._host(host).implicit else ("all",)
        key = (names, playbook_folder)
        shared = self._group_layers.get(key)
        if shared is None:
            shared = self._group_layers[key] = (*self._layers_of(("all",), playbook_folder), *self._layers_of(names[1:], playbook_folder))
        own = tuple(Layer(f"host {host}", given.source, given.values) for given in self._host(host).given)
        return (
            *shared,
            *own,
            *self._from_files("host_vars", (host,), self.folders),
            *self._from_playbook("host_vars", (host,), playbook_folder),
        )

    def variables(self, host: str, playbook_folder: Path | None = None) -> dict[str, Any]:
        """The variables of a host, higher layers over lower ones; unrendered."""
        merged: dict[str, Any] = {}
        for layer in self.layers(host, playbook_folder):
            merged.update(layer.values)
        return merged

    def origins(self, host: str, playbook_folder: Path | None = None) -> dict[str, tuple[Layer, ...]]:
        """For each variable of a host the layers that give it, lowest first: the last one wins."""
        found: dict[str, list[Layer]] = {}
        for layer in self.layers(host, playbook_folder):
            for name in layer.values:
                found.setdefault(name, []).append(layer)
        return {name: tuple(layers) for name, layers in found.items()}

    def magic(self, host: str) -> dict[str, Any]:
        """The special variables that follow from the inventory alone."""
        place = self._host(host).source.path
        path = Path(place).absolute() if place else None
        return {
            "inventory_hostname": host,
            "inventory_hostname_short": host if _is_address(host) else host.split(".", 1)[0],
            "group_names": sorted(self.groups_of(host)),
            "inventory_file": str(path) if path else None,
            "inventory_dir": str(path.parent) if path else None,
        }

    def members_by_group(self) -> dict[str, list[str]]:
        """`groups` of a play: each group with the hosts in and below it."""
        return {name: list(self.members(name)) for name in self.groups}

    def with_host(
        self, name: str, groups: Sequence[str] = (), values: Mapping[str, Any] | None = None, source: Source | None = None
    ) -> Inventory:
        """An inventory with one more host, or with more groups and variables for a host (`add_host`, `group_by`)."""
        place = source or Source("")
        known = self.hosts.get(name)
        given = (*(known.given if known else ()), *((Given(values, place),) if values else ()))
        held = dict.fromkeys([*(known.groups if known else ()), *groups])
        if len(held) > 1:
            held.pop("ungrouped", None)
        host = Host(name, known.source if known else place, tuple(held) or ("ungrouped",), given)
        changed = dict(self.groups)
        for group in host.groups:
            if group not in changed:
                changed[group] = Group(group, place, depth=1)
                changed["all"] = replace(changed["all"], children=(*changed["all"].children, group))
            if name not in changed[group].hosts:
                changed[group] = replace(changed[group], hosts=(*changed[group].hosts, name))
        if "ungrouped" not in held and name in changed["ungrouped"].hosts and host.groups != ("ungrouped",):
            changed["ungrouped"] = replace(
                changed["ungrouped"], hosts=tuple(other for other in changed["ungrouped"].hosts if other != name)
            )
        return replace(self, hosts={**self.hosts, name: host}, groups=changed)

    def _walk(self, group: str) -> Iterator[str]:
        level, seen = [group], {group}
        while level:
            below: list[str] = []
            for name in level:
                yield from self.groups[name].hosts
                for child in self.groups[name].children:
                    if child not in seen:
                        seen.add(child)
                        below.append(child)
            level = below

    def _layers_of(self, names: tuple[str, ...], playbook_folder: Path | None) -> tuple[Layer, ...]:
        given = tuple(Layer(f"group {name}", part.source, part.values) for name in names for part in self.groups[name].given)
        return (*given, *self._from_files("group_vars", names, self.folders), *self._from_playbook("group_vars", names, playbook_folder))

    def _from_playbook(self, kind: str, names: tuple[str, ...], folder: Path | None) -> tuple[Layer, ...]:
        if folder is None or folder.absolute() in (known.absolute() for known in self.folders):
            return ()
        return self._from_files(kind, names, (folder,))

    def _from_files(self, kind: str, names: tuple[str, ...], folders: tuple[Path, ...]) -> tuple[Layer, ...]:
        return tuple(layer for name in names for folder in folders for layer in self.files.layers(folder, kind, name))

    def _host(self, name: str) -> Host:
        if name in self.hosts:
            return self.hosts[name]
        if name in LOCALHOST:
            local = Given(
                MappingProxyType({"ansible_connection": "local", "ansible_python_interpreter": sys.executable}),
                Source("implicit localhost"),
            )
            return Host(name, Source(""), (), (local,), implicit=True)
        near = nearest(name, self.hosts)
        raise InventoryError(f"there is no host '{name}'", hint=f"did you mean '{near}'?" if near else "see: invoke inventory")

    @cached_property
    def _parents(self) -> dict[str, list[str]]:
        parents: dict[str, list[str]] = {name: [] for name in self.groups}
        for name, group in self.groups.items():
            for child in group.children:
                parents[child].append(name)
        return parents

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        return {}

    @cached_property
    def _ancestors(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {}

    @cached_property
    def _group_layers(self) -> dict[Any, tuple[Layer, ...]]:
        return {}


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def limit_patterns(limit: str | Sequence[str]) -> list[str]:
    """The parts of a limit, with each `@file` replaced by the lines of the file.

    Raises:
        InventoryError: the file cannot be read.
    """
    found: list[str] = []
    for part in parts_of(limit):
        if not part.startswith("@"):
            found.append(part)
            continue
        try:
            lines = Path(part[1:]).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InventoryError(
                f"the file of '{part}' cannot be read: {reason.lower()}", where="--limit", hint="one host or pattern a line"
            ) from None
        found += [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return found
