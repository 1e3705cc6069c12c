"""Waits for hosts: on the condition itself, with a limit, and with the console in the error."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Callable

from ringup.errors import LabError
from ringup.lab.plan import LabHost

BOOT_LIMIT_S = 120.0
LIMIT_S = 30.0
PAUSE_S = 0.05
ATTEMPT_LIMIT_S = 10.0
CONSOLE_LINES = 15


def until(condition: Callable[[], bool], limit_s: float = LIMIT_S, given_up: threading.Event | None = None) -> bool:
    """Wait until a condition holds.

    Args:
        condition: asked again and again, with a short pause.
        limit_s: how long to ask.
        given_up: set by whoever no longer needs the answer; ends the wait early.
    Returns:
        whether it held.
    """
    end = time.monotonic() + limit_s
    stop = given_up or threading.Event()
    while not condition():
        if time.monotonic() > end or stop.wait(PAUSE_S):
            return False
    return True


def listens(address: str, port: int) -> bool:
    """Whether a TCP port takes connections."""
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True


def boot_of(host: LabHost) -> str | None:
    """The host's boot id, when its sshd answers with the host's own key and lets root in; None otherwise."""
    if not listens(host.address, 22):  # far cheaper than a client that is refused
        return None
    try:
        answer = host.ssh(["cat", "/proc/sys/kernel/random/boot_id"], user="root", timeout_s=ATTEMPT_LIMIT_S)
    except subprocess.TimeoutExpired:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def for_boot(host: LabHost, *, other_than: str = "", limit_s: float = BOOT_LIMIT_S, given_up: threading.Event | None = None) -> str:
    """Wait until a host lets us in.

    Args:
        other_than: id of a boot that does not count.
        given_up: ends the wait early.
    Returns:
        the boot id.
    Raises:
        LabError: it did not within the limit; the hint is the end of its console.
    """
    seen = ""

    def booted() -> bool:
        nonlocal seen
        seen = boot_of(host) or ""
        return seen not in ("", other_than)

    if not until(booted, limit_s, given_up):
        hint = f"its console ({host.console}) ends:\n{console_tail(host)}"
        raise LabError(f"sshd did not answer within {limit_s:.0f} s", where=host.name, hint=hint)
    return seen


def console_tail(host: LabHost) -> str:
    try:
        lines = host.console.read_text(errors="replace").splitlines()
    except OSError:
        return "(nothing was printed)"
    return "\n".join(lines[-CONSOLE_LINES:])
