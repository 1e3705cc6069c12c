"""An SSH channel or a local process as one kind of thing: bytes in, bytes out, with a limit on every wait."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from typing import Protocol

import paramiko

PIECE_BYTES = 1 << 16


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

    def status(self) -> int | None:
        """The exit status once it has ended, or None."""
        ...

    def close(self) -> None: ...


class ChannelStream:
    """An SSH session channel on which a command runs."""

    def __init__(self, channel: paramiko.Channel, send_limit_s: float) -> None:
        self._channel = channel
        self._send_limit_s = send_limit_s

    def send(self, data: bytes) -> None:
        self._channel.settimeout(self._send_limit_s)
        try:
            self._channel.sendall(data)
        except (OSError, paramiko.SSHException) as error:
            raise EOFError(str(error)) from error

    def receive(self, timeout_s: float) -> bytes:
        self._channel.settimeout(max(timeout_s, 0.001))
        try:
            return self._channel.recv(PIECE_BYTES)
        except TimeoutError:
            raise
        except (OSError, paramiko.SSHException):
            return b""

    def errors(self) -> bytes:
        pieces = []
        while self._channel.recv_stderr_ready():
            pieces.append(self._channel.recv_stderr(PIECE_BYTES))
        return b"".join(pieces)

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
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._process.stdout, selectors.EVENT_READ)

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
        if not self._selector.select(max(timeout_s, 0)):
            raise TimeoutError
        return os.read(self._process.stdout.fileno(), PIECE_BYTES)

    def errors(self) -> bytes:
        assert self._process.stderr is not None
        try:
            return self._process.stderr.read() or b""
        except (BlockingIOError, ValueError):
            return b""

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
