"""Entries of the host's databases: users, groups, names of hosts."""

from ..arguments import Arguments, option
from ..failure import ModuleFailure

WITH_COLONS = frozenset(("passwd", "shadow", "group", "gshadow"))
#: exit codes of getent(1)
FAILURES = {
    1: ("Missing arguments, or database unknown.", "databases are passwd, group, hosts, services and those of 'getent --help'"),
    2: ("One or more supplied key could not be found in the database.", "correct the key, or set fail_key: false"),
    3: ("Enumeration not supported on this database.", "ask for one key"),
}
NO_SUCH_KEY = 2


class Args(Arguments):
    """Read a database of the host into the fact getent_DATABASE."""

    database = option("str", required=True, help="passwd, group, hosts, services ...")
    key = option("str", help="the one entry that is wanted; without it: all")
    fail_key = option("bool", default=True, help="fail when there is no such entry")
    service = option("str", help="where to look instead of what nsswitch.conf says")
    split = option("str", help="what separates fields; default: as the database has it")


def read(args, host):
    argv = ["getent", args.database] + ([] if args.key is None else [args.key]) + ([] if args.service is None else ["-s", args.service])
    result = host.run(argv)
    name = "getent_%s" % args.database
    if result.rc == NO_SUCH_KEY and not args.fail_key:
        return {"ansible_facts": {name: {args.key: None}}, "msg": FAILURES[NO_SUCH_KEY][0]}
    if result.rc != 0:
        message, hint = FAILURES.get(result.rc, ("Unexpected failure!", None))
        raise ModuleFailure(message, hint=hint, rc=result.rc, stderr=result.stderr)
    split = args.split if args.split is not None else ":" if args.database in WITH_COLONS else None
    return {"ansible_facts": {name: entries(result.stdout, split)}}


def entries(text, split):
    """Fields by the first of them; a key with several entries gets a list of lists."""
    rows = {}  # type: dict[str, list]
    for line in text.splitlines():
        fields = line.split(split)
        if fields:
            rows.setdefault(fields[0], []).append(fields[1:])
    return {key: found[0] if len(found) == 1 else found for key, found in rows.items()}
