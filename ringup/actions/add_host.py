"""Add a host to the inventory of this run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result

ONCE_PER_BATCH = True
NEEDS_HOST = False
#: host:port and [v6 address]:port
WITH_PORT = re.compile(r"(?P<host>[^:\[\]]+|\[[0-9A-Fa-f:.]+\]):(?P<port>\d+)\Z")


class Args(Arguments):
    """Add a host to the inventory while the play runs; any further name is a variable of the host."""

    other_options = "host_vars"

    name = option("str", required=True, aliases=("host", "hostname"), help="the host; a port may follow after ':'")
    groups = option("list", elements="str", default=[], aliases=("group", "groupname"), help="groups to add it to")
    host_vars = option("dict", default={}, help="variables of the host")


def run(call: ActionCall) -> Result:
    name, host_vars = call.args.name.strip(), dict(call.args.host_vars)
    if match := WITH_PORT.match(name):
        name = match["host"].strip("[]")
        host_vars["ansible_port"] = int(match["port"])
    groups = named(call.args.groups)
    wish = {"host_name": name, "groups": groups, "host_vars": host_vars}
    return Result({"changed": is_new(call.variables, name, groups, host_vars), "add_host": wish})


def is_new(variables: Mapping[str, Any], name: str, groups: Sequence[str], host_vars: Mapping[str, Any]) -> bool:
    """Whether the inventory does not have the host yet, with these groups and variables."""
    known = variables.get("groups", {})
    if any(name not in known.get(group, ()) for group in ("all", *groups)):
        return True
    now = variables["hostvars"][name]
    return any(variable not in now or now[variable] != value for variable, value in host_vars.items())


def named(names: Sequence[str]) -> list[str]:
    """Names without blanks around them, each once, in their order."""
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))
