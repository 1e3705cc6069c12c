"""Access and modification times that an operator asks for: `now`, `preserve`, or a stamp in a format."""

import os
import time

from .failure import ModuleFailure

#: what `now` becomes: the moment of the change
NOW = object()


def wanted_times(args, default):
    """The (access, modification) times of the file module's options: seconds, NOW, or None to leave as it is."""
    return (
        _moment(args.access_time or default, args.access_time_format),
        _moment(args.modification_time or default, args.modification_time_format),
    )


def _moment(text, style):
    if text == "preserve":
        return None
    if text == "now":
        return NOW
    try:
        return time.mktime(time.strptime(text, style))
    except (ValueError, OverflowError):
        raise ModuleFailure("'%s' is no time in the format '%s'" % (text, style), hint="write now, preserve, or 202612311159.30")


def time_changes(path, times, diff):
    """Add to the diff which of the times of an existing path differ; `now` always does."""
    stat = os.stat(path)
    for word, wanted, current in (("access", times[0], stat.st_atime), ("modification", times[1], stat.st_mtime)):
        if wanted is NOW or (wanted is not None and wanted != current):
            diff.add("%s time of %s" % (word, path), _shown(current), "now" if wanted is NOW else _shown(wanted))


def _shown(moment):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment))


def set_times(path, times):
    """Give a path its times. `now` for both needs only the right to write, not ownership, when the kernel takes the time itself."""
    if times == (None, None):
        return
    if times == (NOW, NOW):
        os.utime(path)
        return
    stat = os.stat(path)
    os.utime(path, (_settled(times[0], stat.st_atime), _settled(times[1], stat.st_mtime)))


def _settled(wanted, current):
    if wanted is None:
        return current
    return time.time() if wanted is NOW else wanted
