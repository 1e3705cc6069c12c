"""Mounted file systems, each asked with a deadline: a file server that is gone must not hold the facts up."""

import json
import os
import select
import signal
import time

from .reading import names, text

#: what the kernel keeps for itself, and what can never be full
PSEUDO = frozenset(
    (
        "autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs", "efivarfs", "fusectl",
        "hugetlbfs", "mqueue", "nsfs", "proc", "pstore", "ramfs", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs",
    )
)  # fmt: skip
#: these may be asked here and now; whatever else there is may hang
LOCAL = frozenset(
    (
        "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "vfat", "exfat", "ntfs3", "iso9660", "squashfs", "erofs", "tmpfs",
        "overlay",
    )
)  # fmt: skip
LIMIT_S = 2.0
BY_UUID = "/dev/disk/by-uuid"


def mounts(host):
    """Mounts of devices and file servers, with their sizes; one that does not answer says so in `note`."""
    rows = [row for row in _rows() if row["fstype"] not in PSEUDO and _counts(row)]
    uuids = {os.path.realpath(os.path.join(BY_UUID, name)): name for name in names(BY_UUID)}
    for row in rows:
        row["uuid"] = uuids.get(os.path.realpath(row["device"]), "N/A") if row["device"].startswith("/") else "N/A"
    limit = time.monotonic() + LIMIT_S
    waiting = []
    for row in rows:
        if row["fstype"] in LOCAL:
            row.update(size_of(row["mount"]) or {})
        else:
            waiting.append((row, *_ask(row["mount"])))
    for row, pid, pipe in waiting:
        answer = _answer(pid, pipe, limit)
        row.update({"note": "Could not get extra information due to timeout"} if answer is None else answer)
    return {"mounts": rows}


def _rows():
    found = []
    for line in text("/proc/self/mounts").splitlines():
        words = [_plain(word) for word in line.split()]
        if len(words) >= 6:
            found.append({"device": words[0], "mount": words[1], "fstype": words[2], "options": words[3], "dump": 0, "passno": 0})
    return found


def _plain(word):
    """Blanks and backslashes are octal in /proc/mounts (getmntent(3))."""
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        word = word.replace(escape, character)
    return word


def _counts(row):
    """What has a device or a server behind it, as Ansible lists it; and a container's root, which can be full like any other."""
    device, kind = row["device"], row["fstype"]
    return row["mount"] == "/" or device.startswith(("/", "\\")) or ":/" in device or kind in ("zfs", "9p", "virtiofs", "lustre")


def size_of(path):
    """Blocks and inodes by Ansible's names; None where the path cannot be asked."""
    try:
        told = os.statvfs(path)
    except OSError:
        return None
    return {
        "block_size": told.f_bsize,
        "block_total": told.f_blocks,
        "block_available": told.f_bavail,
        "block_used": told.f_blocks - told.f_bavail,
        "inode_total": told.f_files,
        "inode_available": told.f_favail,
        "inode_used": told.f_files - told.f_favail,
        "size_total": told.f_frsize * told.f_blocks,
        "size_available": told.f_frsize * told.f_bavail,
    }


def _ask(path):
    """Ask in a process of its own; gives its pid and the pipe of its answer. One that hangs is left to the kernel."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        os.write(writer, json.dumps(size_of(path) or {}).encode())
    finally:
        os._exit(0)


def _answer(pid, pipe, limit):
    ready, _, _ = select.select([pipe], [], [], max(0.0, limit - time.monotonic()))
    answer = os.read(pipe, 4096) if ready else b""
    os.close(pipe)
    if not ready:
        os.kill(pid, signal.SIGKILL)
        # asleep in the kernel it cannot be killed; it ends when the server answers, and must not be waited for
        os.waitpid(pid, os.WNOHANG)
        return None
    os.waitpid(pid, 0)
    return json.loads(answer.decode() or "{}")
