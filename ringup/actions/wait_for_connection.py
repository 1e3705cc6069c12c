"""Wait until a host can be reached and run modules."""

from __future__ import annotations

import time
from collections.abc import Callable

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import ConnectionFailed, HostKeyChanged, TaskFailed
from ringup.results import Result


class Args(Arguments):
    """Wait until a host can be reached and runs modules."""

    delay = option("int", default=0, help="seconds before the first try")
    sleep = option("int", default=1, help="seconds between tries")
    timeout = option("int", default=600, help="seconds after which it is a failure")
    connect_timeout = option("int", default=5, help="seconds that one try may take to connect")


def run(call: ActionCall) -> Result:
    args = call.args
    if call.check:
        return Result({"changed": False, "skipped": True})
    begin = time.monotonic()
    call.wait(args.delay)

    def answers() -> bool:
        call.connection.reset(connect_timeout_s=args.connect_timeout)
        return not call.module("ping", {}, check=False).get("failed")

    until(call, answers, begin + args.timeout, args.sleep, "the host")
    return Result({"changed": False, "elapsed": int(time.monotonic() - begin)})


def until(call: ActionCall, holds: Callable[[], bool], deadline: float, sleep_s: float, what: str) -> None:
    """Try until something holds.

    Args:
        holds: one try; a connection that fails counts as not yet.
        deadline: on the monotonic clock.
        what: is waited for, for messages.
    Raises:
        TaskFailed: the deadline passed; it says what the last try met, which is its cause.
        HostKeyChanged: no wait will mend that.
    """
    last, cause = "it does not answer", None
    while True:
        try:
            if holds():
                return
            cause = None
        except HostKeyChanged:
            raise
        except ConnectionFailed as error:
            last, cause = error.message, error
        left = deadline - time.monotonic()
        if left <= 0:
            raise TaskFailed(f"timed out waiting for {what}: {last}", hint="look at the host's console, or raise the timeout") from cause
        call.progress(f"waiting for {what}: {last}")
        call.wait(min(sleep_s, left))
