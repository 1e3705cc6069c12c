"""Starting the agent: an interpreter found, proved and become the agent in one round trip; noise told from speech."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ringup.agent.bundle import FIRST_STAGE, WAS_AGENT, payload
from ringup.errors import LinkLost, NoInterpreter
from ringup.transport.become import enter
from ringup.transport.settings import ConnectionSettings
from ringup.transport.streams import Stream, last_words, read_until

#: tried in this order; a candidate counts only when it runs and says that it is new enough (a shim may be found and not work)
CANDIDATES = (
    "/usr/bin/python3",
    "python3",
    "/usr/libexec/platform-python",
    *(f"python3.{minor}" for minor in range(15, 5, -1)),
    "/usr/local/bin/python3",
    "/opt/python/bin/python3",
)
NO_PYTHON = "RINGUP-NO-PYTHON"
#: how much of what came before the announcement is kept
NOISE_BYTES = 2000


@dataclass(frozen=True, slots=True)
class Started:
    """An announced agent: `rest` is what came behind the announcement, `noise` what came before it."""

    stream: Stream
    rest: bytes
    noise: bytes


def shell_command(interpreter: str | None, nonce: str) -> str:
    """The POSIX shell text that finds an interpreter and runs the first stage in it.

    Each candidate is the first stage's own test: one that is too old or broken ends before it reads anything, and the next one is tried;
    so a Python is started once, not twice. Before 3.7 only the locale makes file names UTF-8.
    """
    names = (interpreter,) if interpreter else CANDIDATES
    words = " ".join(shlex.quote(name) for name in names)
    return (
        f"LC_ALL=C.UTF-8; export LC_ALL; for p in {words}; do "
        'command -v "$p" >/dev/null 2>&1 || continue; '
        f'"$p" -I -S -u -c {shlex.quote(FIRST_STAGE)} {nonce} || [ $? != {WAS_AGENT} ] || exit 0; done; '
        f"echo {NO_PYTHON} {nonce}"
    )


def start_agent(settings: ConnectionSettings, become_user: str | None, open_stream: Callable[[list[str]], Stream]) -> Started:
    """Start an agent and wait for its announcement.

    Args:
        become_user: whose agent it is; None: the login user's.
        open_stream: runs an argument list on the host.
    Raises:
        NoInterpreter: no usable Python.
        BecomeFailed: sudo or su refused; in its own words.
        LinkLost: the connection ended, or nothing was announced within the limit.
    """
    nonce = secrets.token_hex(8)
    command = shell_command(settings.interpreter, nonce)
    noise = b""
    if become_user is None:
        stream = open_stream(["/bin/sh", "-c", command])
    else:
        entered = enter(settings, become_user, command, open_stream)
        stream, noise = entered.stream, entered.noise + entered.rest
    try:
        # nothing reads standard input before the first stage does: the payload need not wait for it
        with suppress(EOFError):
            stream.send(payload())
        seen, rest, announced = read_until(stream, f"RINGUP {nonce}\n".encode(), settings.timeouts.start_s)
    except TimeoutError:
        heard = last_words(noise + stream.errors())
        stream.close()
        message = f"the agent did not start within {settings.timeouts.start_s:g} s" + (f"; the host said: {heard}" if heard else "")
        raise LinkLost(message, where=settings.name, hint="log in by hand: does the shell wait for something?") from None
    noise += seen
    if not announced:
        raise _silent(stream, settings, noise)
    return Started(stream, rest, noise[-NOISE_BYTES:])


def _silent(stream: Stream, settings: ConnectionSettings, seen: bytes) -> LinkLost | NoInterpreter:
    """The agent never spoke: say why, by what was said instead."""
    words = last_words(seen.replace(NO_PYTHON.encode(), b"") + stream.errors())
    no_python = NO_PYTHON.encode() in seen
    stream.close()
    if no_python:
        if settings.interpreter:
            message = f"{settings.interpreter} is no Python 3.6 or newer, or does not run"
            return NoInterpreter(
                message, where=settings.name, hint="correct ansible_python_interpreter, or leave it out to have one looked for"
            )
        hint = "raw works without one; run the bootstrap role, or set ansible_python_interpreter"
        return NoInterpreter(f"no Python 3.6 or newer was found (tried {', '.join(CANDIDATES[:4])} ...)", where=settings.name, hint=hint)
    hint = "log in by hand and look at what the login shell does"
    return LinkLost(f"the login shell ended before the agent could start: {words or 'without a word'}", where=settings.name, hint=hint)
