"""A group of users."""

from .. import accounts
from ..arguments import Arguments, option
from ..diff import Diff


class Args(Arguments):
    """Ensure a group, or its absence."""

    name = option("str", required=True, help="the group")
    state = option("str", choices=("present", "absent"), default="present", help="whether it must be there")
    gid = option("int", help="its number")
    gid_min = option("int", help="lowest number for a new group")
    gid_max = option("int", help="highest number for a new group")
    system = option("bool", default=False, help="number a new group as one of the system's")
    local = option("bool", default=False, help="look in /etc/group only, not in a directory of the network")
    non_unique = option("bool", default=False, help="the number may be another group's too")
    force = option("bool", default=False, help="remove it even if it is a user's primary group")

    required_if = (("non_unique", True, ("gid",)),)


def check(args, host):
    diff = Diff(values={"name": args.name, "state": args.state})
    now = _named(args)
    if args.state == "absent":
        if now is not None:
            diff.add("group %s" % args.name, "present", "absent")
        return diff
    diff.values["system"] = args.system
    if now is None:
        diff.add("group %s" % args.name, "absent", "present" if args.gid is None else "present, number %d" % args.gid)
    else:
        diff.values["gid"] = now.gr_gid
        if args.gid not in (None, now.gr_gid):
            diff.add("number of group %s" % args.name, now.gr_gid, args.gid)
    return diff


def apply(args, diff, host):
    if args.state == "absent":
        host.must(["groupdel"] + (["--force"] if args.force else []) + [args.name], "removing group %s" % args.name)
        return {}
    number = [] if args.gid is None else ["--gid", str(args.gid)] + (["--non-unique"] if args.non_unique else [])
    if _named(args) is not None:
        host.must(["groupmod"] + number + [args.name], "changing group %s" % args.name)
    else:
        for key, value in (("GID_MIN", args.gid_min), ("GID_MAX", args.gid_max)):
            number += [] if value is None else ["--key", "%s=%d" % (key, value)]
        host.must(["groupadd"] + (["--system"] if args.system else []) + number + [args.name], "adding group %s" % args.name)
    return {"gid": _named(args).gr_gid}


def _named(args):
    row = accounts.group(args.name, args.local)
    return row if row is not None and row.gr_name == args.name else None
