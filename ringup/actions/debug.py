"""Show a message or a value."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import UndefinedVariable
from ringup.results import Result

NEEDS_HOST = False
NOT_DEFINED = "VARIABLE IS NOT DEFINED!"


class Args(Arguments):
    """Show a message or the value of an expression."""

    mutually_exclusive = (("msg", "var"),)
    expressions = ("var",)

    msg = option("raw", default="Hello world!", help="the message")
    var = option("str", help="an expression whose value is shown")
    verbosity = option("int", default=0, help="show it only from this many -v on")


def run(call: ActionCall) -> Result:
    if call.args.verbosity > int(call.variables.get("ansible_verbosity", 0)):
        return Result({"changed": False, "skipped": True, "skipped_reason": "Verbosity threshold not met."})
    if call.args.var is None:
        return Result({"changed": False, "msg": call.args.msg})
    try:
        value = call.templar.expression(call.args.var)
    except UndefinedVariable:
        value = NOT_DEFINED
    return Result({"changed": False, call.args.var: value})
