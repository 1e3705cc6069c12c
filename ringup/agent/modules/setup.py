"""Facts of this host."""

import fnmatch

from ..arguments import Arguments, option
from ..facts import local
from ..facts.subjects import PARTS, chosen


class Args(Arguments):
    """Gather facts by Ansible's names."""

    gather_subset = option(
        "list",
        elements="str",
        default=["all"],
        help="all, min, hardware, network, virtual, gpu, or a smaller part; with ! to leave one out",
    )
    filter = option("list", elements="str", default=[], help="only facts whose names match one of these patterns")
    gather_timeout = option("int", default=10, help="limit of each local fact that is a program, in seconds; nothing else can hang")
    fact_path = option("path", help="another folder of local facts")


def read(args, host):
    facts = {}
    for name in chosen(args.gather_subset):
        if name == "local":
            folders = local.FOLDERS if args.fact_path is None else (args.fact_path,)
            facts.update(local.gather(host, folders, args.gather_timeout))
        else:
            facts.update(PARTS[name](host))
    facts["gather_subset"] = args.gather_subset
    if args.filter:
        facts = {name: value for name, value in facts.items() if any(matches(name, pattern) for pattern in args.filter)}
    return {"changed": False, "ansible_facts": facts}


def matches(name, pattern):
    """Patterns may be written with the prefix or without it."""
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch("ansible_" + name, pattern)
