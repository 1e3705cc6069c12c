"""Results that found no controller, and marks of tasks that run: so that a task is never run twice because a network blinked."""

import json
import os
import stat
import tempfile


def runtime_folder():
    """A private folder that a reboot empties; the first of the usual places that can be had.

    A folder of another user by our name in a shared place is refused, not used.
    """
    uid = os.getuid()
    places = ["/run/user/%d" % uid, "/run", "/dev/shm", tempfile.gettempdir()]
    for place in places:
        folder = os.path.join(place, "ringup-%d" % uid)
        try:
            os.mkdir(folder, 0o700)
            return folder
        except FileExistsError:
            found = os.lstat(folder)
            if stat.S_ISDIR(found.st_mode) and found.st_uid == uid:
                return folder
        except OSError:
            continue
    return tempfile.mkdtemp(prefix="ringup-")


class Spool:
    """One file for each running task and each result that waits.

    Args:
        folder: private to this user.
    """

    def __init__(self, folder):
        self._folder = folder

    def _path(self, key, suffix):
        return os.path.join(self._folder, "task-%s.%s" % ("".join(c for c in key if c.isalnum() or c == "-"), suffix))

    def begin(self, key):
        """Mark a task as running under this process."""
        with open(self._path(key, "running"), "w") as stream:
            stream.write(str(os.getpid()))

    def end(self, key):
        """The task has ended and its result was delivered."""
        for suffix in ("running", "json"):
            try:
                os.unlink(self._path(key, suffix))
            except OSError:
                pass

    def keep(self, key, result):
        """Keep a result for a controller that comes back."""
        partial = self._path(key, "partial")
        with open(partial, "w") as stream:
            json.dump(result, stream, default=str)
        os.rename(partial, self._path(key, "json"))
        try:
            os.unlink(self._path(key, "running"))
        except OSError:
            pass

    def collect(self, key):
        """What became of a task: ("done", result), ("running", None), ("lost", None) or ("unknown", None)."""
        try:
            with open(self._path(key, "json")) as stream:
                return "done", json.load(stream)
        except (OSError, ValueError):
            pass
        try:
            with open(self._path(key, "running")) as stream:
                pid = int(stream.read())
            os.kill(pid, 0)
            return "running", None
        except PermissionError:
            return "running", None
        except ProcessLookupError:
            return "lost", None
        except (OSError, ValueError):
            return "unknown", None
