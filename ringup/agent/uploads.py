"""Files that travel ahead of a task, in private temporary files until the task's module moves them into place."""

import errno
import itertools
import os

from .folders import private_folder

#: larger files do not go to a folder that lies in memory
SMALL_BYTES = 16 << 20


class Uploads:
    """The files that have come.

    Args:
        folder: the agent's runtime folder, for small files.
    """

    def __init__(self, folder):
        self._folder = folder
        self._numbers = itertools.count()
        self._paths = {}
        self._faults = {}

    def receive(self, message, blob):
        """Take a chunk. A fault is kept for the task that needs the file: the link itself goes on."""
        name = message["upload"]
        if name in self._faults:
            return
        try:
            if name not in self._paths:
                self._paths[name] = self._created(message.get("size", 0))
            with open(self._paths[name], "ab") as stream:
                stream.write(blob)
        except OSError as error:
            self._faults[name] = error
            self._remove(name)

    def named(self, message):
        """The files that a task names: by the names its arguments use.

        Raises:
            OSError: one of them could not be kept (a full disk).
        """
        found = {}
        for name, sent in (message.get("uploads") or {}).items():
            if sent in self._faults:
                raise self._faults[sent]
            if sent not in self._paths:
                raise OSError(errno.ENOENT, "the file never came", name)
            found[name] = self._paths[sent]
        return found

    def forget(self, message):
        """The task has ended: remove what its module did not move away."""
        for sent in (message.get("uploads") or {}).values():
            self._faults.pop(sent, None)
            self._remove(sent)

    def clear(self):
        for name in list(self._paths):
            self._remove(name)

    def _remove(self, name):
        path = self._paths.pop(name, None)
        if path is not None:
            try:
                os.unlink(path)
            except OSError:
                pass  # the module has moved it into its place

    def _created(self, size):
        path = os.path.join(self._place(size), "upload-%d-%d" % (os.getpid(), next(self._numbers)))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return path

    def _place(self, size):
        """The runtime folder for small files; for others the first place with room for the whole of it."""
        if size <= SMALL_BYTES:
            return self._folder
        for place in ("/var/tmp", "/tmp"):
            folder = private_folder(place)
            if folder is not None:
                room = os.statvfs(folder)
                if room.f_bavail * room.f_frsize > size:
                    return folder
        return self._folder
