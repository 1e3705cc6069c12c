"""The inventory as people and programs read it: a tree of groups and hosts, and one host's variables with their origin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ringup.inventory.fold import fold
from ringup.inventory.hosts import Inventory
from ringup.yamlfile import VaultedText

#: Names of variables whose values are never shown. Paths of key files are no secrets.
SECRET = re.compile(r"(?i)(?:pass(?:word|wd|phrase)?|secret|token|(?:^|_)key)(?!.*(?:_file|_path|_dir)$)")
MASKED = "********"
VAULTED = "(vaulted)"
#: A group with more hosts is shown as ranges on one line.
LISTED_HOSTS = 8


def tree(inventory: Inventory, hosts: Iterable[str]) -> Iterator[str]:
    """Lines of the groups, each below its parents, with those of `hosts` in it."""
    shown = set(hosts)
    yield f"all: {len(shown)} hosts"
    yield from _below("all", inventory, shown, "")


def _below(group: str, inventory: Inventory, shown: set[str], indent: str) -> Iterator[str]:
    children = [child for child in inventory.groups[group].children if shown.intersection(inventory.members(child))]
    own = [host for host in inventory.groups[group].hosts if host in shown]
    entries: list[tuple[str, str | None]] = [(_group_line(child, inventory, shown), child) for child in children]
    entries += [(fold(own), None)] if len(own) > LISTED_HOSTS else [(_host_line(host, inventory), None) for host in own]
    for number, (line, child) in enumerate(entries, 1):
        last = number == len(entries)
        yield f"{indent}{'└── ' if last else '├── '}{line}"
        if child is not None:
            yield from _below(child, inventory, shown, indent + ("    " if last else "│   "))


def _group_line(group: str, inventory: Inventory, shown: set[str]) -> str:
    count = len(shown.intersection(inventory.members(group)))
    return f"{group}: {count} host{'s' if count != 1 else ''}"


def _host_line(host: str, inventory: Inventory) -> str:
    address = next((given.values["ansible_host"] for given in inventory.hosts[host].given if "ansible_host" in given.values), None)
    return f"{host} ({address})" if address else host


def host_lines(inventory: Inventory, host: str, playbook_folder: Path | None = None) -> Iterator[str]:
    """Lines of a host's variables: each with its value, where it comes from, and what it replaces there."""
    groups = inventory.groups_of(host)
    yield f"{host} in {', '.join(groups) or 'no group'}"
    origins = inventory.origins(host, playbook_folder)
    width = max(map(len, origins), default=0)
    for name in sorted(origins):
        *lower, last = origins[name]
        yield f"  {name:<{width}} = {_text(shown_value(name, last.values[name]))}"
        replaced = f", over {', '.join(layer.name for layer in reversed(lower))}" if lower else ""
        yield f"  {'':<{width}}   from {last.name} at {last.place(name)}{replaced}"


def host_values(inventory: Inventory, host: str, playbook_folder: Path | None = None) -> dict[str, Any]:
    """A host for programs: its groups, its variables, and the origin of each."""
    origins = inventory.origins(host, playbook_folder)
    return {
        "host": host,
        "groups": list(inventory.groups_of(host)),
        "variables": {name: shown_value(name, layers[-1].values[name]) for name, layers in sorted(origins.items())},
        "origins": {
            name: [{"layer": layer.name, "source": str(layer.place(name))} for layer in layers] for name, layers in sorted(origins.items())
        },
    }


def tree_values(inventory: Inventory, hosts: Iterable[str]) -> dict[str, Any]:
    """The groups for programs: each with those of `hosts` it names itself, and its children."""
    shown = set(hosts)
    return {
        name: {"hosts": [host for host in group.hosts if host in shown], "children": list(group.children)}
        for name, group in inventory.groups.items()
        if name == "all" or shown.intersection(inventory.members(name))
    }


def shown_value(name: str, value: Any) -> Any:
    """The value, or a mask for what an operator would not want on a screen."""
    if isinstance(value, VaultedText):
        return VAULTED
    if SECRET.search(name) and not isinstance(value, bool | None):
        return MASKED
    if isinstance(value, Mapping):
        return {key: shown_value(str(key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [shown_value("", item) for item in value]
    return str(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) or value != value.strip() or not value else value
    return text.replace("\n", "\\n")
