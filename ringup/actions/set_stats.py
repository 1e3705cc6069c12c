"""Numbers and texts for the end of the run."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result

NEEDS_HOST = False


class Args(Arguments):
    """Keep values that are shown and recorded at the end of the run."""

    data = option("dict", required=True, help="names and values")
    per_host = option("bool", default=False, help="keep them for each host by itself")
    aggregate = option("bool", default=True, help="add to what is there: numbers are summed, lists and mappings joined")


def run(call: ActionCall) -> Result:
    for name in call.args.data:
        if not str(name).isidentifier():
            raise TaskFailed(f"'{name}' cannot be the name of a value", hint="letters, digits and _, not beginning with a digit")
    stats = {"data": call.args.data, "per_host": call.args.per_host, "aggregate": call.args.aggregate}
    return Result({"changed": False, "ansible_stats": stats})
