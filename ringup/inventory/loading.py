"""From what `-i` names (files, folders, programs, lists of hosts) to an inventory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ringup.errors import InputError, InventoryError
from ringup.inventory.building import Builder
from ringup.inventory.from_ini import read_ini
from ringup.inventory.from_script import is_program, read_script
from ringup.inventory.from_yaml import read_yaml
from ringup.inventory.hosts import Inventory
from ringup.inventory.variable_files import VariableFiles
from ringup.source import Source
from ringup.yamlfile import VAULT_HEADER, Decrypt, SourcedMap, load_yaml, load_yaml_text, read_text, shown_path

YAML_ENDINGS = (".yaml", ".yml", ".json")
#: What in a folder of sources is none: Ansible's list, and our lock files.
IGNORED = re.compile(r"^\.|^(group_vars|host_vars|vars_plugins)$|(\.(pyc|pyo|swp|bak|rpm|md|txt|rst|orig|cfg|retry)|~|\.lock\.yaml)$")
INI_LINE = re.compile(r"^\s*\[[^\]]+\]\s*(?:[#;].*)?$|^\S+\s+\w+=", re.MULTILINE)


def load_inventory(sources: Sequence[str | Path], *, decrypt: Decrypt | None = None) -> Inventory:
    """The inventory of all sources together, later ones on top.

    Args:
        sources: each a file (YAML, JSON, INI), a program, a folder of these, or a list of hosts with a comma: "node01,node02".
        decrypt: for files that are vaulted as a whole.
    Raises:
        InventoryError, InputError: with file and line.
    """
    builder = Builder()
    folders: dict[Path, None] = {}
    for source in sources:
        if isinstance(source, str) and "," in source:
            for name in filter(None, map(str.strip, source.split(","))):
                builder.add_hosts(name, "ungrouped", None, Source("-i"))
            continue
        path = Path(source)
        _read(path, builder, decrypt)
        folders[path if path.is_dir() else path.parent] = None
    groups, hosts = builder.finished()
    return Inventory(hosts, groups, tuple(folders), VariableFiles(decrypt))


def _read(path: Path, builder: Builder, decrypt: Decrypt | None) -> None:
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            if not IGNORED.search(inner.name):
                _read(inner, builder, decrypt)
    elif not path.exists():
        raise InventoryError("there is no such inventory", where=Source(shown_path(path)), hint=_missing_hint(path))
    elif path.suffix == ".toml":
        raise InventoryError("inventories in TOML are not supported", where=Source(shown_path(path)), hint="write it in YAML or INI")
    elif is_program(path):
        read_script(path, builder)
    elif path.suffix in YAML_ENDINGS:
        read_yaml(load_yaml(path, decrypt=decrypt), shown_path(path), builder)
    else:
        _read_either(path, builder, decrypt)


def _read_either(path: Path, builder: Builder, decrypt: Decrypt | None) -> None:
    """A file whose name does not say what it is: YAML when it is a mapping, else INI."""
    text = read_text(path)
    if text.startswith(VAULT_HEADER):
        content = load_yaml(path, decrypt=decrypt)
        read_yaml(content, shown_path(path), builder)
        return
    if path.suffix == "" and not INI_LINE.search(text):
        try:
            content = load_yaml_text(text, shown_path(path))
        except InputError:
            if ":" in text and "=" not in text:
                raise
        else:
            if isinstance(content, SourcedMap):
                read_yaml(content, shown_path(path), builder)
                return
    read_ini(text, shown_path(path), builder)


def _missing_hint(path: Path) -> str:
    if re.fullmatch(r"[\w.-]+", str(path)) and "." not in path.suffix[1:] and not path.suffix:
        return f"to name a host, end it with a comma: -i {path},"
    return "check the path after -i"
