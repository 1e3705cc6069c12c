"""Results that found no controller, and marks of tasks that run: so that a task is never run twice because a network blinked."""

import json
import os
import time

#: a result that nobody has collected for this many seconds is removed
KEPT_S = 86400.0
#: instead of a process: this task may not begin any more
VOID = "void"


class Spool:
    """One mark for each running task, one file for each result that waits.

    A mark is a symbolic link whose target is its content: made whole or not at all, by one task only, also on a full disk.

    Args:
        folders: private to this user; the first that works is used to write, all are searched.
    """

    def __init__(self, folders):
        self._folders = folders

    def begin(self, key):
        """Mark a task as running under this process; False when a later link was told that it never began."""
        return self._mark(key, "%d-%s" % (os.getpid(), start_of(os.getpid())))

    def end(self, key):
        """The task has ended and its result has arrived."""
        for folder in self._folders:
            for suffix in ("running", "json"):
                _unlink(_path(folder, key, suffix))

    def keep(self, key, result):
        """Keep a result for a controller that comes back."""
        for folder in self._folders:
            partial = _path(folder, key, "partial")
            try:
                with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
                    json.dump(result, stream, default=str)
                os.rename(partial, _path(folder, key, "json"))
                break
            except OSError:
                _unlink(partial)
        for folder in self._folders:
            _unlink(_path(folder, key, "running"))

    def collect(self, key):
        """What became of a task.

        Returns:
            ("done", result); ("running", pid of its agent); ("lost", None): ended from outside, without a result;
            ("unknown", None): it never began, and never will under this key.
        """
        while True:
            result = self._result(key)
            if result is not None:
                return "done", result
            mark = self._read_mark(key)
            if mark is None:
                if self._mark(key, VOID):
                    return "unknown", None
                continue
            if mark == VOID:
                return "unknown", None
            pid, _, start = mark.partition("-")
            if start_of(int(pid)) == start:
                return "running", int(pid)
            result = self._result(key)
            return ("done", result) if result is not None else ("lost", None)

    def prune(self):
        """Remove what nobody has collected for long, marks of ended agents too."""
        limit = time.time() - KEPT_S
        for folder in self._folders:
            for entry in os.scandir(folder):
                try:
                    if entry.stat(follow_symlinks=False).st_mtime < limit and not self._runs(entry):
                        os.unlink(entry.path)
                except OSError:
                    continue

    @staticmethod
    def _runs(entry):
        if not entry.is_symlink():
            return False
        pid, _, start = os.readlink(entry.path).partition("-")
        return pid.isdigit() and start_of(int(pid)) == start

    def _mark(self, key, content):
        for folder in self._folders:
            try:
                os.symlink(content, _path(folder, key, "running"))
                return True
            except FileExistsError:
                return False
            except OSError:
                continue
        return True

    def _read_mark(self, key):
        for folder in self._folders:
            try:
                return os.readlink(_path(folder, key, "running"))
            except OSError:
                continue
        return None

    def _result(self, key):
        for folder in self._folders:
            try:
                with open(_path(folder, key, "json")) as stream:
                    return json.load(stream)
            except (OSError, ValueError):
                continue
        return None


def start_of(pid):
    """When a process started, in clock ticks since boot, as text: with its number it is one process and no later one. "" if none."""
    try:
        with open("/proc/%d/stat" % pid) as stream:
            fields = stream.read().rpartition(")")[2].split()
    except OSError:
        return ""
    # an ended process that its parent has not asked about yet is still listed
    return "" if fields[0] in "ZX" else fields[19]


def _path(folder, key, suffix):
    return os.path.join(folder, "task-%s.%s" % ("".join(c for c in key if c.isalnum() or c == "-"), suffix))


def _unlink(path):
    try:
        os.unlink(path)
    except OSError:
        pass
