"""Mending what a killed dpkg has left: configure what is unpacked, fetch again what is half installed."""

from ..failure import ModuleFailure
from . import apt_get, dpkg


def mend(host, dpkg_options, lock_timeout_s):
    """Bring every package to a whole state.

    Args:
        dpkg_options: apt-get's `-o Dpkg::Options::=...` arguments.
    Raises:
        ModuleFailure: a package is still half done afterwards.
    """
    host.progress("an earlier run of dpkg was interrupted: mending its packages first")
    forces = [word.split("::=", 1)[1] for word in dpkg_options if "::=" in word]
    broken = None
    try:
        apt_get.run(host, forces + ["--configure", "--pending"], lock_timeout_s, program="dpkg")
    except ModuleFailure as failure:
        # a package that is half installed, or whose dependencies are not yet there, cannot be configured: the next steps bring them
        broken = failure
    again = [_named(row) for row in dpkg.database(host).half_done() if row.status[1] == "H" or row.status[2] == "R"]
    if again:
        apt_get.run(host, dpkg_options + ["--fix-broken", "--reinstall", "install"] + again, lock_timeout_s)
    apt_get.run(host, dpkg_options + ["--fix-broken", "install"], lock_timeout_s)
    left = dpkg.interrupted(dpkg.database(host))
    if left:
        words = broken.values if broken else {}
        raise ModuleFailure(
            "packages are still half done after mending: %s" % ", ".join(left),
            hint="look at 'dpkg --audit' on the host; 'dpkg --configure -a' says why",
            **words,
        )


def _named(row):
    return row.name if row.architecture == "all" else "%s:%s" % (row.name, row.architecture)
