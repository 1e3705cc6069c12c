"""Set variables of a host."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result

NEEDS_HOST = False


class Args(Arguments):
    """Set variables of the host for the rest of the run; any name is an option."""

    other_options = "facts"

    facts = option("dict", help="the variables")
    cacheable = option("bool", default=False, help="they are facts too, kept where facts are kept")


def run(call: ActionCall) -> Result:
    if not call.args.facts:
        raise TaskFailed("no variable is given", hint="write set_fact: {name: value}")
    for name in call.args.facts:
        if not str(name).isidentifier():
            raise TaskFailed(f"'{name}' cannot be the name of a variable", hint="letters, digits and _, not beginning with a digit")
    return Result({"changed": False, "ansible_facts": call.args.facts, "ansible_facts_cacheable": call.args.cacheable})
