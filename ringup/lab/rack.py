"""A rehearsal rack from nothing to hosts that answer, and back to nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import ringup
from ringup.errors import LabError
from ringup.lab import disks, image, inventory, keys, machine, network, nspawn, parts, processes, state, supervisor, sweep, waiting
from ringup.lab.machine import Say
from ringup.lab.plan import LabHost, Rack, RackSpec, plan

__all__ = ["Rack", "RackSpec", "down", "load", "names", "reboot", "up"]

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
    needed = {**machine.SYSTEM_PACKAGES, **(machine.PLAIN_HOST_PACKAGES if spec.plain else machine.BOOTED_HOST_PACKAGES)}
    machine.require(needed, say)
    lower = Path("/") if spec.plain else image.ensure(spec.release, say)
    with state.locked(spec.name):
        rack = begin(spec)
        try:
            variables = make(rack, lower)
            if inventory_file:
                inventory.write(rack, inventory_file, variables)
            state.write(state.State(rack, "up", rack.things()))
        except BaseException:  # Ctrl-C too: nothing half made stays
            say(f"removing what was made of {rack.name}")
            sweep.sweep(state.State(rack, "going", rack.things()))
            raise
    return rack


def begin(spec: RackSpec) -> Rack:
    """Choose subnets and write down all that is going to exist, before any of it does.

    Raises:
        LabError: a rack of that name exists.
    """
    with state.locked(".machine"):
        claim = sweep.claim_of(spec.name)
        if state.read(spec.name) or claim.exists():
            where = claim.read_text().split(maxsplit=1)[1] if claim.exists() else str(state.home() / spec.name)
            raise LabError(f"a rack {spec.name} exists", where=where, hint=f"take it down first: invoke lab.down --name {spec.name}")
        rack = plan(spec, network.free_index(), state.home())
        state.write(state.State(rack, "making", rack.things()))
        claim.write_text(f"{rack.index} {rack.folder}")
    return rack


def make(rack: Rack, lower: Path) -> dict[str, Any]:
    """All of a rack, in order; returns the variables that its inventory gives to the group."""
    (rack.folder / "processes").mkdir()
    credentials = keys.make(rack)
    network.make_bridges(rack)

    def begin_host(host: LabHost) -> None:
        network.plug_in(rack, host)
        disks.mount(host, lower)
        disks.personalise(rack, host, credentials)

    each(rack.hosts, begin_host)
    for host in rack.hosts:  # from this thread: it outlives the pool, and so do the supervisors' records
        power_on(rack, host)
    each(rack.hosts, waiting.for_sshd)
    return {}


def each(hosts: tuple[LabHost, ...], step: Callable[[LabHost], None]) -> None:
    """Do a step on all hosts, a few at once; the first failure is raised when the others have ended."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = [pool.submit(step, host) for host in hosts]
    for future in done:
        future.result()


def power_on(rack: Rack, host: LabHost) -> None:
    """Start the supervisor of a host that is off."""
    pci = parts.pci_folder(host, rack.spec.gpus)
    command = nspawn.command(host, pci)
    package_folder = str(Path(ringup.__file__).resolve().parent.parent)
    subprocess.Popen(
        [sys.executable, "-m", "ringup.lab.supervisor", str(rack.folder), rack.cgroup, host.name, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(rack.folder / "supervisor.log").open("ab"),
        start_new_session=True,  # Ctrl-C in the terminal of lab.up is not for the hosts
        cwd="/",
        env={**machine.environment(), "PYTHONPATH": package_folder},
    )


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
        if found is None:
            sweep.claim_of(name).unlink(missing_ok=True)
            network.stop_forwarding()
            return False
        sweep.sweep(found)
    return True


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


def is_on(rack: Rack, host: LabHost) -> bool:
    """Whether a host's supervisor runs: it is up, or rebooting."""
    handle = processes.recorded(supervisor.record_of(rack.folder, host.name))
    return handle is not None and handle.alive


def reboot(rack: Rack, name: str) -> str:
    """Reboot a host as its own `systemctl reboot` does and wait until sshd answers again; one that is off is switched on.

    Returns:
        the new boot id.
    Raises:
        LabError: it did not come back.
    """
    host = rack.host(name)
    if is_on(rack, host):
        before = host.boot_id()
        host.ssh(["systemctl", "reboot"], user="root")
        return waiting.for_new_boot(host, before)
    power_on(rack, host)
    waiting.for_sshd(host)
    return host.boot_id()
