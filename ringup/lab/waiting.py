"""Waits for hosts: on the condition itself, with a limit, and with the console in the error."""

from __future__ import annotations

import subprocess
import time

from ringup.errors import LabError
from ringup.lab.plan import LabHost

BOOT_LIMIT_S = 120.0
PAUSE_S = 0.1
ATTEMPT_LIMIT_S = 10.0
CONSOLE_LINES = 15


def attempt(host: LabHost) -> str | None:
    """The host's boot id, when its sshd answers with the host's own key and lets root in; None otherwise."""
    try:
        answer = host.ssh(["cat", "/proc/sys/kernel/random/boot_id"], user="root", timeout_s=ATTEMPT_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def for_sshd(host: LabHost, limit_s: float = BOOT_LIMIT_S) -> None:
    """Wait until a host lets us in.

    Raises:
        LabError: it did not within the limit.
    """
    for_new_boot(host, "", limit_s)


def for_new_boot(host: LabHost, before: str, limit_s: float = BOOT_LIMIT_S) -> str:
    """Wait until a host lets us in and is in another boot than before.

    Args:
        before: boot id that does not count; empty when any will do.
    Returns:
        the boot id.
    Raises:
        LabError: it did not within the limit; the hint is the end of its console.
    """
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        now = attempt(host)
        if now is not None and now != before:
            return now
        time.sleep(PAUSE_S)
    raise LabError(
        f"sshd did not answer within {limit_s:.0f} s", where=host.name, hint=f"its console ({host.console}) ends:\n{console_tail(host)}"
    )


def console_tail(host: LabHost) -> str:
    try:
        lines = host.console.read_text(errors="replace").splitlines()
    except OSError:
        return "(nothing was printed)"
    return "\n".join(lines[-CONSOLE_LINES:])
