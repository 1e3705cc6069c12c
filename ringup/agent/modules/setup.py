"""Facts of this host."""

import fnmatch
import json
import os

from ..arguments import Arguments, option
from ..facts import gpu, network, system

#: subjects by the names that gather_subset takes
SUBJECTS = {"hardware": system, "network": network, "gpu": gpu}
#: what is always gathered, unless all is excluded: distribution and kernel decide everything else
ALWAYS = (system,)
FOLDERS = ("/etc/ansible/facts.d", "/etc/ringup/facts.d")


class Args(Arguments):
    """Gather facts by Ansible's names."""

    gather_subset = option("list", elements="str", default=["all"], help="all, min, hardware, network, gpu; with ! to leave one out")
    filter = option("list", elements="str", default=[], help="only facts whose names match one of these patterns")
    gather_timeout = option("int", default=10, help="accepted; facts are read from /proc and /sys and do not hang")
    fact_path = option("path", help="another folder of local facts")


def wanted(subset):
    """The subjects of a gather_subset: what is named stays although `!all` leaves out the rest."""
    named = [word for word in subset if word in SUBJECTS]
    left_out = [word[1:] for word in subset if word.startswith("!")]
    names = set(SUBJECTS) if "all" in subset or not (named or "all" in left_out or "min" in subset) else set()
    return (names - set(left_out)) | set(named)


def read(args, host):
    chosen = wanted(args.gather_subset)
    modules = [SUBJECTS[name] for name in SUBJECTS if name in chosen]
    if "!min" not in args.gather_subset:
        modules = [one for one in ALWAYS if one not in modules] + modules
    facts = {}
    for module in modules:
        facts.update(module.gather(host))
    facts["local"] = local_facts(FOLDERS if args.fact_path is None else (args.fact_path,))
    facts["gather_subset"] = args.gather_subset
    if args.filter:
        facts = {name: value for name, value in facts.items() if any(matches(name, pattern) for pattern in args.filter)}
    return {"changed": False, "ansible_facts": facts}


def matches(name, pattern):
    """Patterns may be written with the prefix or without it."""
    return fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch("ansible_" + name, pattern)


def local_facts(folders):
    """`*.fact` files in JSON; one that cannot be read says so in its own place."""
    found = {}
    for folder in folders:
        for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if entry.endswith(".fact"):
                try:
                    with open(os.path.join(folder, entry)) as stream:
                        found[entry[: -len(".fact")]] = json.load(stream)
                except (OSError, ValueError) as error:
                    found[entry[: -len(".fact")]] = "error: %s" % error
    return found
