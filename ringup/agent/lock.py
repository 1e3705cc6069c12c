"""One run per host at a time; who holds the host is written in the lock."""

import errno
import fcntl
import json
import os
import stat

#: not by TMPDIR: all users must meet at one place; the second is for a disk that is full or read-only
PATHS = ("/tmp/ringup.lock", "/dev/shm/ringup.lock")


class HostLock:
    """A lock file that every user of the host can take, released by the kernel when its holder and its tasks have ended.

    A run takes it exclusively, writes itself down, and then shares it, with its own later agents only: an agent that finishes its task
    behind a lost connection and the one that came after it hold it together, so that no other run slips in between.

    Args:
        paths: the file, and where else when it cannot be made.
    """

    def __init__(self, paths=PATHS):
        self._paths = paths
        self._handle = None

    def take(self, holder):
        """Take the lock, or say who has it.

        Args:
            holder: {run, user, host, pid, since}: shown to whoever finds the lock taken.
        Returns:
            None when it is ours, else what its holder wrote ({} when that cannot be read).
        """
        self.release()
        handle = self._open()
        if _locked(handle, fcntl.LOCK_EX) and not self._write(handle, holder):
            # nobody can read who we are, so nobody may share
            self._handle = handle
            return None
        held = self._read(handle)
        if held.get("run") == holder.get("run") and _locked(handle, fcntl.LOCK_SH):
            # between the look and the lock another run may have come and gone
            held = self._read(handle)
            if held.get("run") == holder.get("run"):
                self._handle = handle
                return None
        os.close(handle)
        return held

    def release(self):
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self):
        for path in self._paths[:-1]:
            try:
                return _opened(path)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOENT):
                    raise
        return _opened(self._paths[-1])

    @staticmethod
    def _read(handle):
        try:
            return dict(json.loads(os.pread(handle, 4096, 0).decode("utf-8", "replace")))
        except (OSError, ValueError):
            return {}

    @staticmethod
    def _write(handle, holder):
        """Over the old text, cut behind it: on a full disk the block that is there can still be written. False when it cannot."""
        text = json.dumps(holder).encode()
        try:
            os.pwrite(handle, text, 0)
            os.ftruncate(handle, len(text))
            return True
        except OSError:
            return False


def _opened(path):
    """The file, made when it is missing; open to all users, who must all be able to take the lock."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        # O_EXCL or no O_CREAT at all: fs.protected_regular refuses to "create" what another user has made already
        handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o600)
        os.fchmod(handle, 0o666)
        return handle
    except FileExistsError:
        try:
            handle = os.open(path, flags)
        except PermissionError:
            # somebody has closed it to others: it can be locked all the same, only not written
            handle = os.open(path, (flags & ~os.O_RDWR) | os.O_RDONLY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a regular file", path)
    return handle


def _locked(handle, kind):
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
        return True
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
