"""Faults of a host, each undone by `clear`: a pulled cable, a dead sshd, a full disk, apt's lock in other hands."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from ringup.errors import LabError, UsageError
from ringup.lab import cgroups, disk, inside, machine, state, waiting
from ringup.lab.plan import LabHost, Rack

FaultKind = Literal["link-down", "kill-sshd", "disk-full", "apt-lock"]

LOCK_FILE = "/var/lib/dpkg/lock-frontend"
RELEASE_PIPE = "/run/ringup-lab-apt-lock"
LIMIT_S = 30.0
PAUSE_S = 0.05

# Holds the lock as dpkg's own tools take it (fcntl) until somebody opens the pipe, under the name of the usual culprit.
LOCK_HOLDER = f"""\
import fcntl, os, sys
open("/proc/self/comm", "w").write("unattended-upgr")
lock = open("{LOCK_FILE}", "w")
fcntl.lockf(lock, fcntl.LOCK_EX)
os.mkfifo("{RELEASE_PIPE}", 0o600)
sys.stdout.write("held\\n")
sys.stdout.flush()
open("{RELEASE_PIPE}").read()
os.unlink("{RELEASE_PIPE}")
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """Something that was broken on purpose.

    Attributes:
        host: name of the host.
        kind: what was done to it.
        value: the interface of a `link-down`; empty for the others.
    """

    host: str
    kind: FaultKind
    value: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.value}".strip()


def change(rack: Rack, name: str, asked: Mapping[FaultKind, str | bool], *, link_up: str = "", mend_all: bool = False) -> list[str]:
    """All that one `lab.fault` command asks of a host: what is to be mended first, then what is to be broken.

    Args:
        asked: by kind: the interface of a `link-down`, True or False for the others.
        link_up: an interface to put back.
        mend_all: undo everything.
    Returns:
        a line for each thing done.
    Raises:
        UsageError: nothing was asked for.
    """
    wanted = {kind: value if isinstance(value, str) else "" for kind, value in asked.items() if value}
    if not (wanted or link_up or mend_all):
        raise UsageError("no fault was named", where="lab.fault", hint=f"choose from --{', --'.join(MAKERS)}, --link-up, --clear")
    lines = []
    if mend_all:
        mended = clear(rack, name)
        lines += [f"{name}: {known} undone" for known in mended] or [f"{name}: no faults were in place"]
    if link_up:
        mend_link(rack, name, link_up)
        lines.append(f"{name}: {link_up} has its cable back")
    option = "" if rack.name == "lab" else f" --name {rack.name}"
    for kind, value in wanted.items():
        lines.append(f"{name}: {fault(rack, name, kind, value)}; undo with: invoke lab.fault {name} --clear{option}")
    return lines


def fault(rack: Rack, name: str, kind: FaultKind, value: str = "") -> Fault:
    """Break something on a host; recorded first, so that `clear` undoes it whatever happens in between.

    Raises:
        UsageError: no such host or interface.
        LabError: the host is off, or the fault could not be made.
    """
    host = rack.host(name)
    wanted = Fault(name, kind, value)
    make = MAKERS[kind]
    if kind == "link-down":
        link_of(host, value)
    with state.locked(rack.name):
        known = recorded(rack)
        _write(rack, [*(other for other in known if other != wanted), wanted])
    make(rack, host, value)
    return wanted


def mend_link(rack: Rack, name: str, interface: str) -> None:
    """Undo one `link-down`."""
    _undo(rack, Fault(name, "link-down", interface))


def clear(rack: Rack, name: str) -> list[Fault]:
    """Undo all faults of a host; returns what was undone."""
    rack.host(name)
    faults = [known for known in recorded(rack) if known.host == name]
    for known in faults:
        _undo(rack, known)
    return faults


def recorded(rack: Rack) -> list[Fault]:
    """The faults that are in place on a rack, in the order they were made."""
    try:
        return [Fault(**fields) for fields in json.loads(_file(rack).read_text())]
    except FileNotFoundError:
        return []


