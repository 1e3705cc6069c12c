"""How to reach a host: Ansible's connection variables over what ~/.ssh/config says."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringup.agent.arguments import boolean
from ringup.errors import InputError

#: OpenSSH options that mean something here, by their names in lower case
KNOWN_OPTIONS = frozenset(
    (
        *("userknownhostsfile", "stricthostkeychecking", "connecttimeout", "proxyjump", "proxycommand"),
        *("identityfile", "identitiesonly", "port", "user"),
    )
)
#: options that change nothing for us and may stay in an inventory written for Ansible
HARMLESS_OPTIONS = frozenset(
    (
        "controlmaster",
        "controlpersist",
        "controlpath",
        "serveraliveinterval",
        "serveralivecountmax",
        "loglevel",
        "batchmode",
        "tcpkeepalive",
        "compression",
        "gssapiauthentication",
        "preferredauthentications",
        "pubkeyauthentication",
        "requesttty",
    )
)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds, one for each way a connection can hang."""

    connect_s: float = 10.0
    banner_s: float = 15.0
    authentication_s: float = 30.0
    channel_s: float = 15.0
    #: from the agent's first stage to its announcement: a cold disk must read Python
    start_s: float = 60.0


@dataclass(frozen=True, slots=True)
class BecomeSettings:
    """How another user's rights are got."""

    method: str = "sudo"
    flags: str = ""
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Everything that is needed to reach one host.

    Attributes:
        name: the inventory's name, for messages.
        kind: `ssh` or `local`.
        address: what to connect to; the inventory name when no `ansible_host` is given.
        user, port, private_key: None where ~/.ssh/config or the default decides.
        known_hosts: files in the order they are asked; empty: the user's and the system's.
        check_host_keys: False only where the operator says so.
        strict_host_keys: as StrictHostKeyChecking; None: ~/.ssh/config decides.
        interpreter: the host's Python when the inventory names one.
        proxy_jump: hops, as ProxyJump writes them; None: ~/.ssh/config decides. proxy_command the same.
        identities_only: only the keys that are named are offered.
    """

    name: str
    kind: str = "ssh"
    address: str = ""
    user: str | None = None
    port: int | None = None
    private_key: Path | None = None
    password: str | None = field(default=None, repr=False)
    known_hosts: tuple[Path, ...] = ()
    check_host_keys: bool = True
    strict_host_keys: str | None = None
    interpreter: str | None = None
    proxy_jump: str | None = None
    proxy_command: str | None = None
    identities_only: bool = False
    become: BecomeSettings = BecomeSettings()
    timeouts: Timeouts = Timeouts()

    @classmethod
    def from_variables(cls, name: str, variables: Mapping[str, Any]) -> ConnectionSettings:
        """Read a host's rendered variables.

        Raises:
            InputError: a value that cannot be, or an SSH option that is not understood.
        """
        options = _ssh_options(name, variables)
        kind = str(variables.get("ansible_connection") or "ssh")
        if kind in ("smart", "paramiko", "paramiko_ssh"):
            kind = "ssh"
        if kind not in ("ssh", "local"):
            raise InputError(f"ansible_connection '{kind}' is not supported", where=name, hint="one of: ssh, local")
        key = variables.get("ansible_ssh_private_key_file") or variables.get("ansible_private_key_file") or options.get("identityfile")
        checking = variables.get("ansible_ssh_host_key_checking", variables.get("ansible_host_key_checking"))
        strict = options.get("stricthostkeychecking")
        if checking is None:
            checking = strict not in ("no", "off")
        known = variables.get("ringup_known_hosts_file") or options.get("userknownhostsfile")
        interpreter = variables.get("ansible_python_interpreter")
        connect_s = variables.get("ansible_ssh_timeout") or variables.get("ansible_timeout") or options.get("connecttimeout")
        return cls(
            name=name,
            kind=kind,
            address=str(variables.get("ansible_host") or variables.get("ansible_ssh_host") or name),
            user=_text(variables.get("ansible_user") or variables.get("ansible_ssh_user") or options.get("user")),
            port=_port(name, variables.get("ansible_port") or variables.get("ansible_ssh_port") or options.get("port")),
            private_key=Path(str(key)).expanduser() if key else None,
            password=_text(variables.get("ansible_password") or variables.get("ansible_ssh_pass") or variables.get("ansible_ssh_password")),
            known_hosts=tuple(Path(word).expanduser() for word in shlex.split(str(known))) if known else (),
            check_host_keys=boolean(checking),
            strict_host_keys=strict,
            interpreter=None if interpreter is None or str(interpreter).startswith("auto") else str(interpreter),
            proxy_jump=options.get("proxyjump"),
            proxy_command=options.get("proxycommand"),
            identities_only=options.get("identitiesonly") == "yes",
            become=BecomeSettings(
                method=str(variables.get("ansible_become_method") or "sudo"),
                flags=str(variables.get("ansible_become_flags") or ""),
                password=_text(variables.get("ansible_become_password", variables.get("ansible_become_pass"))),
            ),
            timeouts=Timeouts(connect_s=float(connect_s)) if connect_s else Timeouts(),
        )


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _port(name: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        port = int(value)
    except (TypeError, ValueError):
        port = 0
    if not 0 < port < 65536:
        raise InputError(f"ansible_port cannot be {value!r}", where=name, hint="a whole number from 1 to 65535")
    return port


def _ssh_options(name: str, variables: Mapping[str, Any]) -> dict[str, str]:
    """The `-o` options of ansible_ssh_common_args and ansible_ssh_extra_args, by lower-case name.

    Raises:
        InputError: an option that Ringup cannot honour: ignoring it would connect in another way than the operator thinks.
    """
    found: dict[str, str] = {}
    for variable in ("ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args"):
        words = iter(shlex.split(str(variables.get(variable) or "")))
        for word in words:
            if word == "-J":
                found["proxyjump"] = next(words, "")
                continue
            if word in ("-C", "-4", "-q"):
                continue
            if not word.startswith("-o"):
                raise InputError(f"{variable} holds '{word}', which is not understood", where=name, hint="write options as -o Name=value")
            text = word[2:] or next(words, "")
            option, _, value = text.replace(" ", "=", 1).partition("=") if "=" not in text else text.partition("=")
            if option.lower() in HARMLESS_OPTIONS:
                continue
            if option.lower() not in KNOWN_OPTIONS:
                known = ", ".join(sorted(KNOWN_OPTIONS))
                raise InputError(
                    f"{variable} holds the SSH option {option}, which is not supported", where=name, hint=f"supported: {known}"
                )
            found[option.lower()] = value.strip()
    return found
