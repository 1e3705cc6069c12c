"""Another user's rights: sudo or su, the password sent once and only when it is asked for, refusals in their own words."""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from ringup.errors import BecomeFailed, LinkLost
from ringup.transport.settings import BecomeSettings, ConnectionSettings
from ringup.transport.streams import Stream, last_words

#: how often standard error is looked at for the question
GLANCE_S = 0.05
#: su's question has no mark of ours; in every language it ends so
QUESTION_ENDS = (b":", "：".encode())


@dataclass(frozen=True, slots=True)
class Entered:
    """A command that runs as the other user: `rest` is what it has already said, `noise` what was said before it."""

    stream: Stream
    rest: bytes
    noise: bytes


def enter(settings: ConnectionSettings, user: str, command: str, open_stream: Callable[[list[str]], Stream]) -> Entered:
    """Run a shell text as another user.

    Args:
        open_stream: runs an argument list on the host.
    Raises:
        BecomeFailed: refused, with what sudo or su said.
        LinkLost: the connection ended, or nothing was said within the limit.
    """
    mark, prompt = f"RINGUP-IN {secrets.token_hex(8)}\n".encode(), f"[ringup {secrets.token_hex(6)}] "
    text = f"echo {shlex.quote(mark.decode().strip())}; {command}"
    stream = open_stream(_argv(settings, user, text, prompt))
    door = _Door(settings, user, prompt.encode() if settings.become.method == "sudo" else None)
    try:
        seen = door.through(stream, mark)
    except BaseException:
        stream.close()
        raise
    before, _, after = seen.partition(mark)
    return Entered(stream, after, before)


def _argv(settings: ConnectionSettings, user: str, text: str, prompt: str) -> list[str]:
    become: BecomeSettings = settings.become
    flags = shlex.split(become.flags)
    if become.method == "sudo":
        # a prompt of our own tells sudo's question from anything else, whatever the language
        ask = ["-S", "-p", prompt] if become.password is not None else ["-n"]
        return ["sudo", *ask, "-H", *flags, "-u", user, "/bin/sh", "-c", text]
    if become.method == "su":
        return ["su", *flags, "-s", "/bin/sh", "-c", text, user]
    hint = "set ansible_become_method to sudo or su"
    raise BecomeFailed(f"become method '{become.method}' is not supported", where=settings.name, hint=hint)


class _Door:
    """Waits for the mark; answers the question once.

    Args:
        prompt: sudo's question, chosen by us; None: su's own.
    """

    def __init__(self, settings: ConnectionSettings, user: str, prompt: bytes | None) -> None:
        self._settings = settings
        self._user = user
        self._prompt = prompt
        self._answered = False

    def through(self, stream: Stream, mark: bytes) -> bytes:
        deadline = time.monotonic() + self._settings.timeouts.start_s
        seen, words = b"", b""
        while mark not in seen:
            words += stream.errors()
            if self._asked(words):
                self._answer(stream)
                words = b""
            try:
                piece = stream.receive(GLANCE_S)
            except TimeoutError:
                if time.monotonic() < deadline:
                    continue
                said = last_words(words + seen)
                raise LinkLost(
                    f"{self._settings.become.method} to {self._user} did not answer within {self._settings.timeouts.start_s:g} s: {said}",
                    where=self._settings.name,
                    hint=f"try by hand: {self._settings.become.method}",
                ) from None
            if not piece:
                raise self._refused(last_words(seen + words + stream.errors()))
            seen += piece
        return seen

    def _asked(self, words: bytes) -> bool:
        if self._prompt is not None:
            return self._prompt in words
        return not self._answered and words.rstrip().endswith(QUESTION_ENDS)

    def _answer(self, stream: Stream) -> None:
        become = self._settings.become
        if self._answered:
            # one attempt: a second wrong one may lock the account
            raise self._refused(f"{become.method} did not take the password, which was tried once")
        if become.password is None:
            raise self._refused(f"{become.method} asks for a password")
        self._answered = True
        try:
            stream.send(become.password.encode() + b"\n")
        except EOFError as error:
            raise LinkLost(f"the connection was lost: {error}", where=self._settings.name) from None

    def _refused(self, words: str) -> BecomeFailed:
        message = f"{self._settings.become.method} to {self._user} was refused: {words or 'without a word'}"
        return BecomeFailed(message, where=self._settings.name, hint=_hint(words))


def _hint(words: str) -> str:
    text = words.lower()
    if "tty" in text:
        return "remove requiretty (and !visiblepw) for this user from the sudoers file"
    if "not in the sudoers" in text or "not allowed" in text or "may not run" in text:
        return "give the user a line in /etc/sudoers.d"
    if "did not take" in text or "authentication failure" in text:
        return "check ansible_become_password"
    if "password" in text:
        return "set ansible_become_password (from a vault), or allow the user sudo without a password"
    if "not found" in text:
        return "install it, or set ansible_become_method"
    return "try by hand: sudo -n true"
