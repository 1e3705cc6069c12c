"""Facts, as a play gathers them at its beginning."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result


class Args(Arguments):
    """Gather the facts of a host."""

    parallel = option("bool", help="accepted; facts come from one module here")


def run(call: ActionCall) -> Result:
    return Result(call.module("setup", {}, check=False))
