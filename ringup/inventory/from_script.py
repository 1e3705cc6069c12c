"""Inventories made by programs: JSON for `--list`, and for `--host NAME` where the list has no `_meta`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.building import Builder
from ringup.source import Source
from ringup.yamlfile import shown_path

LIMIT_S = 300


def is_program(path: Path) -> bool:
    """Whether a file is to be run: it may be executed and begins with `#!`, or is an ELF binary."""
    if not os.access(path, os.X_OK):
        return False
    with path.open("rb") as file:
        start = file.read(4)
    return start.startswith(b"#!") or start == b"\x7fELF"


def read_script(path: Path, builder: Builder) -> None:
    """Run the program and add what it says to the builder.

    Raises:
        InventoryError: it fails, takes more than 300 s, or what it prints is no inventory.
    """
    source = Source(shown_path(path))
    content = _answer(path, ["--list"], source)
    meta = content.pop("_meta", {})
    hostvars = meta.get("hostvars", {}) if isinstance(meta, dict) else {}
    if not isinstance(hostvars, dict):
        raise InventoryError("'_meta.hostvars' is no mapping", where=source, hint="it maps host names to their variables")
    for group, said in content.items():
        _read_group(group, said, builder, source)
    for host in dict.fromkeys(list(builder.hosts) if "hostvars" not in meta else hostvars):
        given = hostvars[host] if "hostvars" in meta else _answer(path, ["--host", host], source)
        if host not in builder.hosts:
            # a host that only _meta knows is in no group, and Ansible does not add it
            continue
        if not isinstance(given, dict):
            raise InventoryError(f"the variables of host '{host}' are {given!r}", where=source, hint="they must be a JSON object")
        builder.add_hosts(host, next(iter(builder.hosts[host].groups)), given, source)


def _read_group(group: str, said: Any, builder: Builder, source: Source) -> None:
    builder.add_group(group, source)
    if isinstance(said, dict) and not said.keys() & {"hosts", "vars", "children"}:
        said = {"hosts": [group], "vars": said}
    if isinstance(said, list):
        said = {"hosts": said}
    if not isinstance(said, dict):
        raise InventoryError(
            f"the group '{group}' is {said!r}", where=source, hint="a group is a list of hosts, or an object with hosts, vars, children"
        )
    for section, kind in (("hosts", list), ("vars", dict), ("children", list)):
        if not isinstance(said.get(section, kind()), kind):
            named = "a list" if kind is list else "an object"
            raise InventoryError(f"'{section}' of group '{group}' is {said[section]!r}", where=source, hint=f"it must be {named}")
    for host in said.get("hosts", []):
        builder.add_hosts(str(host), group, None, source)
    for child in said.get("children", []):
        builder.add_child(group, str(child), source)
    builder.add_group_values(group, said.get("vars", {}), source)


def _answer(path: Path, arguments: list[str], source: Source) -> dict[str, Any]:
    asked = " ".join(arguments)
    try:
        done = subprocess.run(
            [str(path.absolute()), *arguments], cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise InventoryError(f"the program does not answer {asked} within {LIMIT_S} s", where=source, hint="run it by hand") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InventoryError(f"the program cannot be run: {reason}", where=source, hint="check its first line") from None
    said = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode != 0:
        raise InventoryError(
            f"the program ended with {done.returncode} for {asked}",
            where=source,
            hint=said[-1] if said else "it said nothing; run it by hand",
        )
    try:
        answer = json.loads(done.stdout or b"{}")
    except ValueError as error:
        raise InventoryError(
            f"the answer to {asked} is no JSON: {error}", where=source, hint="it must print one JSON object and nothing else"
        ) from None
    if not isinstance(answer, dict):
        raise InventoryError(f"the answer to {asked} is no object", where=source, hint='print {"group": {"hosts": [...]}}')
    return answer
