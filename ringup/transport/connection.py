"""A host: one Fabric connection over its jump hosts, and the agents that live on it."""

from __future__ import annotations

import logging
import shlex
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import paramiko

from ringup.errors import ConnectionFailed, ConnectTimeout, InputError, LinkLost
from ringup.transport.jumps import JUMPS
from ringup.transport.link import AgentLink, Call
from ringup.transport.opening import open_hop
from ringup.transport.raw import RawResult, run_raw
from ringup.transport.route import Hop, route
from ringup.transport.settings import ConnectionSettings
from ringup.transport.start import start_agent
from ringup.transport.streams import ChannelStream, ProcessStream, Stream

if TYPE_CHECKING:
    import fabric

__all__ = ["HostConnection", "RawResult"]

# paramiko logs tracebacks of its own; every error reaches the operator once, in our words
logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)

#: how long a lost connection is tried again before its host counts as unreachable: an sshd that restarts is back by then
RECONNECT_S = 30.0
LOCK_AGAIN_S = 5.0
#: failures that may pass; another key or a wrong one does not
PASSING = (ConnectionFailed, ConnectTimeout, LinkLost)


class HostConnection:
    """Reaches one host. Opened lazily; one agent for each user, started lazily. Safe for one caller at a time.

    Args:
        settings: how to reach it.
    """

    def __init__(self, settings: ConnectionSettings) -> None:
        self.settings = settings
        self._fabric: fabric.Connection | None = None
        #: further connections, for sessions that sshd allows no more of on one (MaxSessions)
        self._further: list[fabric.Connection] = []
        self._jumps: tuple[Hop, ...] = ()
        self._links: dict[str | None, AgentLink] = {}
        self._lock = threading.RLock()
        self._closing = False
        self._cancelled = False
        #: who we are in the host's lock, once it is ours
        self._holder: Mapping[str, Any] | None = None

    @property
    def is_open(self) -> bool:
        return self.settings.kind == "local" or (self._fabric is not None and bool(self._fabric.is_connected))

    def open(self) -> None:
        """Connect and authenticate.

        Raises:
            ConnectionFailed: one of its kinds, with what to do.
        """
        with self._lock:
            if self.is_open:
                return
            self._disconnect()
            *jumps, host = route(self.settings)
            through = JUMPS.enter(tuple(jumps))
            self._jumps = tuple(jumps)
            try:
                self._fabric = open_hop(host, through)
            except BaseException:
                self._disconnect()
                raise

    def agent(self, become_user: str | None = None) -> AgentLink:
        """The agent of a user, started if it is not there; None is the login user.

        Raises:
            ConnectionFailed: the host cannot be reached, has no Python (NoInterpreter), or does not give the rights (BecomeFailed).
        """
        with self._lock:
            link = self._links.get(become_user)
            if link is None:
                link = AgentLink(start_agent(self.settings, become_user, self._stream), self.settings.name)
                self._links[become_user] = link
            return link

    def lock(self, holder: Mapping[str, Any], wait_s: float) -> None:
        """Take the host for a run; a connection that is lost and opened again takes it again.

        Args:
            holder: {run, user, host, pid, since}: shown to whoever finds the host taken.
        Raises:
            HostLocked: another run holds it; says who, from where, since when.
        """
        self.agent().lock(holder, wait_s)
        self._holder = holder

    def call(self, call: Call, become_user: str | None = None) -> dict[str, Any]:
        """Run a module. A connection that is lost on the way is opened again, and the result of the very same run collected.

        Raises:
            ConnectionFailed: the host cannot be reached (any more).
        """
        link = self.agent(become_user)
        try:
            return link.call(call)
        except LinkLost as lost:
            if self._closing or call.dies_with_controller:
                raise
            return self._recovered(call, become_user, lost)

    def _recovered(self, call: Call, become_user: str | None, lost: LinkLost) -> dict[str, Any]:
        link = self._reconnected(become_user)
        if call.sink is not None:
            # what it sent beside its result is gone; it only reads, so it may run again
            call.sink.seek(0)
            call.sink.truncate()
            return link.call(call.again())
        state, result = link.collect(call.key)
        if state == "done" and result is not None:
            return result
        if state == "unknown":
            # it never began, and its name is burnt, so that a frame still under way cannot begin it either
            return link.call(call.again())
        message = f"{lost.message}, and the task in hand was ended with it; it may be half done"
        raise LinkLost(message, where=self.settings.name, hint="run the playbook again: it converges from any state")

    def _reconnected(self, become_user: str | None) -> AgentLink:
        """A new connection with the same rights and the same lock, tried until the host counts as unreachable."""
        deadline, pause_s = time.monotonic() + RECONNECT_S, 0.2
        while True:
            self._disconnect()
            try:
                if self._holder is not None:
                    self.agent().lock(self._holder, wait_s=LOCK_AGAIN_S)
                return self.agent(become_user)
            except (ConnectionFailed, InputError) as error:
                if type(error) not in PASSING or self._closing or self._cancelled or time.monotonic() > deadline:
                    raise
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, 3.0)

    def raw(self, command: str, timeout_s: float | None = None, stdin: bytes = b"", become_user: str | None = None) -> RawResult:
        """Run a shell text without an agent or Python.

        Raises:
            LinkLost: it did not end within the limit, or the connection went away.
            BecomeFailed: the rights were refused.
            TaskFailed: it was cancelled.
        """
        return run_raw(
            self.settings,
            self._stream,
            command,
            timeout_s=timeout_s,
            stdin=stdin,
            become_user=become_user,
            cancelled=lambda: self._cancelled,
        )

    def _stream(self, argv: Sequence[str]) -> Stream:
        """Run an argument list on the host and give its streams."""
        if self.settings.kind == "local":
            return ProcessStream(argv)
        self.open()
        limit_s = self.settings.timeouts.channel_s
        try:
            channel = self._session(limit_s)
            channel.settimeout(limit_s)
            channel.exec_command(shlex.join(argv))
        except (paramiko.SSHException, EOFError, OSError) as error:
            message = f"no session could be opened: {error or type(error).__name__}"
            raise LinkLost(message, where=self.settings.name, hint="is the host going down? look at its sshd log") from error
        return ChannelStream(channel, limit_s * 4)

    def _session(self, limit_s: float) -> paramiko.Channel:
        """A session on the first connection that has room for one; where none has, on a further one."""
        assert self._fabric is not None
        session: paramiko.Channel
        with self._lock:
            for connection in (self._fabric, *self._further):
                try:
                    session = connection.transport.open_session(timeout=limit_s)
                except paramiko.ChannelException:
                    continue  # refused in due form: this connection has as many as sshd allows
                return session
            self._further.append(self._opened_further())
            session = self._further[-1].transport.open_session(timeout=limit_s)
            return session

    def _opened_further(self) -> fabric.Connection:
        *jumps, host = route(self.settings)
        way = tuple(jumps)
        through = JUMPS.enter(way)
        try:
            return open_hop(host, through)
        finally:
            # the first connection keeps the way open
            JUMPS.leave(way)

    def local_address(self) -> str:
        """This machine's address as the host sees it; empty behind a jump host."""
        if self.settings.kind == "local":
            return "127.0.0.1"
        self.open()
        assert self._fabric is not None
        sock = self._fabric.transport.sock
        return "" if self._jumps or isinstance(sock, paramiko.ProxyCommand) else str(sock.getsockname()[0])

    def cancel(self) -> None:
        """Ask every task in hand to end; nothing is tried again after it."""
        self._cancelled = True
        for link in list(self._links.values()):
            link.cancel()

    def drop(self) -> None:
        """Forget the connection, its agents and the host's lock, as after a reboot; the next call opens a new one."""
        with self._lock:
            self._holder = None
            self._disconnect()

    def _disconnect(self) -> None:
        with self._lock:
            for link in self._links.values():
                link.close()
            self._links.clear()
            for connection in (*self._further, self._fabric):
                if connection is not None:
                    with suppress(OSError, EOFError):
                        connection.close()
            self._further.clear()
            self._fabric = None
            jumps, self._jumps = self._jumps, ()
            JUMPS.leave(jumps)

    def close(self) -> None:
        """End the agents and the connection."""
        self._closing = True
        self.drop()
