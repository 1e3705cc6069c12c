"""Hosts, groups and the layers their variables come from, as frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ringup.source import Source


@dataclass(frozen=True, slots=True)
class Given:
    """The variables that one inventory source gives to a group or host."""

    values: Mapping[str, Any]
    source: Source


@dataclass(frozen=True, slots=True)
class Host:
    """A host of the inventory.

    Attributes:
        source: where it was first named.
        groups: the groups that name it, without their parents.
        given: variables of each source, earlier sources first.
        implicit: `localhost` that no source names.
    """

    name: str
    source: Source
    groups: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the inventory.

    Attributes:
        hosts: those it names itself.
        children: the groups below it.
        given: variables of each source, earlier sources first.
        priority: of `ansible_group_priority`: among groups of one depth the higher wins.
        depth: longest way from `all`, which has 0; deeper groups win.
    """

    name: str
    source: Source
    hosts: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    priority: int = 1
    depth: int = 0

    @property
    def rank(self) -> tuple[int, int, str]:
        """The order in which variables of groups are laid over each other; the last wins."""
        return self.depth, self.priority, self.name


@dataclass(frozen=True, slots=True)
class Layer:
    """Variables of one origin. Layers are laid over each other from low to high; a later one replaces a variable whole.

    Attributes:
        name: what an operator calls the origin: "group gpu-rack", "group_vars/all", "host_vars/node01".
        source: the file, and the line where known.
    """

    name: str
    source: Source
    values: Mapping[str, Any] = field(default_factory=dict)

    def place(self, variable: str) -> Source:
        """Where the variable was written."""
        key_source = getattr(self.values, "key_source", None)
        place: Source = key_source(variable) if key_source is not None else self.source
        return place
