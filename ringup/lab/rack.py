"""A rehearsal rack from nothing to hosts that answer, and back to nothing."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ringup.errors import LabError
from ringup.lab import disk, identity, image, inventory, keys, machine, network, parts, plain, power, state, sweep, tuning, waiting
from ringup.lab.faults import clear, fault, mend_link
from ringup.lab.machine import Say
from ringup.lab.plan import REPOSITORY_PORT, LabHost, Rack, RackSpec, plan

__all__ = ["LabHost", "Rack", "RackSpec", "clear", "down", "fault", "load", "mend_link", "names", "reboot", "up"]

AT_ONCE = 8


def silent(_: str) -> None:
    """For callers that show nothing."""


def up(spec: RackSpec, *, inventory_file: Path | None = None, say: Say = silent) -> Rack:
    """Make a rack and return when sshd answers on all of its hosts, each with the right host key.

    Args:
        spec: what to make.
        inventory_file: where to write the inventory; not written when None.
        say: told each step that takes a person's time.
    Raises:
        LabError: something is missing, or a host did not come up; what had been made is removed again.
    """
    parts.check_gpus(spec.gpus)
    machine.require({**machine.SYSTEM_PACKAGES, **(machine.PLAIN_HOST_PACKAGES if spec.plain else machine.BOOTED_HOST_PACKAGES)}, say)
    lower = Path("/") if spec.plain else image.ensure(spec.release, say)
    with state.locked(spec.name):
        begun = begin(spec, inventory_file.absolute() if inventory_file else None)
        try:
            variables = make(begun.rack, lower)
            if inventory_file:
                inventory.write(begun.rack, inventory_file, variables)
            state.write(begun.in_phase("up"))
        except BaseException:  # Ctrl-C too: nothing half made stays
            say(f"removing what was made of {spec.name}")
            sweep.sweep(begun)
            raise
    return begun.rack


def begin(spec: RackSpec, inventory_file: Path | None) -> state.State:
    """Choose subnets and write down all that is going to exist, before any of it does.

    Raises:
        LabError: a rack of that name exists.
    """
    with state.locked(state.MACHINE):
        claim = state.claim_of(spec.name)
        if state.read(spec.name) or claim.exists():
            where = claim.read_text().split(maxsplit=1)[1] if claim.exists() else str(state.home() / spec.name)
            raise LabError(f"a rack {spec.name} exists", where=where, hint=f"take it down first: invoke lab.down --name {spec.name}")
        rack = plan(spec, network.free_index(), state.home())
        begun = state.State(rack, "making", rack.things(), inventory_file)
        state.write(begun)
        claim.write_text(f"{rack.index} {rack.folder}")
    return begun


def make(rack: Rack, lower: Path) -> dict[str, Any]:
    """All of a rack, in order; returns the variables that its inventory gives to the group."""
    (rack.folder / "processes").mkdir()
    credentials = keys.make(rack)
    tuning.tune()
    network.make_bridges(rack)
    empty = disk.template(rack.folder)

    def prepare(host: LabHost, _: threading.Event) -> None:
        network.plug_in(rack, host)
        disk.mount(host, lower, empty)
        if rack.spec.plain:
            plain.add_accounts(host)
        identity.personalise(rack, host, credentials)

    each(rack.hosts, prepare)
    for host in rack.hosts:
        power.on(rack, host)
    variables = open_repository(rack)  # while the hosts boot
    each(rack.hosts, lambda host, given_up: waiting.for_boot(host, given_up=given_up))
    return variables


def open_repository(rack: Rack) -> dict[str, Any]:
    """Build and serve the driver repository; returns the variables that tell hosts where it is."""
    folder = parts.repository_folder(rack)
    if folder is None:
        return {}
    power.serve_repository(rack, folder)
    return parts.repository_variables(rack, f"http://{rack.gateway}:{REPOSITORY_PORT}")


def each(hosts: tuple[LabHost, ...], step: Callable[[LabHost, threading.Event], object]) -> None:
    """Do a step on all hosts, a few at once; the first failure, or Ctrl-C, makes the others give up and is raised."""
    given_up = threading.Event()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(step, host, given_up) for host in hosts]
        try:
            for future in running:
                future.result()
        except BaseException:
            given_up.set()
            pool.shutdown(cancel_futures=True)
            raise


def down(name: str) -> bool:
    """Remove a rack and all that it made on the machine; once more does no harm.

    Returns:
        whether there was anything to remove.
    Raises:
        LabError: not root, or something could not be removed.
    """
    if os.geteuid() != 0:
        raise LabError("a rack is removed by root only", hint="run the same command with sudo")
    with state.locked(name):
        found = state.read(name)
        if found:
            sweep.sweep(found)
        else:
            sweep.forget(name)  # a folder without a state file: killed before anything was made, or after all was gone
    return found is not None


def names() -> tuple[str, ...]:
    """All racks of this machine, whole or not."""
    return state.names()


def load(name: str = "lab") -> Rack:
    """A rack that is up.

    Raises:
        LabError: there is none of that name, or it is not whole.
    """
    found = state.read(name)
    if found is None:
        known = ", ".join(state.names()) or "none"
        raise LabError(f"there is no rack {name}", hint=f"make it with `invoke lab.up --name {name}`; racks here: {known}")
    if found.phase != "up":
        raise LabError(f"the rack {name} is not whole (its state is {found.phase!r})", hint=f"remove it: invoke lab.down --name {name}")
    return found.rack


def reboot(rack: Rack, name: str) -> str:
    """Reboot a host, or switch on one that is off, and wait until it answers; see `ringup.lab.power.reboot`."""
    return power.reboot(rack, rack.host(name))
