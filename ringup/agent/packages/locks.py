"""Waiting for the locks of dpkg and apt, with the name of who holds them."""

import errno
import fcntl
import os
import struct
import time

from ..failure import ModuleFailure

#: all that apt-get and dpkg may wait for or fail on
LOCKS = ("/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/lib/apt/lists/lock", "/var/cache/apt/archives/lock")
POLL_S = 0.5
#: struct flock of 64-bit Linux: l_type, l_whence, l_start, l_len, l_pid
FLOCK = "hhlli"


class Holder:
    """Who holds a lock: process id, its command name, the lock's path."""

    def __init__(self, pid, name, path):
        self.pid = pid
        self.name = name
        self.path = path

    def __str__(self):
        return "PID %d %s" % (self.pid, self.name)


def holder_of(path):
    """Ask the kernel who holds a file's lock, without taking it; None when it is free."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EACCES, errno.EROFS):
            return None
        raise
    try:
        asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, _, _, _, pid = struct.unpack(FLOCK, fcntl.fcntl(handle, fcntl.F_GETLK, asked))
    finally:
        os.close(handle)
    return None if kind == fcntl.F_UNLCK else Holder(pid, _name_of(pid), path)


def _name_of(pid):
    try:
        with open("/proc/%d/comm" % pid) as stream:
            return stream.read().strip()
    except OSError:
        return "(a process that cannot be seen from here)"


def holder():
    """The first of the locks that is held, or None when all are free."""
    return next((found for found in map(holder_of, LOCKS) if found is not None), None)


def wait(host, limit_s):
    """Wait until all locks are free, and tell the operator who has them.

    Raises:
        ModuleFailure: one is still held after `limit_s` seconds.
    """
    begin = time.monotonic()
    while True:
        found = holder()
        if found is None:
            return
        waited_s = time.monotonic() - begin
        if waited_s >= limit_s:
            raise still_held(found, limit_s)
        host.progress("waiting for apt's lock, held by %s, since %.0f s" % (found, waited_s))
        time.sleep(min(POLL_S, max(0.0, limit_s - waited_s)))


def still_held(found, limit_s):
    return ModuleFailure(
        "apt's lock %s is still held by %s after %.0f s" % (found.path, found, limit_s),
        hint="let it finish (often unattended-upgrades or cloud-init), look at it with 'ps -fp %d', or raise lock_timeout" % found.pid,
        lock=found.path,
        lock_pid=found.pid,
        lock_holder=found.name,
    )
