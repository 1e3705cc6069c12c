"""Starting the agent: interpreter found and proved in one round trip, another user's rights where asked, noise told from speech."""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from ringup.agent.bundle import FIRST_STAGE, payload
from ringup.errors import BecomeFailed, LinkLost, NoInterpreter
from ringup.transport.settings import BecomeSettings, ConnectionSettings
from ringup.transport.streams import Stream, read_until

#: tried in this order; a candidate counts only when it runs and says that it is new enough (a shim may be found and not work)
CANDIDATES = (
    "/usr/bin/python3",
    "python3",
    "/usr/libexec/platform-python",
    *(f"python3.{minor}" for minor in range(15, 5, -1)),
    "/opt/python/bin/python3",
)
NO_PYTHON = "RINGUP-NO-PYTHON"
NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 6))"
#: how much of what came before the announcement is worth repeating
NOISE_BYTES = 2000


@dataclass(frozen=True, slots=True)
class Started:
    """An announced agent: `rest` is what came behind the announcement, `noise` what came before it."""

    stream: Stream
    rest: bytes
    noise: bytes


def shell_command(interpreter: str | None, nonce: str) -> str:
    """The POSIX shell text that finds an interpreter and becomes the first stage."""
    names = (interpreter,) if interpreter else CANDIDATES
    words = " ".join(shlex.quote(name) for name in names)
    return (
        f"for p in {words}; do "
        f'if "$p" -I -S -c {shlex.quote(NEW_ENOUGH)} >/dev/null 2>&1; then '
        f'exec "$p" -I -S -u -c {shlex.quote(FIRST_STAGE)} {nonce}; fi; done; '
        f"echo {NO_PYTHON} {nonce}; exit 127"
    )


def become_command(become: BecomeSettings, user: str, command: str, prompt: str) -> list[str]:
    """The command that runs a shell text as another user.

    Raises:
        BecomeFailed: the method is not one of ours.
    """
    flags = shlex.split(become.flags)
    if become.method == "sudo":
        # a prompt of our own tells sudo's question from anything else, whatever the language
        ask = ["-S", "-p", prompt] if become.password is not None else ["-n"]
        return ["sudo", *ask, "-H", *flags, "-u", user, "/bin/sh", "-c", command]
    if become.method == "su":
        return ["su", *flags, "-s", "/bin/sh", "-c", command, user]
    raise BecomeFailed(f"become method '{become.method}' is not supported", hint="one of: sudo, su")


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
    nonce, prompt = secrets.token_hex(8), f"[ringup {secrets.token_hex(6)}] "
    command = shell_command(settings.interpreter, nonce)
    argv = ["/bin/sh", "-c", command] if become_user is None else become_command(settings.become, become_user, command, prompt)
    stream = open_stream(argv)
    try:
        before, _, booted = _boot(stream, settings, become_user, f"RINGUP-BOOT {nonce}\n".encode(), prompt)
        if not booted:
            _refused(stream, settings, become_user, before)
        stream.send(payload())
        noise, rest, announced = read_until(stream, f"RINGUP {nonce}\n".encode(), settings.timeouts.start_s)
    except TimeoutError:
        stream.close()
        heard = _words(stream.errors())
        message = f"the agent did not start within {settings.timeouts.start_s:g} s" + (f"; the host said: {heard}" if heard else "")
        raise LinkLost(message, where=settings.name, hint="log in by hand: does the shell wait for something?") from None
    except EOFError:
        stream.close()
        raise LinkLost("the connection ended while the agent started", where=settings.name) from None
    if not announced:
        words = _words(noise + stream.errors())
        stream.close()
        raise LinkLost(f"the agent ended as it started: {words}", where=settings.name)
    return Started(stream, rest, before[-NOISE_BYTES:])


def _boot(stream: Stream, settings: ConnectionSettings, become_user: str | None, mark: bytes, prompt: str) -> tuple[bytes, bytes, bool]:
    """Wait for the first stage; answer sudo's question once when it comes."""
    if become_user is None or settings.become.password is None or settings.become.method != "sudo":
        return read_until(stream, mark, settings.timeouts.start_s)
    deadline = time.monotonic() + settings.timeouts.start_s
    seen, asked, words = b"", False, b""
    while mark not in seen:
        words += stream.errors()
        if prompt.encode() in words:
            if asked:
                stream.close()
                raise BecomeFailed(
                    f"sudo did not take the password for {become_user}",
                    where=settings.name,
                    hint="check ansible_become_password; it was tried once",
                )
            asked, words = True, b""
            stream.send(settings.become.password.encode() + b"\n")
        try:
            piece = stream.receive(0.05)
        except TimeoutError:
            if time.monotonic() > deadline:
                raise
            continue
        if not piece:
            return words + seen, b"", False
        seen += piece
    before, _, after = seen.partition(mark)
    return before, after, True


def _refused(stream: Stream, settings: ConnectionSettings, become_user: str | None, seen: bytes) -> None:
    """The first stage never spoke: say why, by what was said instead."""
    words = _words(seen + stream.errors())
    stream.close()
    if NO_PYTHON.encode() in seen:
        tried = settings.interpreter or ", ".join(CANDIDATES[:4])
        hint = "raw works without one; run the bootstrap role, or set ansible_python_interpreter"
        raise NoInterpreter(f"no Python 3.6 or newer was found ({tried})", where=settings.name, hint=hint)
    if become_user is not None:
        raise BecomeFailed(
            f"{settings.become.method} to {become_user} was refused: {words or 'without a word'}",
            where=settings.name,
            hint=_become_hint(words),
        )
    hint = "log in by hand and look at what the login shell does"
    raise LinkLost(f"the login shell ended before the agent could start: {words or 'without a word'}", where=settings.name, hint=hint)


def _become_hint(words: str) -> str:
    if "password" in words:
        return "set ansible_become_password (from a vault), or allow the user sudo without a password"
    if "tty" in words:
        return "remove requiretty for this user from the sudoers file"
    if "not in the sudoers" in words or "not allowed" in words:
        return "give the user a line in /etc/sudoers.d"
    return "try by hand: sudo -n true"


def _words(raw: bytes) -> str:
    """The last lines of what a host said, on one line."""
    lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    return "; ".join(lines[-3:])[-500:]
