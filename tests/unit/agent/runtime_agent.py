"""A real agent as a process of its own, spoken to in frames: what a controller never does can be tried as well."""

from __future__ import annotations

import os
import select
import subprocess
import time
import uuid
from contextlib import suppress
from typing import Any

from ringup.agent import bundle, wire

#: CI runs these tests with the oldest Python that hosts may have as well
PYTHON = os.environ.get("RINGUP_AGENT_PYTHON", "/usr/bin/python3")


class RuntimeAgent:
    """An agent behind pipes; `noise` is what a program of it could have written to the streams it was started with."""

    def __init__(self, python: str = PYTHON, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [python, "-I", "-S", "-u", "-c", bundle.FIRST_STAGE, "nonce"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            bufsize=0,
        )
        self._decoder = wire.Decoder()
        self._frames: list[tuple[dict[str, Any], bytes]] = []
        self.number = 0
        self._write(bundle.payload())
        seen = b""
        while b"RINGUP nonce\n" not in seen:
            piece = self._read(30)
            assert piece, "the agent ended as it started"
            seen += piece
        self._frames += self._decoder.feed(seen.partition(b"RINGUP nonce\n")[2])
        self.ready = self.next("ready")

    def _write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) or 0 :]

    def _read(self, limit_s: float) -> bytes:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], limit_s)[0]:
            raise AssertionError(f"the agent said nothing within {limit_s} s")
        return os.read(self.process.stdout.fileno(), 65536)

    def send(self, message: dict[str, Any], blob: bytes = b"") -> None:
        self._write(wire.encode(message, blob))

    def next(self, kind: str, limit_s: float = 30.0) -> dict[str, Any]:
        """The next frame of a kind; those before it are passed over."""
        deadline = time.monotonic() + limit_s
        while True:
            while self._frames:
                message, _ = self._frames.pop(0)
                if message["type"] == kind:
                    return message
            piece = self._read(max(0.0, deadline - time.monotonic()))
            assert piece, f"the agent ended before it sent '{kind}'"
            self._frames += self._decoder.feed(piece)

    def start(self, module: str, args: dict[str, Any], **values: Any) -> str:
        """Send a task and give its key."""
        self.number += 1
        key = values.pop("key", uuid.uuid4().hex)
        self.send({"type": "task", "id": self.number, "key": key, "module": module, "args": args, **values})
        return str(key)

    def run(self, module: str, args: dict[str, Any], **values: Any) -> dict[str, Any]:
        self.start(module, args, **values)
        return dict(self.next("result")["result"])

    def leave(self) -> int:
        """Close its input, as a controller that is gone; gives its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=30)

    def end(self) -> None:
        """Leave nothing behind: every result is acknowledged, and what still runs is ended."""
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):
            for number in range(1, self.number + 1):
                self.send({"type": "cancel", "id": number})
            self.send({"type": "bye", "received": list(range(1, self.number + 1))})
            self.process.wait(timeout=5)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
