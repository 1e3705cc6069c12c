"""A command without an agent: for hosts that have no Python, and to see what a host says itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from ringup.errors import LinkLost, TaskFailed
from ringup.transport.become import enter
from ringup.transport.settings import ConnectionSettings
from ringup.transport.streams import Stream

#: how often a command without a limit is looked at
GLANCE_S = 1.0


@dataclass(frozen=True, slots=True)
class RawResult:
    """A command without an agent."""

    rc: int
    stdout: bytes
    stderr: bytes


def run_raw(
    settings: ConnectionSettings,
    open_stream: Callable[[list[str]], Stream],
    command: str,
    *,
    timeout_s: float | None,
    stdin: bytes,
    become_user: str | None,
    cancelled: Callable[[], bool],
) -> RawResult:
    """Run a shell text to its end.

    Args:
        open_stream: runs an argument list on the host.
        stdin: for its standard input; it ends there.
        become_user: as whom; None: the login user.
        cancelled: whether it need not be waited for any more.
    Raises:
        LinkLost: it did not end within the limit, or the connection went away.
        BecomeFailed: the rights were refused.
        TaskFailed: it was cancelled. Nobody on the host can end it: it hears only that nobody listens any more.
    """
    out, err = [], []
    if become_user is None:
        stream = open_stream(["/bin/sh", "-c", command])
    else:
        entered = enter(settings, become_user, command, open_stream)
        stream = entered.stream
        out.append(entered.rest)
    deadline = time.monotonic() + timeout_s if timeout_s else None
    try:
        if stdin:
            stream.send(stdin)
        stream.end_input()
        while True:
            try:
                piece = stream.receive(min(GLANCE_S, deadline - time.monotonic()) if deadline else GLANCE_S)
            except TimeoutError:
                if cancelled():
                    raise TaskFailed("the command was cancelled; it may still run on the host", where=settings.name) from None
                if deadline and time.monotonic() >= deadline:
                    raise LinkLost(f"the command did not end within {timeout_s:g} s", where=settings.name) from None
                continue
            finally:
                err.append(stream.errors())
            if not piece:
                break
            out.append(piece)
        rc = _status(stream, settings)
        err.append(stream.errors())
    except EOFError as error:
        raise LinkLost(f"the connection was lost while the command ran: {error}", where=settings.name) from None
    finally:
        stream.close()
    return RawResult(rc, b"".join(out), b"".join(err))


def _status(stream: Stream, settings: ConnectionSettings) -> int:
    """The exit status comes a moment behind the end of the output."""
    deadline = time.monotonic() + settings.timeouts.channel_s
    while (status := stream.status()) is None:
        if time.monotonic() > deadline:
            raise LinkLost("the command ended without an exit status", where=settings.name)
        time.sleep(0.01)
    if status == -1:
        raise LinkLost("the connection was lost while the command ran", where=settings.name)
    return status
