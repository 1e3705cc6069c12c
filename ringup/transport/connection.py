"""A host: one Fabric connection, opened with a limit on each phase, and the agents that live on it."""

from __future__ import annotations

import logging
import random
import shlex
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import paramiko

from ringup.errors import AuthenticationFailed, ConnectionFailed, ConnectTimeout, HostKeyChanged, HostKeyUnknown, LinkLost
from ringup.transport.keys import load_key
from ringup.transport.known_hosts import KnownKey, fingerprint, known_keys, written_name
from ringup.transport.link import AgentLink, Call
from ringup.transport.settings import ConnectionSettings
from ringup.transport.start import start_agent
from ringup.transport.streams import ChannelStream, ProcessStream, Stream

if TYPE_CHECKING:
    import fabric

# paramiko logs tracebacks of its own; every error reaches the operator once, in our words
logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)

#: sshd drops the eleventh connection that has not yet authenticated (MaxStartups 10:30:100); behind one jump host that is soon reached
CONNECTING = threading.BoundedSemaphore(32)
BANNER_TRIES = 3
KEEPALIVE_S = 10
#: a lost connection is opened again this often before its host counts as unreachable
RECONNECTS = 3


@dataclass(frozen=True, slots=True)
class RawResult:
    """A command without an agent."""

    rc: int
    stdout: bytes
    stderr: bytes


class RefuseUnknown(paramiko.MissingHostKeyPolicy):
    """An unknown host key is refused with its fingerprint and the way to accept it."""

    def __init__(self, settings: ConnectionSettings, port: int) -> None:
        self._settings = settings
        self._port = port

    def missing_host_key(self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey) -> None:
        name = written_name(self._settings.address, self._port)
        file = self._settings.known_hosts[0] if self._settings.known_hosts else "~/.ssh/known_hosts"
        raise HostKeyUnknown(
            f"the host key of {name} is not known: {key.get_name()} {fingerprint(key.asbytes())}",
            where=self._settings.name,
            hint=f"compare the fingerprint with the host's console, then: ssh-keyscan -p {self._port} {self._settings.address} >> {file}",
        )


@lru_cache(maxsize=1)
def _fabric_config() -> fabric.Config:
    """The operator's Fabric and ~/.ssh/config, read once."""
    import fabric

    return fabric.Config()


