"""What dpkg is told to do with a package: keep it as it is, or not."""

from ..arguments import Arguments, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..packages import dpkg

WORDS = {"i": "install", "h": "hold", "r": "deinstall", "p": "purge", "u": "not present"}


class Args(Arguments):
    """Hold a package at its version, or release it."""

    name = option("str", required=True, help="the package")
    selection = option(
        "str", required=True, choices=("install", "hold", "deinstall", "purge"), help="hold keeps the version that is installed"
    )


def check(args, host):
    row = dpkg.database(host).find(args.name)
    before = WORDS.get(row.status[0], "not present") if row is not None else "not present"
    diff = Diff(values={"before": before, "after": args.selection})
    if row is None and not (host.check and args.selection == "hold"):
        # dpkg takes a selection for a package that it has never heard of with a warning, and forgets it
        raise ModuleFailure(
            "Failed to find package '%s' to perform selection '%s'." % (args.name, args.selection),
            hint="install it first with apt",
        )
    if before != args.selection:
        diff.add("selection of %s" % args.name, before, args.selection)
    return diff


def apply(args, diff, host):
    line = "%s %s\n" % (args.name, args.selection)
    host.must(["dpkg", "--set-selections"], "setting the selection of %s" % args.name, stdin=line.encode("utf-8"))
