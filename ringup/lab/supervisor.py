"""The power supply of one host: boots it, boots it again after a reboot, leaves it off after a poweroff.

    python -m ringup.lab.supervisor RACK_FOLDER CGROUP HOST COMMAND...

It records itself before it starts anything, so that `down` finds it, and boots the host in a cgroup named after the rack,
which is how the host is ended: a systemd that has lost its nspawn lives on.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from ringup.lab import cgroups, processes, state

# systemd-nspawn ends with 133 when its system asked for a reboot. In a plain host the kernel ends process 1 with SIGHUP
# for reboot(2) and with SIGINT for a poweroff (reboot(2), "Behavior inside PID namespaces").
REBOOT_STATUSES = (133, -signal.SIGHUP, 128 + signal.SIGHUP)


def record_of(folder: Path, host: str) -> Path:
    """Where the supervisor of a host is recorded."""
    return folder / "processes" / f"{host}.json"


def main(argv: list[str]) -> int:
    folder, cgroup, host, command = Path(argv[0]), argv[1], argv[2], argv[3:]
    own = record_of(folder, host)
    handle = processes.handle_of(os.getpid())
    if handle is None or not own.parent.is_dir():
        return 1
    processes.record(own, handle)
    # Recorded first, asked second: a `down` that missed the record has written its phase before it looked.
    while state.phase_of(folder) in ("making", "up"):
        status = boot(command, f"{cgroup}/{host}", folder / "hosts" / host / "console")
        if status not in REBOOT_STATUSES:
            break
    own.unlink(missing_ok=True)
    return 0


def boot(command: list[str], cgroup: str, console: Path) -> int:
    """Run the host once, from power on to power off; what it prints goes to its console."""

    def enter() -> None:
        processes.die_with_parent()
        cgroups.join(cgroup)

    with console.open("ab") as log:
        log.write(f"--- power on {time.strftime('%H:%M:%S')}\n".encode())
        log.flush()
        status = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=enter)
        log.write(f"--- ended with status {status}\n".encode())
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
