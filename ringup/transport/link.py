"""One agent on one host: frames out, frames in, and a limit on every wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ringup.agent.wire import CHUNK_BYTES, HEARTBEAT_S, PROTOCOL, Decoder, ProtocolError, encode
from ringup.errors import HostLocked, LinkLost
from ringup.transport.start import Started
from ringup.transport.streams import Stream

#: a running agent is heard every HEARTBEAT_S; after three that stayed out the link is taken for dead
SILENCE_S = 3 * HEARTBEAT_S + 5.0
#: the agent's own limit on a task fires first; ours is for an agent that cannot keep it
MARGIN_S = 30.0


@dataclass(frozen=True, slots=True)
class Call:
    """One task for an agent.

    Attributes:
        key: unique in the world: by it a reconnecting controller finds the result.
        uploads: name -> content; what the module finds as `host.uploads[name]`.
        sink: takes what the task sends back beside its result (fetch).
        dies_with_controller: the task ends when we are gone (collectives).
    """

    module: str
    args: Mapping[str, Any]
    key: str
    check: bool = False
    diff: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None
    uploads: Mapping[str, bytes | Path] = field(default_factory=dict)
    sink: BinaryIO | None = None
    dies_with_controller: bool = False
    on_progress: Callable[[str], None] | None = None


class AgentLink:
    """Speaks with a started agent; one caller at a time."""

    def __init__(self, started: Started, host: str) -> None:
        self._stream: Stream = started.stream
        self._host = host
        self._decoder = Decoder()
        self._frames: list[tuple[dict[str, Any], bytes]] = self._decoder.feed(started.rest)
        self._number = 0
        self._lock = threading.Lock()
        self._cancelled = False
        #: what the login shell said before the agent spoke
        self.noise = started.noise
        #: the agent's first frame: python, user, boot_id, ...
        self.ready: Mapping[str, Any] = self._await_ready()

    def _await_ready(self) -> Mapping[str, Any]:
        message, _ = self._next(time.monotonic() + SILENCE_S)
        if message.get("protocol") != PROTOCOL:
            raise LinkLost(f"the agent speaks protocol {message.get('protocol')}, not {PROTOCOL}", where=self._host)
        return message

    def call(self, call: Call) -> dict[str, Any]:
        """Run a module and wait for its result.

        Raises:
            LinkLost: the connection went away or fell silent; the task may have run (see `collect`).
        """
        with self._lock:
            self._number += 1
            number = self._number
            for name, content in call.uploads.items():
                self._upload(f"{call.key}-{name}", content)
            message = {
                "type": "task",
                "id": number,
                "key": call.key,
                "module": call.module,
                "args": dict(call.args),
                "check": call.check,
                "diff": call.diff,
                "environment": dict(call.environment),
                "timeout_s": call.timeout_s,
                "uploads": {name: f"{call.key}-{name}" for name in call.uploads},
                "dies_with_controller": call.dies_with_controller,
            }
            self._send(message)
            return self._await_result(number, call)

    def _await_result(self, number: int, call: Call) -> dict[str, Any]:
        limit = time.monotonic() + call.timeout_s + MARGIN_S if call.timeout_s else None
        told = False
        while True:
            silence = time.monotonic() + SILENCE_S
            message, blob = self._next(min(silence, limit) if limit else silence)
            kind = message["type"]
            if self._cancelled and not told:
                told = True
                self._send({"type": "cancel", "id": number})
            if message.get("id") != number:
                continue
            if kind == "result":
                return dict(message["result"])
            if kind == "progress" and call.on_progress is not None:
                call.on_progress(str(message["line"]))
            elif kind == "file" and call.sink is not None:
                call.sink.write(blob)

    def collect(self, key: str) -> tuple[str, dict[str, Any] | None]:
        """What became of a task that an earlier link started.

        Returns:
            ("done", result), ("lost", None): it was ended from outside, or ("unknown", None): it never began.
        """
        with self._lock:
            self._number += 1
            self._send({"type": "collect", "id": self._number, "key": key})
            while True:
                message, _ = self._next(None)
                if message["type"] == "collected" and message["id"] == self._number:
                    return str(message["state"]), message["result"]

    def lock(self, holder: Mapping[str, Any], wait_s: float) -> None:
        """Take the host for this run.

        Raises:
            HostLocked: another run holds it; says who, from where, since when.
        """
        with self._lock:
            self._send({"type": "lock", "holder": dict(holder), "wait_s": wait_s})
            message, _ = self._next(time.monotonic() + wait_s + SILENCE_S)
        held = message.get("holder")
        if held is not None:
            who = (
                f"{held.get('user', 'someone')}@{held.get('host', 'somewhere')}, run {held.get('run', '?')}, since {held.get('since', '?')}"
            )
            hint = "wait for it to end; a lock whose run is gone is released by itself once its last task has ended"
            raise HostLocked(f"another run holds the host: {who}", where=self._host, hint=hint)

    def cancel(self) -> None:
        """Ask the task in hand to end; safe from another thread."""
        self._cancelled = True
        with suppress(EOFError):
            self._stream.send(encode({"type": "cancel", "id": self._number}))

    def close(self) -> None:
        self._stream.close()

    def _upload(self, name: str, content: bytes | Path) -> None:
        if isinstance(content, bytes):
            self._send({"type": "file", "upload": name}, content)
            return
        with content.open("rb") as stream:
            first = True
            while (piece := stream.read(CHUNK_BYTES)) or first:
                first = False
                self._send({"type": "file", "upload": name}, piece)

    def _send(self, message: Mapping[str, Any], blob: bytes = b"") -> None:
        try:
            self._stream.send(encode(message, blob))
        except EOFError as error:
            raise LinkLost(f"the connection was lost: {error or 'closed by the host'}", where=self._host) from None

    def _next(self, deadline: float | None) -> tuple[dict[str, Any], bytes]:
        """The next frame; raises LinkLost when the stream ends, falls silent, or is no stream of frames."""
        while not self._frames:
            limit_s = deadline - time.monotonic() if deadline is not None else 3600.0
            try:
                piece = self._stream.receive(limit_s)
            except TimeoutError:
                raise LinkLost("the host has fallen silent", where=self._host, hint="is it still up? look at its console") from None
            if not piece:
                raise LinkLost("the connection was lost: closed by the host", where=self._host)
            try:
                self._frames += self._decoder.feed(piece)
            except ProtocolError as error:
                raise LinkLost(f"the host sent {error}", where=self._host) from None
        return self._frames.pop(0)
