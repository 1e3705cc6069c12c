"""Inventories in YAML: groups with `hosts`, `vars` and `children`."""

from __future__ import annotations

from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.building import Builder, nearest
from ringup.source import Source
from ringup.yamlfile import SourcedMap

SECTIONS = ("hosts", "vars", "children")


def read_yaml(content: Any, path: str, builder: Builder) -> None:
    """Add what a YAML file says to the builder.

    Args:
        content: as `load_yaml` gives it.
    Raises:
        InventoryError: with the line of what is no group, host or mapping of variables.
    """
    if content is None:
        return
    if not isinstance(content, SourcedMap):
        raise InventoryError(
            "an inventory is a mapping of groups", where=Source(path, 1), hint="begin with 'all:' and indent 'hosts:' below it"
        )
    if "plugin" in content:
        raise InventoryError(
            f"the inventory plugin '{content['plugin']}' is not supported",
            where=content.key_source("plugin"),
            hint="make the list by a script with --list, or by 'ansible-inventory --list --yaml'",
        )
    for name in content:
        _read_group(name, content, None, builder)


def _read_group(name: Any, holder: SourcedMap, parent: str | None, builder: Builder) -> None:
    source = holder.key_source(name)
    if not isinstance(name, str):
        raise InventoryError(f"the group {name!r} is no text", where=source, hint=f'quote it: "{name}"')
    if parent is not None:
        builder.add_child(parent, name, source)
    builder.add_group(name, source)
    content = holder[name]
    if content is None:
        return
    if not isinstance(content, SourcedMap):
        kind = "a list" if isinstance(content, list) else repr(content)
        raise InventoryError(f"the group '{name}' is {kind}", where=source, hint="below a group come 'hosts:', 'vars:' and 'children:'")
    for section, value in content.items():
        if section not in SECTIONS:
            raise _unknown_section(section, name, content)
        if value is not None:
            _read_section(section, _as_map(value, section, content), name, builder)


def _read_section(section: str, values: SourcedMap, group: str, builder: Builder) -> None:
    if section == "vars":
        _check_names(values)
        builder.add_group_values(group, values, values.source)
    elif section == "children":
        for child in values:
            _read_group(child, values, group, builder)
    else:
        for host, given in values.items():
            source = values.key_source(host)
            if not isinstance(host, str):
                # a bare number is a fine host name, but 010 would silently be 8
                raise InventoryError(f"the host {host!r} is no text", where=source, hint=f'quote it: "{host}"')
            if given is not None and not isinstance(given, SourcedMap):
                raise InventoryError(
                    f"the variables of host '{host}' are {given!r}", where=source, hint="write them indented below it as 'name: value'"
                )
            if given is not None:
                _check_names(given)
            builder.add_hosts(host, group, given, source)


def _as_map(value: Any, section: str, content: SourcedMap) -> SourcedMap:
    if isinstance(value, SourcedMap):
        return value
    source = content.value_source(section)
    if isinstance(value, str) and section != "vars":
        # Ansible takes a single name for a mapping with that key
        place = source.line, source.column
        return SourcedMap({value: None}, path=source.path, position=place, key_positions={value: place})
    if isinstance(value, list) and section != "vars":
        example = value[0] if value and isinstance(value[0], str) else "node01"
        raise InventoryError(
            f"'{section}' is a list", where=source, hint=f"write each on a line of its own without '-' and with a colon: '{example}:'"
        )
    raise InventoryError(f"'{section}' is {value!r}, not a mapping", where=source, hint="write 'name: value' lines indented below it")


def _check_names(values: SourcedMap) -> None:
    for name in values:
        if not isinstance(name, str):
            raise InventoryError(f"the variable {name!r} has no text for a name", where=values.key_source(name), hint=f'quote it: "{name}"')


def _unknown_section(section: Any, group: str, content: SourcedMap) -> InventoryError:
    near = nearest(str(section), SECTIONS)
    hint = (
        f"did you mean '{near}'?" if near else f"put hosts below 'hosts:', variables below 'vars:', groups below 'children:' of '{group}'"
    )
    return InventoryError(f"'{section}' in group '{group}' is not known", where=content.key_source(section), hint=hint)
