"""Gathers groups and hosts from several sources, then makes the inventory's frozen values of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.ranges import expanded, without_port
from ringup.inventory.values import Given, Group, Host
from ringup.source import Source

PRIORITY = "ansible_group_priority"


@dataclass(slots=True)
class _Draft:
    """A group or host while sources are read. Dictionaries keep the order and make look-ups constant-time."""

    source: Source
    hosts: dict[str, None] = field(default_factory=dict)
    children: dict[str, Source] = field(default_factory=dict)
    groups: dict[str, None] = field(default_factory=dict)
    given: list[Given] = field(default_factory=list)


class Builder:
    """What the readers of YAML, INI and scripts fill."""

    def __init__(self) -> None:
        nowhere = Source("")
        self.groups: dict[str, _Draft] = {"all": _Draft(nowhere), "ungrouped": _Draft(nowhere)}
        self.hosts: dict[str, _Draft] = {}
        self.groups["all"].children["ungrouped"] = nowhere

    def add_group(self, name: str, source: Source) -> None:
        if name not in self.groups:
            self.groups[name] = _Draft(source)
        elif not self.groups[name].source.path:
            self.groups[name].source = source

    def add_child(self, parent: str, child: str, source: Source) -> None:
        """Put a group below another.

        Raises:
            InventoryError: a group below itself.
        """
        if parent == child or child == "all":
            raise InventoryError(f"the group '{child}' is put below '{parent}'", where=source, hint="a group cannot hold itself, nor all")
        self.add_group(child, source)
        self.groups[parent].children.setdefault(child, source)

    def add_hosts(self, pattern: str, group: str, values: Mapping[str, Any] | None, source: Source) -> None:
        """Add the hosts a name with ranges stands for to a group, with the variables that stand beside it.

        Raises:
            InventoryError: a range that makes no sense, a name that cannot be one.
        """
        name, port = without_port(pattern)
        try:
            names = expanded(name)
        except InventoryError as error:
            error.where = source
            raise
        if port is not None:
            values = {"ansible_port": port, **(values or {})}
        given = Given(values, source) if values else None
        for host in names:
            if not host or any(letter.isspace() for letter in host):
                raise InventoryError(f"'{host}' is no name of a host", where=source, hint="a name has no spaces and is not empty")
            draft = self.hosts.get(host)
            if draft is None:
                draft = self.hosts[host] = _Draft(source)
            self.groups[group].hosts[host] = None
            draft.groups[group] = None
            if given is not None:
                draft.given.append(given)

    def add_group_values(self, group: str, values: Mapping[str, Any], source: Source) -> None:
        if values:
            self.groups[group].given.append(Given(values, source))

    def finished(self) -> tuple[dict[str, Group], dict[str, Host]]:
        """The groups and hosts as values; every group is below `all`, and every host in some group besides it.

        Raises:
            InventoryError: groups that hold each other.
        """
        has_parent = {child for draft in self.groups.values() for child in draft.children}
        top = self.groups["all"]
        for name, draft in self.groups.items():
            if name != "all" and name not in has_parent:
                top.children[name] = draft.source
        loose = self.groups["ungrouped"]
        for host, draft in self.hosts.items():
            if not draft.groups.keys() - {"all", "ungrouped"}:
                loose.hosts[host] = None
                draft.groups["ungrouped"] = None
            else:
                loose.hosts.pop(host, None)
                draft.groups.pop("ungrouped", None)
        depths = _depths({name: draft.children for name, draft in self.groups.items()})
        groups = {name: _group(name, draft, depths[name]) for name, draft in self.groups.items()}
        hosts = {name: Host(name, draft.source, tuple(draft.groups), tuple(draft.given)) for name, draft in self.hosts.items()}
        return groups, hosts


def _group(name: str, draft: _Draft, depth: int) -> Group:
    priority = 1
    given = []
    for part in draft.given:
        if PRIORITY in part.values:
            priority = _priority(part.values[PRIORITY], part.source)
            part = Given({key: value for key, value in part.values.items() if key != PRIORITY}, part.source)
        given.append(part)
    return Group(name, draft.source, tuple(draft.hosts), tuple(draft.children), tuple(given), priority, depth)


def _priority(value: Any, source: Source) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise InventoryError(
            f"{PRIORITY} is {value!r}, not a whole number", where=source, hint="write a number; the default is 1"
        ) from None


def _depths(children: Mapping[str, Mapping[str, Source]]) -> dict[str, int]:
    """The longest way from `all` to each group, by walking the groups in an order in which parents come first."""
    depths = dict.fromkeys(children, 0)
    for name in reversed(_children_first(children)):
        for child in children[name]:
            depths[child] = max(depths[child], depths[name] + 1)
    return depths


def _children_first(children: Mapping[str, Mapping[str, Source]]) -> list[str]:
    order: list[str] = []
    state: dict[str, bool] = {}
    for start in children:
        # an own stack: a chain of thousands of groups must not end in a RecursionError
        path: list[tuple[str, Any]] = [(start, iter(children[start]))] if start not in state else []
        state.setdefault(start, False)
        while path:
            name, rest = path[-1]
            child = next(rest, None)
            if child is None:
                path.pop()
                order.append(name)
                state[name] = True
            elif child not in state:
                state[child] = False
                path.append((child, iter(children[child])))
            elif not state[child]:
                names = [step for step, _ in path]
                circle = [*names[names.index(child) :], child]
                raise InventoryError(
                    f"groups hold each other: {' -> '.join(circle)}", where=children[name][child], hint=f"take '{child}' out of '{name}'"
                )
    return order


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`."""
    near = difflib.get_close_matches(name, list(known), 1)
    return near[0] if near else None
