"""How a module says that it cannot do what was asked."""

import errno


class ModuleFailure(Exception):
    """The host cannot be brought to what was asked.

    Args:
        message: what happened, with the value seen.
        hint: what to do now.
        values: more result values (`rc`, `stdout`, `stderr` ...).
    """

    def __init__(self, message, hint=None, **values):
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.values = values


#: what an operator does about the errors of files that are no fault of a playbook
REMEDIES = {
    errno.ENOSPC: "make room: 'df -h' and 'df -i' on the host say which disk is full",
    errno.EDQUOT: "make room, or raise the user's quota",
    errno.EROFS: "the file system is mounted read-only: the host's 'dmesg' may say why",
    errno.EACCES: "set become: true on the task, or a user who may",
    errno.EPERM: "set become: true on the task, or a user who may",
    errno.EIO: "the host's disk has errors: look at its 'dmesg'",
}


def plainly(error):
    """An OSError in words: what, and which file."""
    place = " '%s'" % error.filename if error.filename else ""
    return "%s%s" % (error.strerror or error, place)
