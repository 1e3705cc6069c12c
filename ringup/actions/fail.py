"""Fail with a message."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result

NEEDS_HOST = False


class Args(Arguments):
    """Fail with a message; 'when' says in which case."""

    msg = option("str", default="Failed as requested from task", help="the message")


def run(call: ActionCall) -> Result:
    return Result({"changed": False, "failed": True, "msg": call.args.msg})
