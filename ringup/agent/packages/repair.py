"""Mending what a killed dpkg has left: configure what is unpacked, fetch again what is half installed."""

from ..failure import ModuleFailure
from . import apt_get, dpkg


def mend(host, dpkg_options, lock_timeout_s, archive=None):
    """Bring every package to a whole state.

    Args:
        dpkg_options: apt-get's `-o Dpkg::Options::=...` arguments.
        archive: path of a .deb that the task is about; it may hold what no repository has.
    Raises:
        ModuleFailure: a package is still half done afterwards.
    """
    host.progress("an earlier run of dpkg was interrupted: mending its packages first")
    forces = [word.split("::=", 1)[1] for word in dpkg_options if "::=" in word]
    # a package that is half installed, or whose dependencies are not yet there, cannot be configured: the next steps bring them
    refused = _attempt(host, forces + ["--configure", "--pending"], lock_timeout_s)
    if archive is not None:
        refused = _attempt(host, forces + ["--install", archive], lock_timeout_s)
    again = [_named(row) for row in dpkg.database(host).half_done() if row.status[1] == "H" or row.status[2] == "R"]
    try:
        if again:
            apt_get.run(host, dpkg_options + ["--fix-broken", "--reinstall", "install"] + again, lock_timeout_s)
        apt_get.run(host, dpkg_options + ["--fix-broken", "install"], lock_timeout_s)
    except ModuleFailure as failure:
        refused = failure
    left = dpkg.interrupted(dpkg.database(host))
    if left:
        raise ModuleFailure(
            "an interrupted run of dpkg left packages half done, and mending failed: %s" % ", ".join(left),
            hint=_advice(refused, left),
            **(refused.values if refused is not None else {}),
        )


def _attempt(host, arguments, lock_timeout_s):
    """Run dpkg; gives its failure, or None."""
    try:
        apt_get.run(host, arguments, lock_timeout_s, program="dpkg")
    except ModuleFailure as failure:
        if "lock" in failure.values:
            raise
        return failure
    return None


def _advice(refused, left):
    if refused is not None and "can't find an archive" in refused.values.get("stderr", ""):
        return "no repository has %s: install its file with deb:, or 'dpkg --remove --force-remove-reinstreq %s' on the host" % (
            left[0],
            left[0],
        )
    said = "" if refused is None else "%s; " % refused.message
    return "%slook at 'dpkg --audit' on the host" % said


def _named(row):
    return row.name if row.architecture == "all" else "%s:%s" % (row.name, row.architecture)
