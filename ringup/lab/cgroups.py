"""A rack's processes in cgroups of its own: hosts do not see each other's, and all of them can be ended at once."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")


def hierarchies() -> tuple[Path, ...]:
    """The hierarchies that systemd uses here: one on cgroup2 machines, two on hybrid ones, none where they are read-only."""
    unified = (MOUNT,) if (MOUNT / "cgroup.controllers").exists() else (MOUNT / "unified", MOUNT / "systemd")
    return tuple(root for root in unified if (root / "cgroup.procs").exists() and os.access(root / "cgroup.procs", os.W_OK))


def join(name: str) -> None:
    """Put this process into a cgroup, which is made if need be, in each hierarchy."""
    for root in hierarchies():
        group = root / name
        group.mkdir(parents=True, exist_ok=True)
        (group / "cgroup.procs").write_text(str(os.getpid()))


def exists(name: str) -> bool:
    return any((root / name).exists() for root in hierarchies())


def members(name: str) -> set[int]:
    """Processes in a cgroup and below it."""
    found: set[int] = set()
    for root in hierarchies():
        for procs in (root / name).rglob("cgroup.procs"):
            with contextlib.suppress(OSError):
                found.update(int(word) for word in procs.read_text().split())
    return found


def kill(name: str) -> None:
    """Kill all processes in a cgroup and below it; the kernel does it at once where it can (5.14 and later)."""
    for root in hierarchies():
        with contextlib.suppress(OSError):
            (root / name / "cgroup.kill").write_text("1")
    for pid in members(name):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def remove(name: str) -> None:
    """Remove an empty cgroup with what is below it; one that still has a process stays."""
    for root in hierarchies():
        folders = [folder for folder in (root / name).rglob("*") if folder.is_dir()]
        for folder in [*sorted(folders, key=lambda path: len(path.parts), reverse=True), root / name]:
            with contextlib.suppress(OSError):
                folder.rmdir()
