"""apt's lists of what the repositories have: how old they are, and fetching them."""

import os
import time

from ..failure import ModuleFailure
from . import apt_get

LISTS = "/var/lib/apt/lists"
STAMP = "/var/lib/apt/periodic/update-success-stamp"
SOURCES = ("/etc/apt/sources.list", "/etc/apt/sources.list.d")
#: apt-get's own default takes a repository that does not answer for a warning
STRICT = ["-o", "APT::Update::Error-Mode=any"]


def updated_at():
    """When the lists were fetched, in seconds since the epoch; 0 when there are none."""
    if not os.path.isdir(LISTS) or not any(name.endswith(("Release", "Packages")) for name in _plain_names()):
        return 0
    return int(max(os.stat(path).st_mtime for path in (STAMP, LISTS) if os.path.exists(path)))


def _plain_names():
    return [os.path.splitext(name)[0] if name.endswith((".lz4", ".gz", ".xz")) else name for name in os.listdir(LISTS)]


def due(update_cache, valid_s):
    """Must the lists be fetched? Also when a file of sources is newer than they are: their age says nothing about a new repository."""
    if not update_cache and not valid_s:
        return False
    fetched_at = updated_at()
    return not valid_s or fetched_at + valid_s < time.time() or _sources_changed_at() > fetched_at


def _sources_changed_at():
    paths = [SOURCES[0]]
    if os.path.isdir(SOURCES[1]):
        paths += [SOURCES[1]] + [os.path.join(SOURCES[1], name) for name in os.listdir(SOURCES[1])]
    return max([int(os.stat(path).st_mtime) for path in paths if os.path.exists(path)] or [0])


def update(host, lock_timeout_s, retries, max_delay_s):
    """Fetch the lists, again after growing pauses while a repository does not answer; raises ModuleFailure with its words."""
    for turn in range(retries + 1):
        try:
            apt_get.run(host, STRICT + ["update"], lock_timeout_s)
            break
        except ModuleFailure as failure:
            if turn == retries or "lock" in failure.values:
                raise ModuleFailure("Failed to update apt cache: %s" % failure.message, hint=failure.hint, **failure.values)
            host.progress("apt-get update failed, again in a moment (%d of %d): %s" % (turn + 1, retries, failure.message))
            time.sleep(min(2**turn, max_delay_s))
    # a run that finds nothing new leaves the folder's time as it was
    os.utime(LISTS)
