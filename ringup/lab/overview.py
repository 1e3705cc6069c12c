"""What an operator is told of racks: the list, and how to go on after `lab.up`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ringup.errors import LabError
from ringup.lab import faults, inventory, power, state


def of(name: str) -> dict[str, Any]:
    """One rack as plain values: its spec, its phase, and each host with its power and faults.

    Raises:
        LabError: there is no such rack.
    """
    found = state.read(name)
    if found is None:
        raise LabError(f"the rack {name} has no state file", hint=f"remove what is left of it: invoke lab.down --name {name}")
    rack = found.rack
    broken = faults.recorded(rack)
    hosts = [
        {
            "name": host.name,
            "address": host.address,
            "ring_address": host.ring_address,
            "on": power.is_on(rack, host),
            "faults": [str(known) for known in broken if known.host == host.name],
        }
        for host in rack.hosts
    ]
    written = str(found.inventory_file) if found.inventory_file else None
    asked = {"gpus": rack.spec.gpus, "release": rack.spec.release, "plain": rack.spec.plain}
    return {"name": name, "phase": found.phase, **asked, "inventory": written, "folder": str(rack.folder), "hosts": hosts}


def text(racks: list[dict[str, Any]]) -> str:
    """The list of racks as lines."""
    if not racks:
        return "no rehearsal racks on this machine; make one with: invoke lab.up"
    lines = []
    for rack in racks:
        system = "plain hosts" if rack["plain"] else f"Debian {rack['release']}"
        lines.append(f"{rack['name']}: {rack['phase']}, {len(rack['hosts'])} hosts, {system}, GPUs {rack['gpus']}")
        for host in rack["hosts"]:
            power_state = "on" if host["on"] else "off"
            broken = f"  faults: {', '.join(host['faults'])}" if host["faults"] else ""
            lines.append(f"  {host['name']}  {host['address']:<15} ring {host['ring_address']:<15} {power_state}{broken}")
    return "\n".join(lines)


def welcome(name: str, hosts: int, path: Path, took_s: float) -> str:
    """What `lab.up` says at its end."""
    option = "" if name == "lab" else f" --name {name}"
    return "\n".join(
        [
            f"rack {name} is up: {hosts} hosts in {took_s:.1f} s; group {inventory.GROUP} in {path}",
            f"  look inside:  invoke lab.ssh node01{option}",
            f"  break it:     invoke lab.fault node01 --link-down eth1{option}",
            f"  take it down: invoke lab.down{option}",
        ]
    )
