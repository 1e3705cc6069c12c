"""Packages by whatever installs them on the host: apt or dnf."""

import shutil

from ..arguments import ArgumentError, option, parse
from ..failure import ModuleFailure
from ..packages.dnf import PROGRAMS
from . import apt, dnf

#: words of `use`, without a collection's name before them
DNFS = ("dnf", "dnf4", "dnf5", "yum", "yum4")


class Args(apt.Args):
    """Ensure that packages are installed or gone, with the host's own package manager."""

    name = option("list", elements="str", required=True, aliases=("pkg",), help="packages, as the host's package manager calls them")
    use = option("str", default="auto", help="apt, dnf, yum, or auto")


def check(args, host):
    chosen, options = _chosen(args)
    return chosen.check(options, host)


def apply(args, diff, host):
    chosen, options = _chosen(args)
    return chosen.apply(options, diff, host)


def _chosen(args):
    """The package manager's module with its arguments.

    Raises:
        ModuleFailure: the host has one that we do not know.
    """
    wished = args.use.rpartition(".")[2]
    if wished in ("auto", "apt") and shutil.which("apt-get"):
        return apt, args
    if wished in DNFS or (wished == "auto" and any(map(shutil.which, PROGRAMS))):
        return dnf, _for_dnf(args, wished)
    found = wished if wished != "auto" else next(filter(shutil.which, ("zypper", "pacman", "apk")), "unknown")
    raise ModuleFailure(
        'Could not find a matching action for the "%s" package manager.' % found,
        hint="packages are installed by apt and dnf only: write a command task with a when for this host",
    )


def _for_dnf(args, wished):
    """The options that both know; one of apt's alone is refused."""
    known, given = dnf.Args.options(), {}
    for name, declared in Args.options().items():
        value = getattr(args, name)
        if name in known:
            given[name] = value
        elif value != declared.default and name != "use":
            raise ArgumentError("option '%s' is apt's alone, and this host has dnf" % name, "use the apt module with a when")
    if wished != "auto":
        given["use_backend"] = wished
    return parse(dnf.Args, given)
