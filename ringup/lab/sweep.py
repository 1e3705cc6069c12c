"""Takes a rack off the machine, from its state file alone: whole, half made or half removed makes no difference."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ringup.errors import LabError
from ringup.lab import cgroups, disk, inventory, machine, processes, state, tuning
from ringup.lab.plan import Kind, Thing

LIMIT_S = 30.0
PAUSE_S = 0.05


def sweep(found: state.State) -> None:
    """End all processes of a rack and remove all things that its state names, then its folder.

    Raises:
        LabError: something is still there after half a minute; names it.
    """
    state.write(found.in_phase("going"))  # from here on no supervisor starts anything
    end = time.monotonic() + LIMIT_S
    while True:
        left = remaining(found)
        if not left:
            break
        if time.monotonic() > end:
            names = ", ".join(f"{thing.kind} {thing.name}" for thing in left)
            raise LabError(f"could not remove: {names}", where=found.rack.name, hint="run lab.down again; if it stays, see what uses it")
        remove(found, left)
        time.sleep(PAUSE_S)
    if found.inventory_file:
        inventory.remove(found.rack, found.inventory_file)
    forget(found.rack.name)


def forget(name: str) -> None:
    """Remove a rack's folder and its claim on the machine, and put the machine's settings back with the last one."""
    disk.remove(state.home() / name)
    state.claim_of(name).unlink(missing_ok=True)
    tuning.restore()


def remaining(found: state.State) -> list[Thing]:
    """The things of a rack that exist, in the reverse order of making; processes are seen through their cgroup."""
    here = Presence()
    return [thing for thing in reversed(found.things) if here.shows(thing)]


def remove(found: state.State, left: list[Thing]) -> None:
    """One attempt at each thing; what is still busy is met again in the next round."""
    for path in sorted((found.rack.folder / "processes").glob("*.json")):
        handle = processes.recorded(path)
        if handle is None or processes.kill(handle):
            path.unlink(missing_ok=True)
    cgroups.kill(found.rack.cgroup)
    for thing in left:
        REMOVERS[thing.kind](thing.name)


class Presence:
    """What exists on the machine at one moment, asked once per kind however many hosts a rack has."""

    def __init__(self) -> None:
        self.links = {link["ifname"] for link in json.loads(machine.run("ip", "-j", "link").stdout or "[]")}
        self.namespaces = {line.split()[0] for line in machine.run("ip", "netns", "list").stdout.splitlines()}
        self.tables = set(machine.run("nft", "list", "tables", "ip").stdout.split())
        self.mounts = {str(path) for path in disk.mounts_below(Path("/"))}

    def shows(self, thing: Thing) -> bool:
        tests: Mapping[Kind, Callable[[str], bool]] = {
            "bridge": self.links.__contains__,
            "link": self.links.__contains__,
            "netns": self.namespaces.__contains__,
            "nft": self.tables.__contains__,
            "mount": lambda name: any(mount == name or mount.startswith(name + "/") for mount in self.mounts),
            "cgroup": cgroups.exists,
        }
        return tests[thing.kind](thing.name)


def _delete_link(name: str) -> None:
    machine.run("ip", "link", "delete", name, check=False)


def _delete_namespace(name: str) -> None:
    machine.run("ip", "netns", "delete", name, check=False)


def _delete_table(name: str) -> None:
    machine.run("nft", "delete", "table", "ip", name, check=False)


def _unmount(name: str) -> None:
    for point in disk.mounts_below(Path(name)):
        machine.run("umount", point, check=False)


REMOVERS: Mapping[Kind, Callable[[str], None]] = {
    "bridge": _delete_link,
    "link": _delete_link,
    "netns": _delete_namespace,
    "nft": _delete_table,
    "mount": _unmount,
    "cgroup": cgroups.remove,
}
