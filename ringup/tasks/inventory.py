"""Who is in the inventory, and which variables a host gets from where."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import yaml
from invoke.context import Context
from invoke.exceptions import Exit
from invoke.tasks import task

from ringup.display.errors import show_error
from ringup.errors import RingupError, UsageError
from ringup.inventory import load_inventory, show
from ringup.templating import VaultKeys, password_files

#: The folder of sources in an operator's project.
DEFAULT = "inventory"


@task(
    auto_shortflags=False,
    iterable=["i", "vault_password_file"],
    help={
        "hosts": "which hosts, by a pattern: gpu-rack:!node07",
        "host": "one host: its variables, and where each comes from",
        "format": "text, json or yaml",
        "i": "the inventory: a file, folder, program or 'host,' list; may be given several times (default: the folder inventory)",
        "playbook": "also read group_vars and host_vars next to this playbook",
        "vault_password_file": "file (or program) with the vault password; 'id@file' for one vault id; may be given several times",
    },
)
def inventory(
    _: Context, hosts: str = "all", host: str = "", format: str = "text", i: Any = None, playbook: str = "", vault_password_file: Any = None
) -> None:
    """Show the groups and hosts of the inventory, or one host's variables with their origin."""
    try:
        keys = VaultKeys(password_files(vault_password_file)) if vault_password_file else None
        known = load_inventory(i or [DEFAULT], decrypt=keys.text if keys else None)
        folder = Path(playbook).parent if playbook else None
        if host:
            shown: Any = show.host_lines(known, host, folder) if format == "text" else show.host_values(known, host, folder)
        else:
            chosen = known.match(hosts, strict=True, source="--hosts")
            shown = show.tree(known, chosen) if format == "text" else show.tree_values(known, chosen)
        sys.stdout.write(_written(shown, format))
    except RingupError as error:
        show_error(error)
        raise Exit(code=error.exit_code) from None


def _written(shown: Any, format: str) -> str:
    if format == "text":
        return "".join(line + "\n" for line in shown)
    if format == "json":
        return json.dumps(shown, indent=2, default=str) + "\n"
    if format == "yaml":
        return yaml.safe_dump(json.loads(json.dumps(shown, default=str)), sort_keys=False, allow_unicode=True)
    raise UsageError(f"the format '{format}' is not known", where="--format", hint="text, json or yaml")
