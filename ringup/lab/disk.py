"""A host's disk: a filesystem of its own, as large as promised and no larger, under an overlay over the image.

The filesystem is ext4 in a sparse file where loop devices can be had, and a tmpfs where they cannot. Either can be
filled to the last block from outside, which is how a full disk is rehearsed without filling the machine's.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ringup.errors import LabError
from ringup.lab import machine
from ringup.lab.plan import LabHost

SIZE_BYTES = 16 * 2**30
TMPFS_SIZE_BYTES = 4 * 2**30
SMALLEST_PIECE_BYTES = 4096

# without a journal: a rehearsal's disk does not outlive the machine's crash, and 32 journals cost threads and writes
FORMAT = ("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-E", "lazy_itable_init=1,nodiscard,root_owner=0:0")


def template(folder: Path) -> Path:
    """An empty formatted disk that all hosts of a rack start from."""
    path = folder / "empty.ext4"
    with path.open("wb") as file:
        file.truncate(SIZE_BYTES)
    machine.run(*FORMAT, path)
    return path


def mount(host: LabHost, lower: Path, empty: Path) -> None:
    """Mount a host's new disk and the overlay on it.

    Args:
        lower: the file tree to begin with, never written to.
        empty: what `template` made.
    """
    for folder in (disk_of(host), host.root):
        folder.mkdir(parents=True, exist_ok=True)
    machine.run("cp", "--sparse=always", empty, host.folder / "disk.ext4")
    looped = machine.run("mount", "-o", "loop,discard", host.folder / "disk.ext4", disk_of(host), check=False)
    if looped.returncode:
        machine.run("mount", "-t", "tmpfs", "-o", f"size={TMPFS_SIZE_BYTES},mode=755", "tmpfs", disk_of(host))
    upper, scratch = disk_of(host) / "upper", disk_of(host) / "scratch"
    upper.mkdir()
    scratch.mkdir()
    layers = f"lowerdir={lower},upperdir={upper},workdir={scratch}"
    machine.run("mount", "-t", "overlay", f"ringup-{host.rack}-{host.name}", "-o", layers, host.root)


def disk_of(host: LabHost) -> Path:
    """Where the host's own filesystem is mounted on this machine; the overlay's upper folder is in it."""
    return host.folder / "disk"


def fill(host: LabHost) -> None:
    """Leave not one free block on the host's disk."""
    if _is_tmpfs(host):
        _resize_tmpfs(host, _used_bytes(host))
        return
    with (disk_of(host) / "ballast").open("ab") as ballast:
        piece = SIZE_BYTES
        while piece >= SMALLEST_PIECE_BYTES:
            try:
                os.posix_fallocate(ballast.fileno(), os.fstat(ballast.fileno()).st_size, piece)
            except OSError:
                piece //= 2


def drain(host: LabHost) -> None:
    """Give back what `fill` took."""
    if _is_tmpfs(host):
        _resize_tmpfs(host, TMPFS_SIZE_BYTES)
    (disk_of(host) / "ballast").unlink(missing_ok=True)


def _is_tmpfs(host: LabHost) -> bool:
    return machine.run("stat", "--file-system", "--format=%T", disk_of(host)).stdout.strip() == "tmpfs"


def _used_bytes(host: LabHost) -> int:
    taken = os.statvfs(disk_of(host))
    return (taken.f_blocks - taken.f_bfree) * taken.f_frsize


def _resize_tmpfs(host: LabHost, size_bytes: int) -> None:
    machine.run("mount", "-o", f"remount,size={size_bytes}", disk_of(host))


def mounts_below(folder: Path) -> list[Path]:
    """Mount points at or below a folder, the deepest and latest first."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    points = [Path(line.split()[4].encode().decode("unicode_escape")) for line in reversed(lines)]
    return sorted((point for point in points if point.is_relative_to(folder)), key=lambda path: len(path.parts), reverse=True)


def remove(folder: Path) -> None:
    """Remove a rack's folder.

    Raises:
        LabError: something is still mounted below it; removing it then would remove what the mount shows.
    """
    mounted = mounts_below(folder)
    if mounted:
        points = ", ".join(map(str, mounted))
        raise LabError(f"still mounted: {points}", where=str(folder), hint="see which process uses it with `fuser -vm`")
    shutil.rmtree(folder, ignore_errors=True)
