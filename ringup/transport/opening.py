"""Opening one hop: a limit on each phase, the host key checked, and every way it fails in words that say what to do."""

from __future__ import annotations

import random
import socket
import threading
import time
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import paramiko

from ringup.errors import ConnectionFailed, ConnectTimeout, RingupError
from ringup.transport import host_keys
from ringup.transport.known_hosts import KnownKey, known_keys
from ringup.transport.login import Login
from ringup.transport.route import Hop

if TYPE_CHECKING:
    import fabric

#: sshd drops the eleventh connection that has not yet authenticated (MaxStartups 10:30:100); a gate before many hosts is soon there
CONNECTING = threading.BoundedSemaphore(32)
TRIES = 3
KEEPALIVE_S = 10


class Crowded(Exception):
    """The server closed the connection before a word: most often too many at once. Worth another try a little later."""


@lru_cache(maxsize=1)
def _config() -> fabric.Config:
    """Fabric's defaults, without its own reading of ~/.ssh/config: ours has resolved that for each hop."""
    import fabric

    return fabric.Config(ssh_config=paramiko.SSHConfig(), lazy=True)


def open_hop(hop: Hop, through: fabric.Connection | None) -> fabric.Connection:
    """Connect and log in.

    Args:
        through: the open connection to the hop before; None: directly.
    Raises:
        ConnectionFailed: one of its kinds.
    """
    for attempt in range(1, TRIES + 1):
        try:
            with CONNECTING:
                return _opened(hop, through)
        except Crowded as error:
            if attempt == TRIES:
                hint = "is it an SSH server? does it take this many connections at once (MaxStartups)?"
                message = f"{hop.key_name} closed the connection before logging in ({error})"
                raise ConnectionFailed(message, where=hop.name, hint=hint) from None
            # not all together
            time.sleep(random.uniform(0.2, 1.0) * attempt)
    raise AssertionError("unreachable")


def _opened(hop: Hop, through: fabric.Connection | None) -> fabric.Connection:
    known = known_keys(hop.key_name, hop.known_hosts) if hop.strict != "no" else ()
    sock = _socket(hop, through)
    connection = _prepared(hop, sock, known)
    try:
        connection.open()
    except RingupError:
        connection.close()
        sock.close()
        raise
    except (paramiko.SSHException, OSError, EOFError) as error:
        connection.close()
        with suppress(OSError):
            sock.close()
        raise _explained(hop, known, error) from error
    connection.transport.set_keepalive(KEEPALIVE_S)
    return connection


def _prepared(hop: Hop, sock: Any, known: tuple[KnownKey, ...]) -> fabric.Connection:
    import fabric

    limits = hop.timeouts
    connection = fabric.Connection(
        hop.address,
        user=hop.user,
        port=hop.port,
        config=_config(),
        connect_timeout=max(1, round(limits.connect_s)),
        connect_kwargs={
            "sock": sock,
            "banner_timeout": limits.banner_s,
            "auth_timeout": limits.authentication_s,
            "channel_timeout": limits.channel_s,
            "transport_factory": host_keys.transport_factory(known),
            "auth_strategy": Login(hop),
        },
    )
    connection.client.set_missing_host_key_policy(host_keys.UnknownKeys(hop))
    # paramiko asks by the address; the record may stand under HostKeyAlias
    host_keys.trust(connection.client, hop.address if hop.port == 22 else f"[{hop.address}]:{hop.port}", known)
    return connection


def _socket(hop: Hop, through: fabric.Connection | None) -> Any:
    """The byte stream that SSH runs on: a socket, a channel of the hop before, or a program."""
    limit_s = hop.timeouts.connect_s
    if through is not None:
        try:
            return through.transport.open_channel("direct-tcpip", (hop.address, hop.port), ("", 0), timeout=limit_s)
        except paramiko.ChannelException as error:
            raise ConnectionFailed(
                f"{through.host} could not connect to {hop.address}:{hop.port}: {error.text}",
                where=hop.name,
                hint="is the host up, and does the jump host reach it (AllowTcpForwarding)?",
            ) from None
        except (paramiko.SSHException, OSError, EOFError) as error:
            message = f"no answer from {hop.address}:{hop.port} through {through.host} within {limit_s:g} s ({error})"
            raise ConnectTimeout(message, where=hop.name, hint="is the host up?") from None
    if hop.proxy_command is not None:
        values = {"%h": hop.address, "%p": str(hop.port), "%r": hop.user}
        command = hop.proxy_command
        for name, value in values.items():
            command = command.replace(name, value)
        return paramiko.ProxyCommand(command)
    try:
        sock = socket.create_connection((hop.address, hop.port), timeout=limit_s)
    except OSError as error:
        raise _no_socket(hop, error) from error
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def _no_socket(hop: Hop, error: OSError) -> ConnectionFailed:
    place = f"{hop.address}:{hop.port}"
    if isinstance(error, socket.gaierror):
        return ConnectionFailed(f"the name {hop.address} cannot be resolved", where=hop.name, hint="set ansible_host to an address")
    if isinstance(error, TimeoutError):
        message = f"no answer from {place} within {hop.timeouts.connect_s:g} s"
        return ConnectTimeout(message, where=hop.name, hint=f"is the host up, and port {hop.port} open on the way?")
    if isinstance(error, ConnectionRefusedError):
        return ConnectionFailed(f"{place} refused the connection", where=hop.name, hint="is sshd running there? is ansible_port right?")
    return ConnectionFailed(
        f"cannot connect to {place}: {error.strerror or error}", where=hop.name, hint="is the host up? is there a route?"
    )


def _explained(hop: Hop, known: tuple[KnownKey, ...], error: Exception) -> Exception:
    """paramiko's errors in words of this host."""
    place, limits = hop.key_name, hop.timeouts
    if isinstance(error, paramiko.BadHostKeyException):
        return host_keys.changed(hop, known, error)
    words = str(error) or type(error).__name__
    if isinstance(error, paramiko.AuthenticationException):
        message = f"{place} did not answer the login within {limits.authentication_s:g} s ({words})"
        return ConnectTimeout(message, where=hop.name, hint="is its PAM or directory service slow? look at its auth log")
    if isinstance(error, EOFError | ConnectionResetError):
        return Crowded(words)
    if "banner" in words.lower():
        if isinstance(error.__context__, EOFError | ConnectionResetError) or isinstance(error.__cause__, EOFError):
            return Crowded("no SSH banner")
        return ConnectTimeout(f"no SSH banner from {place} within {limits.banner_s:g} s", where=hop.name, hint="is it an SSH server?")
    if isinstance(error, paramiko.ssh_exception.IncompatiblePeer):
        return ConnectionFailed(f"{place} speaks no algorithm that we speak: {words}", where=hop.name, hint="update its OpenSSH")
    return ConnectionFailed(f"cannot connect to {place}: {words}", where=hop.name, hint="look at the host's sshd log")
