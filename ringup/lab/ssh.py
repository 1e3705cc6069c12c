"""The OpenSSH client, as a person would use it: the lab's own way into its hosts, independent of Ringup's transport."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

CONNECT_LIMIT_S = 10


@dataclass(frozen=True, slots=True)
class Login:
    """How to reach one host.

    Attributes:
        address: IPv4 address of its sshd.
        key: private key file.
        known_hosts: file with the host's key; a host whose key is not in it is refused.
    """

    address: str
    key: Path
    known_hosts: Path


def command(login: Login, user: str, argv: list[str] | str) -> list[str]:
    """The `ssh` command line; an empty `argv` opens a shell, a string is handed to the host's shell as it is."""
    options = {
        "IdentitiesOnly": "yes",
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": str(login.known_hosts),
        "GlobalKnownHostsFile": "/dev/null",
        "ConnectTimeout": str(CONNECT_LIMIT_S),
        "LogLevel": "ERROR",
    }
    flags = [flag for name, value in options.items() for flag in ("-o", f"{name}={value}")]
    remote = argv if isinstance(argv, str) else shlex.join(argv)
    # -F: the operator's own configuration must not decide how a rehearsal host is reached
    return ["ssh", "-F", "/dev/null", "-i", str(login.key), *flags, f"{user}@{login.address}", *([remote] if remote else [])]


def run(
    login: Login, argv: list[str] | str, *, user: str, stdin: str | None = None, timeout_s: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run one command on the host and wait for it.

    Args:
        argv: words of the command, or one string for the host's shell.
        user: whom to log in as.
        stdin: text for its standard input; none means an empty one.
        timeout_s: the client is killed after this many seconds.
    Returns:
        the finished command; 255 is OpenSSH's own failure.
    Raises:
        subprocess.TimeoutExpired: the command took longer than `timeout_s`.
    """
    return subprocess.run(command(login, user, argv), input=stdin or "", capture_output=True, text=True, timeout=timeout_s, check=False)
