"""Fail unless conditions hold."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result

NEEDS_HOST = False


class Args(Arguments):
    """Fail unless all conditions hold."""

    expressions = ("that",)

    that = option("raw", required=True, help="a condition or a list of them, as for 'when'")
    fail_msg = option("raw", default="Assertion failed", aliases=("msg",), help="what to say when one does not hold")
    success_msg = option("raw", default="All assertions passed", help="what to say when all hold")
    quiet = option("bool", default=False, help="show less")


def run(call: ActionCall) -> Result:
    that = call.args.that
    for condition in that if isinstance(that, list) else [that]:
        if not call.templar.evaluate(condition):
            values = {"changed": False, "failed": True, "evaluated_to": False, "assertion": condition, "msg": call.args.fail_msg}
            return Result(values)
    return Result({"changed": False, "msg": call.args.success_msg})
