"""The inventory file that makes a rack's hosts known to Ringup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ringup.lab.plan import OPERATOR, Rack

GROUP = "gpu-rack"


def default_path(name: str) -> Path:
    """`inventory/NAME.yaml` in the working folder: each rack has a file of its own, all with the group `gpu-rack`."""
    return Path("inventory") / f"{name}.yaml"


def document(rack: Rack, group_variables: dict[str, Any]) -> dict[str, Any]:
    """The inventory as data.

    Args:
        rack: whose hosts to list.
        group_variables: added to those of the group, such as the address of the driver repository.
    """
    hosts = {host.name: {"ansible_host": host.address, "ring_address": host.ring_address} for host in rack.hosts}
    shared = {
        "ansible_user": "root" if rack.spec.plain else OPERATOR,
        "ansible_ssh_private_key_file": str(rack.key),
        "ringup_known_hosts_file": str(rack.known_hosts),
        "ring_interface": "eth1",
        "lab_rack": rack.name,
        **wishes(rack.spec.gpus),
    }
    return {GROUP: {"hosts": hosts, "vars": shared | group_variables}}


def wishes(gpus: str) -> dict[str, Any]:
    """What a rehearsal rack asks of the stack.

    Simulated GPUs run no CUDA, so torch is its CPU build, of a release that runs everywhere the lab does. The driver is matched as on
    metal. Hosts that see this machine's own GPUs ask for nothing.
    """
    return {} if gpus == "host" else {"torch": {"version": "2.13.0", "variant": "cpu"}}


def write(rack: Rack, path: Path, group_variables: dict[str, Any]) -> None:
    """Write the inventory file of a rack."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head_of(rack) + yaml.safe_dump(document(rack, group_variables), sort_keys=False, default_flow_style=False))


def head_of(rack: Rack) -> str:
    """The first line of a rack's inventory: it says whose it is and what becomes of it."""
    return f"# Written by lab.up for the rehearsal rack {rack.name}; lab.down removes it.\n"


def remove(rack: Rack, path: Path) -> None:
    """Remove a rack's inventory file; one that somebody has made their own is left alone."""
    if path.is_file() and path.read_text().startswith(head_of(rack)):
        path.unlink()
