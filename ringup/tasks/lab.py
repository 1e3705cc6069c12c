"""The rehearsal rack: a rack of real sshd hosts with simulated GPUs on this machine."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.collection import Collection
from invoke.context import Context
from invoke.tasks import task

from ringup.tasks.later import later
from ringup.tasks.running import help_instead, shown_errors, whole

if TYPE_CHECKING:
    from ringup.lab import faults, overview, rack
    from ringup.lab import inventory as lab_inventory
    from ringup.lab import ssh as openssh
else:
    faults, overview, rack = later("ringup.lab.faults"), later("ringup.lab.overview"), later("ringup.lab.rack")
    lab_inventory, openssh = later("ringup.lab.inventory"), later("ringup.lab.ssh")

NAME = "the rack's name"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


@task(
    auto_shortflags=False,
    help={
        "name": NAME + "; the inventory is written to inventory/NAME.yaml",
        "hosts": "how many hosts",
        "gpus": "what each host has on its PCI bus: 8xH100, 4xA100-PCIE ..., none, or host for this machine's own",
        "release": "Debian of the hosts: bookworm or trixie",
        "plain": "hosts without systemd, for machines that have no systemd-nspawn or cannot get an image",
        "inventory": "where to write the inventory instead",
    },
)
def up(
    _: Context,
    name: str = "lab",
    hosts: str = "4",
    gpus: str = "8xH100",
    release: str = "bookworm",
    plain: bool = False,
    inventory: str = "",
) -> None:
    """Make a rehearsal rack on this machine and write its inventory."""
    with shown_errors():
        begun = time.monotonic()
        spec = rack.RackSpec(name, whole("--hosts", hosts) or 4, gpus, release, plain)
        path = Path(inventory) if inventory else lab_inventory.default_path(name)
        made = rack.up(spec, inventory_file=path, say=say)
        say(overview.welcome(made.name, len(made.hosts), path, time.monotonic() - begun))


@task(auto_shortflags=False, help={"name": NAME})
def down(_: Context, name: str = "lab") -> None:
    """Remove a rehearsal rack and all that it made; also one that was half made."""
    with shown_errors():
        say(f"the rack {name} is gone" if rack.down(name) else f"there is no rack {name}")


@task(auto_shortflags=False, name="list", help={"format": "text or json"})
def list_(_: Context, format: str = "text") -> None:
    """Show the rehearsal racks of this machine, their hosts, and the faults in place."""
    with shown_errors():
        rows = [overview.of(name) for name in rack.names()]
        say(json.dumps(rows, indent=2) if format == "json" else overview.text(rows))


@task(
    auto_shortflags=False,
    positional=["host"],
    help={
        "host": "which host",
        "command": "run this instead of a shell",
        "user": "operator, secured (sudo asks for a password) or root",
        "name": NAME,
    },
)
def ssh(_: Context, host: str, command: str = "", user: str = "operator", name: str = "lab") -> None:
    """Log in to a host of a rehearsal rack, or run one command there."""
    help_instead("lab.ssh", host)
    with shown_errors():
        argv = openssh.command(rack.load(name).host(host).login, user, command)
    sys.stdout.flush()
    os.execvp(argv[0], argv)


@task(auto_shortflags=False, positional=["host"], help={"host": "which host", "name": NAME})
def reboot(_: Context, host: str, name: str = "lab") -> None:
    """Reboot a host and wait until it answers; one that was powered off is switched on."""
    help_instead("lab.reboot", host)
    with shown_errors():
        say(f"{host} is up again, boot id {rack.reboot(rack.load(name), host)}")


@task(
    auto_shortflags=False,
    positional=["host"],
    help={
        "host": "which host",
        "link_down": "pull the cable of this interface (eth0 or eth1)",
        "link_up": "put it back",
        "kill_sshd": "kill sshd and all sessions, and keep it from starting",
        "disk_full": "leave no free block on the host's disk",
        "apt_lock": "let another process hold apt's lock",
        "clear": "undo all faults of the host",
        "name": NAME,
    },
)
def fault(
    _: Context,
    host: str,
    link_down: str = "",
    link_up: str = "",
    kill_sshd: bool = False,
    disk_full: bool = False,
    apt_lock: bool = False,
    clear: bool = False,
    name: str = "lab",
) -> None:
    """Break something on a host on purpose, or mend it."""
    help_instead("lab.fault", host)
    with shown_errors():
        here = rack.load(name)
        asked: dict[faults.FaultKind, str | bool] = {
            "link-down": link_down,
            "kill-sshd": kill_sshd,
            "disk-full": disk_full,
            "apt-lock": apt_lock,
        }
        for line in faults.change(here, host, asked, link_up=link_up, mend_all=clear):
            say(line)


namespace = Collection("lab", up, down, list_, ssh, reboot, fault)
