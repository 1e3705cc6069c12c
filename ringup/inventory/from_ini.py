"""Inventories in INI: `[group]`, `[group:children]`, `[group:vars]`, and hosts with variables on their line."""

from __future__ import annotations

import ast
import re
import shlex
import warnings
from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.building import Builder, nearest
from ringup.source import Source
from ringup.yamlfile import SourcedMap

SECTION = re.compile(r"\[(?P<group>[^:\]\s]+)(?::(?P<kind>\w+))?\]\s*(?:[#;].*)?\Z")
KINDS = ("hosts", "children", "vars")


def read_ini(text: str, path: str, builder: Builder) -> None:
    """Add what an INI file says to the builder.

    Raises:
        InventoryError: with the line that cannot be read, or that names a group which nothing defines.
    """
    group, kind = "ungrouped", "hosts"
    # groups may be used above the line that defines them
    used: dict[str, tuple[str, Source]] = {}
    values: dict[str, SourcedMap] = {}
    defined = set(builder.groups)
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        source = Source(path, number)
        if not line or line[0] in "#;":
            continue
        if _is_header(line):
            group, kind = _section(line, source)
            if kind == "vars":
                used.setdefault(group, (f"[{group}:vars] gives variables to", source))
                values.setdefault(group, SourcedMap(path=path, position=(number, 0)))
            else:
                builder.add_group(group, source)
                defined.add(group)
        elif kind == "hosts":
            _read_host(line, group, builder, source)
        elif kind == "children":
            child = line.split("#")[0].strip()
            used.setdefault(child, (f"[{group}:children] holds", source))
            builder.add_child(group, child, source)
        else:
            _read_variable(line, values[group], number, source)
    for name, (what, source) in used.items():
        if name not in defined:
            near = nearest(name, defined)
            hint = f"did you mean '{near}'?" if near else f"add a section [{name}]"
            raise InventoryError(f"{what} the group '{name}', which is not defined", where=source, hint=hint)
    for name, given in values.items():
        builder.add_group_values(name, given, given.source)


def _is_header(line: str) -> bool:
    # an address or a range may begin a host's line too: [2001:db8::1]:22, [a:c]-node
    return line[0] == "[" and (SECTION.match(line) is not None or re.match(r"\[[^\]]*:[^\]]*\]\S", line) is None)


def _section(line: str, source: Source) -> tuple[str, str]:
    header = SECTION.match(line)
    if header is None:
        raise InventoryError(f"'{line}' is no section", where=source, hint="write [group], [group:children] or [group:vars]")
    kind = header["kind"] or "hosts"
    if kind not in KINDS:
        near = nearest(kind, KINDS) or "children"
        raise InventoryError(
            f"a section '[{header['group']}:{kind}]' is not known", where=source, hint=f"did you mean [{header['group']}:{near}]?"
        )
    return header["group"], kind


def _read_host(line: str, group: str, builder: Builder, source: Source) -> None:
    try:
        name, *pairs = shlex.split(line, comments=True)
    except ValueError as error:
        raise InventoryError(f"the line cannot be read: {str(error).lower()}", where=source, hint="close the quote") from None
    values = SourcedMap(path=source.path, position=(source.line, 0))
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            hint = "write name=value without spaces around '='; quote values with spaces"
            raise InventoryError(f"'{pair}' behind host '{name}' is no name=value", where=source, hint=hint)
        values[key] = literal(value)
    builder.add_hosts(name, group, values or None, source)


def _read_variable(line: str, values: SourcedMap, number: int, source: Source) -> None:
    key, equals, value = line.partition("=")
    if not equals or not key.strip():
        raise InventoryError(f"'{line}' is no name=value", where=source, hint="below [group:vars] each line is name=value")
    values[key.strip()] = literal(value.strip())
    values.key_positions[key.strip()] = (number, 1)


def literal(text: str) -> Any:
    """The value of a text by Python's rules, as Ansible reads INI: 5 is a number, True a boolean, true a text, [1, 2] a list."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return text
