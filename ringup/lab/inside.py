"""Commands inside a host without its sshd: through its namespaces, as a hand on the console would."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ringup.errors import LabError
from ringup.lab import machine, processes, supervisor
from ringup.lab.plan import LabHost, Rack


def first_process(rack: Rack, host: LabHost) -> int | None:
    """This machine's number of the host's process 1; None when the host is off."""
    handle = processes.recorded(supervisor.record_of(rack.folder, host.name))
    waiting = [handle.pid] if handle and handle.alive else []
    while waiting:
        pid = waiting.pop()
        if _is_first(pid):
            return pid
        waiting += _children(pid)
    return None


def _is_first(pid: int) -> bool:
    """Whether a process is number 1 of a pid namespace below this machine's."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    numbers = next(line for line in lines if line.startswith("NSpid:")).split()[1:]
    return len(numbers) > 1 and numbers[-1] == "1"


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def entered(rack: Rack, host: LabHost, *argv: str) -> list[str]:
    """The command line that runs `argv` inside a host.

    Raises:
        LabError: the host is off.
    """
    first = first_process(rack, host)
    if first is None:
        raise LabError("the host is off", where=host.name, hint=f"switch it on: invoke lab.reboot {host.name}")
    return ["nsenter", f"--target={first}", "--all", "--root", "--wd", *argv]


def run(rack: Rack, host: LabHost, *argv: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command inside a host as root and wait for it.

    Raises:
        LabError: the host is off, or the command failed and `check` is set.
    """
    return machine.run(*entered(rack, host, *argv), check=check)


def path(rack: Rack, host: LabHost, absolute: str) -> Path:
    """A path of the host as this machine reaches it, the host's own mounts (`/run`, `/tmp`) included."""
    first = first_process(rack, host)
    if first is None:
        raise LabError("the host is off", where=host.name, hint=f"switch it on: invoke lab.reboot {host.name}")
    return Path(f"/proc/{first}/root") / absolute.lstrip("/")