class HostConnection:
    """Reaches one host. Opened lazily; one agent for each user, started lazily. Safe for one caller at a time.

    Args:
        settings: how to reach it.
    """

    def __init__(self, settings: ConnectionSettings) -> None:
        self.settings = settings
        self._fabric: fabric.Connection | None = None
        self._links: dict[str | None, AgentLink] = {}
        self._lock = threading.RLock()
        self._closing = False

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
            self._fabric = self._connected()

    def _connected(self) -> fabric.Connection:
        for attempt in range(1, BANNER_TRIES + 1):
            connection = self._prepared()
            try:
                with CONNECTING:
                    connection.open()
            except paramiko.SSHException as error:
                if "banner" in str(error).lower() and attempt < BANNER_TRIES:
                    # too many at once for the server: come again a little later, not all together
                    time.sleep(random.uniform(0.2, 1.0) * attempt)
                    continue
                raise self._explained(error, connection) from error
            except (OSError, EOFError) as error:
                raise self._explained(error, connection) from error
            connection.transport.set_keepalive(KEEPALIVE_S)
            return connection
        raise AssertionError("unreachable")

    def _prepared(self) -> fabric.Connection:
        """A Fabric connection with our own keys, host keys and limits, not yet open."""
        import fabric

        settings = self.settings
        limits = settings.timeouts
        arguments: dict[str, Any] = {
            "banner_timeout": limits.banner_s,
            "auth_timeout": limits.authentication_s,
            "channel_timeout": limits.channel_s,
            "compress": False,
        }
        if settings.private_key is not None:
            arguments |= {"pkey": load_key(settings.private_key, settings.name), "look_for_keys": False, "allow_agent": False}
        if settings.password is not None:
            arguments |= {"password": settings.password, "look_for_keys": False}
        gateway = None
        if settings.proxy_jump and settings.proxy_jump.lower() != "none":
            for hop in settings.proxy_jump.split(","):
                gateway = fabric.Connection(hop, gateway=gateway, config=_fabric_config())
        connection = fabric.Connection(
            settings.address,
            user=settings.user,
            port=settings.port,
            gateway=gateway,
            config=_fabric_config(),
            connect_timeout=max(1, round(limits.connect_s)),
            connect_kwargs=arguments,
        )
        self._trust(connection)
        hop = connection.gateway
        while hop is not None and not isinstance(hop, str):
            self._trust_hop(hop)
            hop = hop.gateway
        return connection

    def _trust(self, connection: fabric.Connection) -> None:
        """Give the client the keys on record for this host; it then asks the server for a key of a known kind."""
        client = connection.client
        if not self.settings.check_host_keys:
            return
        self._add_keys(client, connection.host, connection.port, self._known(connection))
        client.set_missing_host_key_policy(RefuseUnknown(self.settings, int(connection.port)))

    def _trust_hop(self, hop: fabric.Connection) -> None:
        settings = ConnectionSettings(
            name=f"{self.settings.name} (through {hop.host})", address=hop.host, known_hosts=self.settings.known_hosts
        )
        self._add_keys(hop.client, hop.host, hop.port, known_keys(hop.host, int(hop.port), settings.known_hosts))
        hop.client.set_missing_host_key_policy(RefuseUnknown(settings, int(hop.port)))

    def _known(self, connection: fabric.Connection) -> tuple[KnownKey, ...]:
        return known_keys(connection.host, int(connection.port), self.settings.known_hosts)

    @staticmethod
    def _add_keys(client: paramiko.SSHClient, address: str, port: int, keys: Sequence[KnownKey]) -> None:
        store = client.get_host_keys()
        name = written_name(address, int(port))
        for known in keys:
            try:
                key = paramiko.PKey.from_type_string(known.kind, known.blob)
            except (paramiko.SSHException, paramiko.pkey.UnknownKeyType):
                continue  # a kind that paramiko does not speak cannot be offered either
            store.add(name, known.kind, key)

    def _explained(self, error: Exception, connection: fabric.Connection) -> ConnectionFailed:
        """paramiko's and the system's errors in words of this host."""
        name, limits = self.settings.name, self.settings.timeouts
        place = f"{connection.host}:{connection.port}"
        if isinstance(error, ConnectionFailed):
            return error
        if isinstance(error, paramiko.BadHostKeyException):
            return self._changed(error, connection)
        if isinstance(error, paramiko.AuthenticationException):
            tried = f"key {self.settings.private_key}" if self.settings.private_key else "the agent's and the default keys"
            hint = f"check ansible_user and the key: ssh -i {self.settings.private_key or 'KEY'} {connection.user}@{connection.host}"
            return AuthenticationFailed(f"{connection.user}@{place} did not let us in with {tried}: {error}", where=name, hint=hint)
        if isinstance(error, socket.gaierror):
            return ConnectionFailed(f"the name {connection.host} cannot be resolved", where=name, hint="set ansible_host to an address")
        if isinstance(error, TimeoutError):
            return ConnectTimeout(
                f"no answer from {place} within {limits.connect_s:g} s", where=name, hint="is the host up, and port 22 open?"
            )
        if isinstance(error, ConnectionRefusedError | paramiko.ssh_exception.NoValidConnectionsError):
            return ConnectionFailed(f"{place} refused the connection", where=name, hint="is sshd running? is ansible_port right?")
        if "banner" in str(error).lower():
            return ConnectTimeout(f"no SSH banner from {place} within {limits.banner_s:g} s", where=name, hint="is it an SSH server?")
        if isinstance(error, paramiko.PasswordRequiredException):
            return AuthenticationFailed(
                "a default key needs a passphrase", where=name, hint="ssh-add it, or set ansible_ssh_private_key_file"
            )
        return ConnectionFailed(f"cannot connect to {place}: {error or type(error).__name__}", where=name)

    def _changed(self, error: paramiko.BadHostKeyException, connection: fabric.Connection) -> HostKeyChanged:
        known = [key for key in self._known(connection) if key.kind == error.expected_key.get_name()]
        where = known[0].source if known else "known_hosts"
        old, new = fingerprint(error.expected_key.asbytes()), fingerprint(error.key.asbytes())
        name = written_name(connection.host, int(connection.port))
        file = known[0].source.path if known else "~/.ssh/known_hosts"
        return HostKeyChanged(
            f"the host key of {name} has changed: {where} has {old}, the host shows {new}",
            where=self.settings.name,
            hint=f"if the host was re-installed: ssh-keygen -R '{name}' -f {file}, then accept the new key; if not, someone is in between",
        )

    def _stream(self, argv: Sequence[str]) -> Stream:
        """Run an argument list on the host and give its streams."""
        if self.settings.kind == "local":
            return ProcessStream(argv)
        self.open()
        assert self._fabric is not None
        limit_s = self.settings.timeouts.channel_s
        try:
            channel = self._fabric.transport.open_session(timeout=limit_s)
            channel.settimeout(limit_s)
            channel.exec_command(shlex.join(argv))
        except (paramiko.SSHException, EOFError, OSError) as error:
            hint = "the host may be going down, or its sshd allows no more sessions (MaxSessions)"
            raise LinkLost(f"no session could be opened: {error or type(error).__name__}", where=self.settings.name, hint=hint) from error
        return ChannelStream(channel, limit_s * 4)

    def agent(self, become_user: str | None = None) -> AgentLink:
        """The agent of a user, started if it is not there; None is the login user."""
        with self._lock:
            link = self._links.get(become_user)
            if link is None:
                link = AgentLink(start_agent(self.settings, become_user, self._stream), self.settings.name)
                self._links[become_user] = link
            return link

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
        for attempt in range(1, RECONNECTS + 1):
            self.drop()
            try:
                state, result = self.agent(become_user).collect(call.key)
            except ConnectionFailed:
                if attempt == RECONNECTS:
                    raise
                time.sleep(min(2.0 ** (attempt - 1), 5.0))
                continue
            if state == "done" and result is not None:
                return result
            if state == "unknown":
                return self.agent(become_user).call(call)
            break
        message = f"{lost.message}, and the task in hand was ended with it; it may be half done"
        raise LinkLost(message, where=self.settings.name, hint="run the playbook again: it converges from any state")

    def raw(self, command: str, timeout_s: float | None = None, stdin: bytes = b"") -> RawResult:
        """Run a shell text without an agent or Python.

        Raises:
            LinkLost: it did not end within the limit, or the connection went away.
        """
        stream = self._stream(["/bin/sh", "-c", command])
        deadline = time.monotonic() + timeout_s if timeout_s else None
        out, err = [], []
        try:
            if stdin:
                stream.send(stdin)
            while True:
                limit_s = min(1.0, deadline - time.monotonic()) if deadline else 1.0
                try:
                    piece = stream.receive(limit_s)
                except TimeoutError:
                    if deadline and time.monotonic() >= deadline:
                        raise LinkLost(f"the command did not end within {timeout_s:g} s", where=self.settings.name) from None
                    piece = None
                err.append(stream.errors())
                if piece == b"":
                    break
                if piece:
                    out.append(piece)
            rc = self._status(stream)
            err.append(stream.errors())
            return RawResult(rc, b"".join(out), b"".join(err))
        finally:
            stream.close()

    def _status(self, stream: Stream) -> int:
        """The exit status comes a moment behind the end of the output."""
        deadline = time.monotonic() + self.settings.timeouts.channel_s
        while (status := stream.status()) is None:
            if time.monotonic() > deadline:
                raise LinkLost("the command ended without an exit status", where=self.settings.name)
            time.sleep(0.01)
        if status == -1:
            raise LinkLost("the connection was lost while the command ran", where=self.settings.name)
        return status

    def local_address(self) -> str:
        """This machine's address as the host sees it; empty for `local` and behind a jump host."""
        if self.settings.kind == "local":
            return "127.0.0.1"
        self.open()
        assert self._fabric is not None
        if self._fabric.gateway is not None:
            return ""
        return str(self._fabric.transport.sock.getsockname()[0])

    def cancel(self) -> None:
        """Ask every task in hand to end."""
        for link in list(self._links.values()):
            link.cancel()

    def drop(self) -> None:
        """Forget the connection and its agents, as after a reboot; the next call opens a new one."""
        with self._lock:
            for link in self._links.values():
                link.close()
            self._links.clear()
            if self._fabric is not None:
                self._fabric.close()
                self._fabric = None

    def close(self) -> None:
        self._closing = True
        self.drop()
