"""An SSH channel or a local process as one kind of thing: bytes in, bytes out, with a limit on every wait."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

import paramiko

PIECE_BYTES = 1 << 16
#: how often standard error is looked at while standard output is silent
GLANCE_S = 0.25


class Stream(Protocol):
    """What the agent link needs of a connection."""

    def send(self, data: bytes) -> None:
        """Send all of it; raises EOFError when the other side is gone."""
        ...

    def receive(self, timeout_s: float) -> bytes:
        """The next piece of standard output; b"" at its end.

        Raises:
            TimeoutError: nothing came within the limit.
        """
        ...

    def errors(self) -> bytes:
        """What has come on standard error since the last call; never waits."""
        ...

    def end_input(self) -> None:
        """No more will be sent."""
        ...

    def status(self) -> int | None:
        """The exit status once it has ended (-1: lost with the connection), or None."""
        ...

    def close(self) -> None: ...


class ChannelStream:
    """An SSH session channel on which a command runs."""

    def __init__(self, channel: paramiko.Channel, send_limit_s: float) -> None:
        self._channel = channel
        self._send_limit_s = send_limit_s
        self._heard: list[bytes] = []

    def send(self, data: bytes) -> None:
        self._channel.settimeout(self._send_limit_s)
        try:
            self._channel.sendall(data)
        except (OSError, paramiko.SSHException) as error:
            raise EOFError(str(error)) from error

    def receive(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        while True:
            # standard error is taken in meanwhile: left alone, a full window would stop the program
            left_s = deadline - time.monotonic()
            self._channel.settimeout(min(max(left_s, 0.001), GLANCE_S))
            try:
                return self._channel.recv(PIECE_BYTES)
            except TimeoutError:
                self._hear()
                if left_s <= 0:
                    raise
            except (OSError, paramiko.SSHException):
                return b""

    def _hear(self) -> None:
        while self._channel.recv_stderr_ready():
            self._heard.append(self._channel.recv_stderr(PIECE_BYTES))

    def errors(self) -> bytes:
        self._hear()
        heard, self._heard = b"".join(self._heard), []
        return heard

    def end_input(self) -> None:
        with suppress(OSError, paramiko.SSHException):
            self._channel.shutdown_write()

    def status(self) -> int | None:
        return self._channel.recv_exit_status() if self._channel.exit_status_ready() else None

    def close(self) -> None:
        self._channel.close()


class ProcessStream:
    """A process on this machine, for `ansible_connection: local`."""

    def __init__(self, argv: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, bufsize=0
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        self._heard: list[bytes] = []
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)
        self._selector.register(self._process.stderr, selectors.EVENT_READ)

    def send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        try:
            while view:
                view = view[self._process.stdin.write(view) or 0 :]
        except OSError as error:
            raise EOFError(str(error)) from error

    def receive(self, timeout_s: float) -> bytes:
        assert self._process.stdout is not None
        deadline = time.monotonic() + timeout_s
        while True:
            ready = [key.fileobj for key, _ in self._selector.select(max(deadline - time.monotonic(), 0))]
            if self._process.stdout in ready:
                return os.read(self._process.stdout.fileno(), PIECE_BYTES)
            if not ready:
                raise TimeoutError
            self._hear()

    def _hear(self) -> None:
        assert self._process.stderr is not None
        try:
            while piece := os.read(self._process.stderr.fileno(), PIECE_BYTES):
                self._heard.append(piece)
        except (BlockingIOError, ValueError):
            return
        if self._process.stderr in self._selector.get_map():
            self._selector.unregister(self._process.stderr)

    def errors(self) -> bytes:
        self._hear()
        heard, self._heard = b"".join(self._heard), []
        return heard

    def end_input(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    def status(self) -> int | None:
        return self._process.poll()

    def close(self) -> None:
        """Let the agent see that we are gone; it ends by itself when its tasks have, so it is not waited for for long."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._selector.close()
        try:
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            # a task in hand goes on without us; the object must not warn when it is collected
            self._process.returncode = 0


def read_until(stream: Stream, mark: bytes, timeout_s: float) -> tuple[bytes, bytes, bool]:
    """Read standard output until a mark has come.

    Returns:
        What came before the mark, what came after it, and whether it came at all (else the stream has ended).
    Raises:
        TimeoutError: it did not come within the limit.
    """
    deadline = time.monotonic() + timeout_s
    seen = b""
    while mark not in seen:
        piece = stream.receive(deadline - time.monotonic())
        if not piece:
            return seen, b"", False
        seen += piece
    before, _, after = seen.partition(mark)
    return before, after, True


def last_words(raw: bytes) -> str:
    """The last lines of what a host said, on one line."""
    lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines() if line.strip()]
    return "; ".join(lines[-3:])[-500:]