def _undo(rack: Rack, known: Fault) -> None:
    MENDERS[known.kind](rack, rack.host(known.host), known.value)
    with state.locked(rack.name):
        _write(rack, [other for other in recorded(rack) if other != known])


def _file(rack: Rack) -> Path:
    return rack.folder / "faults.json"


def _write(rack: Rack, faults: list[Fault]) -> None:
    state.replace(_file(rack), json.dumps([dataclasses.asdict(known) for known in faults]) + "\n")


def link_of(host: LabHost, interface: str) -> str:
    """The machine's end of a host's interface: what the host sees when it goes down is a pulled cable.

    Raises:
        UsageError: hosts have `eth0` and `eth1` only.
    """
    links = {"eth0": host.management_link, "eth1": host.ring_link}
    if interface not in links:
        raise UsageError(
            f"{host.name} has no interface {interface!r}", where="--link-down", hint="eth0 is the management network, eth1 the ring"
        )
    return links[interface]


def _pull(rack: Rack, host: LabHost, interface: str) -> None:
    machine.run("ip", "link", "set", link_of(host, interface), "down")


def _plug(rack: Rack, host: LabHost, interface: str) -> None:
    machine.run("ip", "link", "set", link_of(host, interface), "up")


def _kill_sshd(rack: Rack, host: LabHost, _: str) -> None:
    """Kill sshd and all that logged in through it, and keep systemd from starting it again."""
    if rack.spec.plain:
        raise LabError("a plain host is nothing but its sshd", where=host.name, hint="use --link-down eth0 to lose it")
    inside.run(rack, host, "systemctl", "mask", "--runtime", "ssh.service")
    # sessions live in the same cgroup: systemd kills it whole, children of the sessions too
    inside.run(rack, host, "systemctl", "kill", "--kill-whom=all", "--signal=KILL", "ssh.service")


def _start_sshd(rack: Rack, host: LabHost, _: str) -> None:
    if inside.first_process(rack, host) is None:
        return  # off: the mask was in /run, and the next boot does not know of it
    inside.run(rack, host, "systemctl", "unmask", "--runtime", "ssh.service")
    inside.run(rack, host, "systemctl", "reset-failed", "ssh.service", check=False)
    inside.run(rack, host, "systemctl", "start", "ssh.service")
    waiting.for_boot(host)


def _fill(rack: Rack, host: LabHost, _: str) -> None:
    disk.fill(host)


def _drain(rack: Rack, host: LabHost, _: str) -> None:
    disk.drain(host)


def _hold_apt_lock(rack: Rack, host: LabHost, _: str) -> None:
    """Return when the lock is held by a process of the host."""
    if inside.path(rack, host, RELEASE_PIPE).exists():
        return
    log = rack.folder / "log"
    with (
        log.open("ab") as errors,
        subprocess.Popen(
            ["setsid", "--fork", *inside.entered(rack, host, "python3", "-c", LOCK_HOLDER)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=machine.environment(),
            preexec_fn=lambda: cgroups.join(f"{rack.cgroup}/faults"),  # ends with the rack
        ) as starter,
    ):
        assert starter.stdout
        if starter.stdout.readline().strip() != b"held":
            raise LabError("apt's lock could not be taken", where=host.name, hint=f"see {log}")


def _release_apt_lock(rack: Rack, host: LabHost, _: str) -> None:
    if inside.first_process(rack, host) is None:
        return
    pipe = inside.path(rack, host, RELEASE_PIPE)
    with contextlib.suppress(OSError):  # no pipe or no reader: nobody holds the lock
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    end = time.monotonic() + LIMIT_S
    while pipe.exists() and time.monotonic() < end:
        time.sleep(PAUSE_S)


Maker = Callable[[Rack, LabHost, str], None]
MAKERS: Mapping[FaultKind, Maker] = {
    "link-down": _pull,
    "kill-sshd": _kill_sshd,
    "disk-full": _fill,
    "apt-lock": _hold_apt_lock,
}
MENDERS: Mapping[FaultKind, Maker] = {
    "link-down": _plug,
    "kill-sshd": _start_sshd,
    "disk-full": _drain,
    "apt-lock": _release_apt_lock,
}
