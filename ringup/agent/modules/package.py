"""Packages by whatever installs them on the host: apt."""

import shutil

from ..arguments import option
from ..failure import ModuleFailure
from . import apt


class Args(apt.Args):
    """Ensure that packages are installed or gone, with the host's own package manager."""

    name = option("list", elements="str", required=True, aliases=("pkg",), help="packages, as the host's package manager calls them")
    use = option("str", default="auto", help="apt, or auto")


def check(args, host):
    known = args.use in ("auto", "apt", "ansible.builtin.apt")
    if not known or shutil.which("apt-get") is None:
        found = (
            args.use if not known else next((name for name in ("dnf", "yum", "zypper", "pacman", "apk") if shutil.which(name)), "unknown")
        )
        raise ModuleFailure(
            'Could not find a matching action for the "%s" package manager.' % found,
            hint="packages are installed by apt only: write a command task with a when for this host",
        )
    return apt.check(args, host)


def apply(args, diff, host):
    return apt.apply(args, diff, host)
