"""Starts the processes of a rack that stay: a supervisor for each host, and the server of the driver repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ringup
from ringup.errors import LabError
from ringup.lab import cgroups, inside, machine, nspawn, parts, plain, processes, serving, supervisor, waiting
from ringup.lab.plan import REPOSITORY_PORT, LabHost, Rack

# reboot(2) as process 1's namespace sees it; a plain host has no systemd that would do this
RESTART_AUTOBOOT = 0x1234567
REBOOT = f"import ctypes; ctypes.CDLL(None).reboot({RESTART_AUTOBOOT})"


def on(rack: Rack, host: LabHost) -> None:
    """Start the supervisor of a host that is off; it does not wait for the host."""
    cgroups.kill(f"{rack.cgroup}/{host.name}")  # what a supervisor that was killed left running, which must not run twice
    builder = plain.command if rack.spec.plain else nspawn.command
    _stay(rack, "ringup.lab.supervisor", rack.cgroup, host.name, *builder(host, parts.pci_folder(host, rack.spec.gpus)))


def is_on(rack: Rack, host: LabHost) -> bool:
    """Whether a host's supervisor runs: the host is up, or rebooting."""
    handle = processes.recorded(supervisor.record_of(rack.folder, host.name))
    return handle is not None and handle.alive


def reboot(rack: Rack, host: LabHost) -> str:
    """Reboot a host from its own inside and wait until sshd answers again; one that is off is switched on.

    Returns:
        the new boot id.
    Raises:
        LabError: it did not come back.
    """
    first = inside.first_process(rack, host)
    if first is None:
        on(rack, host)
        return waiting.for_boot(host)
    before = waiting.for_boot(host)
    if rack.spec.plain:
        machine.run("nsenter", f"--target={first}", "--pid", sys.executable, "-c", REBOOT, check=False)
    else:
        inside.run(rack, host, "systemctl", "reboot")
    return waiting.for_boot(host, other_than=before)


def serve_repository(rack: Rack, folder: Path) -> None:
    """Start serving the driver repository and return when it answers.

    Raises:
        LabError: it did not answer.
    """
    _stay(rack, "ringup.lab.serving", rack.cgroup, rack.gateway, str(REPOSITORY_PORT), str(folder))
    record = rack.folder / "processes" / serving.RECORD
    if not waiting.until(lambda: waiting.listens(rack.gateway, REPOSITORY_PORT)):
        started = "it runs" if record.exists() else "it did not even start"
        raise LabError(f"the driver repository is not served ({started})", where=rack.gateway, hint=f"see {log_of(rack)}")


def log_of(rack: Rack) -> Path:
    """What the rack's own processes write: requests to the repository, and their last words."""
    return rack.folder / "log"


def _stay(rack: Rack, module: str, *arguments: str) -> None:
    """Start one of our modules so that it outlives this process."""
    package_folder = str(Path(ringup.__file__).resolve().parent.parent)
    with log_of(rack).open("ab") as log:
        # setsid forks: nobody here has to wait for it, and Ctrl-C in the terminal of lab.up is not for the hosts
        subprocess.run(
            ["setsid", "--fork", sys.executable, "-m", module, str(rack.folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={**machine.environment(), "PYTHONPATH": package_folder},
            check=True,
        )
