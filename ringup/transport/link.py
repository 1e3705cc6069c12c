"""One agent on one host: frames out, frames in, and a limit on every wait."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from ringup.agent.wire import CHUNK_BYTES, HEARTBEAT_S, PROTOCOL, Decoder, ProtocolError, encode
from ringup.errors import HostLocked, LinkLost
from ringup.transport.start import Started
from ringup.transport.streams import Stream, last_words

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

    def again(self) -> Call:
        """The same call under a new key, for one that never began."""
        return replace(self, key=uuid.uuid4().hex)


class AgentLink:
    """Speaks with a started agent; one caller at a time.

    Args:
        started: from `start_agent`.
        host: its name, for messages.
    Raises:
        LinkLost: it ended, or speaks another protocol.
    """

    def __init__(self, started: Started, host: str) -> None:
        self._stream: Stream = started.stream
        self._host = host
        self._decoder = Decoder()
        self._frames: list[tuple[dict[str, Any], bytes]] = self._decoder.feed(started.rest)
        self._number = 0
        #: results that have come and of which the agent has not been told yet
        self._received: list[int] = []
        self._caller = threading.Lock()
        self._sender = threading.Lock()
        self._in_hand: int | None = None
        #: nothing can be said any more, not even good-bye
        self._broken = False
        #: the task that was asked to end
        self._cancelled: int | None = None
        #: what the login shell said before the agent spoke
        self.noise = started.noise
        #: the agent's first frame: python, user, boot_id, ...
        self.ready: Mapping[str, Any] = self._await_ready()

    def _await_ready(self) -> Mapping[str, Any]:
        message, _ = self._next()
        if message.get("protocol") != PROTOCOL:
            raise LinkLost(f"the agent speaks protocol {message.get('protocol')}, not {PROTOCOL}", where=self._host)
        return message

    def call(self, call: Call) -> dict[str, Any]:
        """Run a module and wait for its result.

        Raises:
            LinkLost: the connection went away or fell silent; the task may have run (see `collect`).
        """
        with self._caller:
            number = self._numbered()
            self._in_hand = number
            try:
                if call.uploads and self._received:
                    # a large file takes long: should we be lost meanwhile, results that have come need not wait for us
                    self._send({"type": "received", "received": self._received})
                    self._received = []
                for name, content in call.uploads.items():
                    self._upload(f"{call.key}-{name}", content)
                if self._cancelled == number:
                    return {"failed": True, "changed": False, "msg": "the task was cancelled before it began"}
                self._send_task(number, call)
                return self._await_result(number, call)
            finally:
                self._in_hand = None

    def _send_task(self, number: int, call: Call) -> None:
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
            "received": self._received,
        }
        self._send(message)
        self._received = []

    def _await_result(self, number: int, call: Call) -> dict[str, Any]:
        limit = time.monotonic() + call.timeout_s + MARGIN_S if call.timeout_s else None
        while True:
            message, blob = self._next(limit)
            if message.get("id") != number:
                continue
            kind = message["type"]
            if kind == "result":
                self._received.append(number)
                return dict(message["result"])
            if kind == "progress" and call.on_progress is not None:
                call.on_progress(str(message["line"]))
            elif kind == "file" and call.sink is not None:
                call.sink.write(blob)

    def collect(self, key: str) -> tuple[str, dict[str, Any] | None]:
        """What became of a task that an earlier link started; waits while it runs.

        Returns:
            ("done", result), ("lost", None): it was ended from outside, or ("unknown", None): it never began, and never will.
        Raises:
            LinkLost: this link is lost as well.
        """
        with self._caller:
            number = self._numbered()
            self._send({"type": "collect", "id": number, "key": key})
            while True:
                message, _ = self._next()
                if message["type"] == "collected" and message["id"] == number:
                    self._received.append(number)
                    return str(message["state"]), message["result"]

    def lock(self, holder: Mapping[str, Any], wait_s: float) -> None:
        """Take the host for a run; `HostConnection.lock` keeps it over a lost connection.

        Raises:
            HostLocked: another run holds it; says who, from where, since when.
        """
        with self._caller:
            self._send({"type": "lock", "holder": dict(holder), "wait_s": wait_s})
            message: Mapping[str, Any] = {}
            while message.get("type") != "locked":
                message, _ = self._next()
        held = message["holder"]
        if held is not None:
            by = f"{held.get('user', 'someone')}@{held.get('host', 'somewhere')}"
            who = f"{by}, run {held.get('run', '?')}, process {held.get('pid', '?')}, since {held.get('since', '?')}"
            hint = "wait for it to end; a lock whose run is gone is released by itself once its last task has ended"
            raise HostLocked(f"another run holds the host: {who}", where=self._host, hint=hint)

    def cancel(self) -> None:
        """Ask the task in hand to end; safe from another thread. Its result still comes, and says so."""
        number = self._in_hand
        if number is not None:
            self._cancelled = number
            with suppress(LinkLost):
                self._send({"type": "cancel", "id": number})

    def close(self) -> None:
        """Leave; the agent ends, or finishes what it has in hand first."""
        if not self._broken and not self._caller.locked():
            with suppress(LinkLost):
                self._send({"type": "bye", "received": self._received})
        self._stream.close()

    def _numbered(self) -> int:
        self._number += 1
        return self._number

    def _upload(self, name: str, content: bytes | Path) -> None:
        if isinstance(content, bytes):
            self._send({"type": "file", "upload": name, "size": len(content)}, content)
            return
        size = content.stat().st_size
        with content.open("rb") as stream:
            first = True
            while ((piece := stream.read(CHUNK_BYTES)) or first) and self._cancelled != self._in_hand:
                first = False
                self._send({"type": "file", "upload": name, "size": size}, piece)

    def _send(self, message: Mapping[str, Any], blob: bytes = b"") -> None:
        try:
            with self._sender:
                self._stream.send(encode(message, blob))
        except EOFError as error:
            raise self._lost(f"the connection was lost: {error or 'closed by the host'}") from None

    def _next(self, limit: float | None = None) -> tuple[dict[str, Any], bytes]:
        """The next frame.

        Args:
            limit: monotonic time after which no frame helps any more; silence ends the wait before it.
        Raises:
            LinkLost: the stream has ended, fell silent, or is no stream of frames; or the agent says that it has broken.
        """
        while not self._frames:
            # every piece shows that the host lives, also in the middle of a long frame on a slow line
            limit_s = SILENCE_S if limit is None else min(SILENCE_S, limit - time.monotonic())
            try:
                piece = self._stream.receive(limit_s)
            except TimeoutError:
                raise self._lost("the host has fallen silent", hint="is it still up? look at its console") from None
            if not piece:
                raise self._lost("the connection was lost: closed by the host")
            try:
                self._frames += self._decoder.feed(piece)
            except ProtocolError:
                raise self._lost(f"the connection was lost; the host's last words: {last_words(piece)}") from None
        message, blob = self._frames.pop(0)
        if message["type"] == "fault":
            hint = "this is a fault of Ringup's agent: please report it with the text above"
            raise self._lost(f"the agent broke: {last_words(message['text'].encode())}", hint=hint)
        return message, blob

    def _lost(self, message: str, hint: str | None = None) -> LinkLost:
        self._broken = True
        return LinkLost(message, where=self._host, hint=hint)
