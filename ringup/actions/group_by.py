"""Put hosts into groups by their variables."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result

NEEDS_HOST = False


class Args(Arguments):
    """Put each host into the group that a template names."""

    key = option("str", required=True, help="name of the group")
    parents = option("list", elements="str", default=["all"], help="groups that the group belongs to")


def run(call: ActionCall) -> Result:
    parents = [name.replace(" ", "-") for name in call.args.parents]
    group = call.args.key.replace(" ", "-")
    known = call.variables.get("groups", {})
    changed = any(call.host not in known.get(name, ()) for name in (group, *(name for name in parents if name != "all")))
    return Result({"changed": changed, "add_group": group, "parent_groups": parents})
