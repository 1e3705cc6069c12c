"""Wait a while, or for a person."""

from __future__ import annotations

import time
from datetime import datetime

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result

ONCE_PER_BATCH = True
NEEDS_HOST = False


class Args(Arguments):
    """Wait for a time, or for the answer of a person; once for all hosts."""

    mutually_exclusive = (("minutes", "seconds"),)

    minutes = option("float", help="how long")
    seconds = option("float", help="how long, 1 at least")
    prompt = option("str", help="question to a person; the answer is user_input")
    echo = option("bool", default=True, help="show what is typed")


def run(call: ActionCall) -> Result:
    args = call.args
    begin, begin_text = time.monotonic(), str(datetime.now())
    answer = ""
    if args.minutes is None and args.seconds is None:
        answer = _answer(call)
    else:
        seconds = max(1.0, float(int(args.seconds if args.minutes is None else args.minutes * 60)))
        call.progress(f"pausing for {seconds:g} seconds")
        call.wait(seconds)
    passed = time.monotonic() - begin
    shown = f"{round(passed / 60, 2)} minutes" if args.seconds is None else f"{round(passed, 2)} seconds"
    return Result(
        {
            "changed": False,
            "rc": 0,
            "stdout": f"Paused for {shown}",
            "stderr": "",
            "start": begin_text,
            "stop": str(datetime.now()),
            "delta": int(passed),
            "echo": args.echo,
            "user_input": answer,
        }
    )


def _answer(call: ActionCall) -> str:
    if call.ask is None:
        call.warn("nobody can be asked (the input is no terminal): the pause is over at once")
        return ""
    return call.ask(call.args.prompt or "Press enter to continue", not call.args.echo)
