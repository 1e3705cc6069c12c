"""One run per host at a time; who holds the host is written in the lock."""

import errno
import fcntl
import json
import os
import stat

#: not by TMPDIR: all users must meet at one place
PATH = "/tmp/ringup.lock"


class HostLock:
    """A lock file that every user of the host can take, released by the kernel when its holder and its tasks have ended.

    Args:
        path: the file.
    """

    def __init__(self, path=PATH):
        self._path = path
        self._handle = None

    def take(self, holder):
        """Take the lock, or say who has it.

        Args:
            holder: {run, user, host, pid, since}: shown to whoever finds the lock taken.
        Returns:
            None when it is ours, else what its holder wrote ({} when that cannot be read).
        """
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            held = self._read(handle)
            os.close(handle)
            return held
        self._handle = handle
        self._write(handle, holder)
        return None

    def release(self):
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _open(self):
        # without O_CREAT an existing file of another user opens (fs.protected_regular refuses the other way)
        for flags in (os.O_RDWR, os.O_RDONLY):
            try:
                handle = os.open(self._path, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                break
            except PermissionError:
                continue
            if stat.S_ISREG(os.fstat(handle).st_mode):
                return handle
            os.close(handle)
            raise OSError(errno.EINVAL, "is not a regular file", self._path)
        return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)

    @staticmethod
    def _read(handle):
        try:
            return dict(json.loads(os.pread(handle, 4096, 0).decode("utf-8", "replace")))
        except (OSError, ValueError):
            return {}

    @staticmethod
    def _write(handle, holder):
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(holder).encode(), 0)
        except OSError:
            pass  # another user's file: the lock holds all the same, only its text is missing
