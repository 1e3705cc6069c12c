"""Processes by handle: a pid together with its start time, so that a number used again is never mistaken for ours."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Handle:
    """A process that cannot be confused with a later one.

    Attributes:
        pid: its number on this machine.
        started: its start in clock ticks since the machine's boot: field 22 of `/proc/PID/stat`.
    """

    pid: int
    started: int

    @property
    def alive(self) -> bool:
        return start_of(self.pid) == self.started


def start_of(pid: int) -> int | None:
    """Start time of a process in clock ticks; None when there is no such process or only its corpse is left."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold blanks and brackets
    return None if fields[0] in "ZX" else int(fields[19])


def handle_of(pid: int) -> Handle | None:
    started = start_of(pid)
    return None if started is None else Handle(pid, started)


def record(path: Path, handle: Handle) -> None:
    """Write a handle where `recorded` finds it; whole or not at all."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    scratch.write_text(json.dumps({"pid": handle.pid, "started": handle.started}))
    scratch.replace(path)


def recorded(path: Path) -> Handle | None:
    """The handle in a file; None when there is none."""
    try:
        fields = json.loads(path.read_text())
        return Handle(int(fields["pid"]), int(fields["started"]))
    except (OSError, ValueError, KeyError):
        return None


def kill(handle: Handle, number: signal.Signals = signal.SIGKILL, wait_s: float = 5) -> bool:
    """End a process, if it is still the one that was recorded, and wait until it is gone.

    Returns:
        whether it is gone.
    """
    try:
        descriptor = os.pidfd_open(handle.pid)
    except ProcessLookupError:
        return True
    try:
        if not handle.alive:  # checked after the pidfd was opened: from here on it means this very process
            return True
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, number)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(wait_s * 1000))
    finally:
        os.close(descriptor)


def die_with_parent() -> None:
    """For a child about to exec: the kernel kills it when the thread that started it ends, however that happens."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
