"""The way to a host: jump hosts in order, the host last; inventory variables over ~/.ssh/config, for each hop its own."""

from __future__ import annotations

import getpass
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from ringup.errors import InputError
from ringup.transport.settings import ConnectionSettings, Timeouts
from ringup.transport.ssh_config import SshDefaults, ssh_defaults

#: `ssh -W %h:%p bastion` is a jump host in older words
NETCAT_COMMAND = re.compile(
    r"^(?:/usr/bin/)?ssh(?P<options>(?: -q| -A| -x)*) -W %h:%p(?: -q)? (?P<host>[\w.@:\[\]-]+)$|"
    r"^(?:/usr/bin/)?ssh(?: -q)? (?P<early>[\w.@:\[\]-]+) -W %h:%p$"
)


@dataclass(frozen=True, slots=True)
class Hop:
    """One SSH server on the way.

    Attributes:
        name: for messages: the inventory's name, for a jump host with what it is.
        key_name: under which its host key is on record, with the port where that is not 22.
        identities: private key files, best first; empty: the SSH agent's and the default ones.
        identities_only: no other keys are offered.
        strict: `yes`, `accept-new` (an unknown key is written down, a changed one refused) or `no`.
        proxy_command: a program that is the connection, instead of a socket.
    """

    name: str
    address: str
    port: int
    user: str
    key_name: str
    identities: tuple[Path, ...] = ()
    identities_only: bool = False
    password: str | None = field(default=None, repr=False)
    known_hosts: tuple[Path, ...] = ()
    strict: str = "yes"
    proxy_command: str | None = None
    timeouts: Timeouts = field(default_factory=Timeouts)


def route(settings: ConnectionSettings) -> tuple[Hop, ...]:
    """The hops to a host, the first reached directly, each next one through the one before; the last is the host.

    Raises:
        InputError: jump hosts that need each other, or an SSH configuration that cannot be read.
    """
    defaults = ssh_defaults(settings.address)
    jump, command = _proxy(settings.proxy_jump, settings.proxy_command, defaults)
    host = Hop(
        name=settings.name,
        address=defaults.hostname,
        port=settings.port or defaults.port or 22,
        user=settings.user or defaults.user or getpass.getuser(),
        key_name=written_name(defaults.host_key_alias or defaults.hostname, settings.port or defaults.port or 22),
        identities=(settings.private_key,) if settings.private_key else defaults.identity_files,
        identities_only=settings.identities_only or defaults.identities_only,
        password=settings.password,
        known_hosts=settings.known_hosts or defaults.known_hosts,
        strict=_strict(settings, defaults),
        proxy_command=command,
        timeouts=settings.timeouts,
    )
    return (*_jumps(jump, settings, (_place(settings.address, host.port),)), host)


def _jumps(jump: str | None, settings: ConnectionSettings, seen: tuple[str, ...]) -> tuple[Hop, ...]:
    """The hops of a ProxyJump; the first of them may need others to be reached itself."""
    hops: tuple[Hop, ...] = ()
    for number, text in enumerate(jump.split(",") if jump else ()):
        user, address, given_port = _parts(text.strip(), settings.name)
        defaults = ssh_defaults(address)
        port = given_port or defaults.port or 22
        place = _place(address, port)
        if place in seen:
            circle = " -> ".join((*seen, place))
            raise InputError(f"jump hosts need each other: {circle}", where=settings.name, hint="set ProxyJump none for the first of them")
        further, command = _proxy(None, None, defaults) if number == 0 else (None, None)
        if further is not None and _parts(further, settings.name)[1] == address:
            # `Host *` with a ProxyJump means all hosts but the jump host itself
            further = None
        hop = Hop(
            name=f"{settings.name} (jump host {address})",
            address=defaults.hostname,
            port=port,
            user=user or defaults.user or getpass.getuser(),
            key_name=written_name(defaults.host_key_alias or defaults.hostname, port),
            identities=defaults.identity_files or ((settings.private_key,) if settings.private_key else ()),
            identities_only=defaults.identities_only,
            known_hosts=settings.known_hosts or defaults.known_hosts,
            strict=_strict(settings, defaults),
            proxy_command=command,
            timeouts=settings.timeouts,
        )
        hops += (*_jumps(further, settings, (*seen, place)), hop)
    return hops


def _place(address: str, port: int) -> str:
    return f"{address}:{port}"


def _proxy(jump: str | None, command: str | None, defaults: SshDefaults) -> tuple[str | None, str | None]:
    """(jump hosts, proxy command): the inventory's, else those of ~/.ssh/config; the word `none` means a direct way."""
    if jump is None and command is None:
        jump, command = defaults.proxy_jump, defaults.proxy_command
    if jump is not None:
        return (None if jump.lower() == "none" else jump), None
    if command is None or command.lower() == "none":
        return None, None
    match = NETCAT_COMMAND.match(" ".join(shlex.split(command)))
    if match:
        return match["host"] or match["early"], None
    return None, command


def _strict(settings: ConnectionSettings, defaults: SshDefaults) -> str:
    if not settings.check_host_keys:
        return "no"
    said = (settings.strict_host_keys or defaults.strict_host_keys or "yes").lower()
    return {"no": "no", "off": "no", "accept-new": "accept-new"}.get(said, "yes")


def _parts(text: str, name: str) -> tuple[str | None, str, int | None]:
    """user, address and port of `[user@]host[:port]`, with brackets around an IPv6 address that has a port."""
    user, _, rest = text.rpartition("@")
    match = re.fullmatch(r"\[(?P<bracketed>[^\]]+)\](?::(?P<port>\d+))?|(?P<host>[^:]+)(?::(?P<plain>\d+))?|(?P<bare>[0-9a-fA-F:]+)", rest)
    if not match:
        raise InputError(f"'{text}' is not a jump host", where=name, hint="write it as user@host:port")
    port = match["port"] or match["plain"]
    return user or None, match["bracketed"] or match["host"] or match["bare"], int(port) if port else None


def written_name(address: str, port: int) -> str:
    """The name under which OpenSSH writes a host: `[host]:port` unless the port is 22."""
    return address if port == 22 else f"[{address}]:{port}"
