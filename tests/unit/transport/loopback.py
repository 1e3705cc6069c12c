"""A real sshd on this machine, with its own keys, configuration and port, ended by its process id."""

from __future__ import annotations

import getpass
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringup.transport.connection import HostConnection
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings

SSHD = "/usr/sbin/sshd"


@dataclass
class Sshd:
    """A running server.

    Attributes:
        folder: its files; `known_hosts` and the operator's key `operator` are there too.
        opened: connections that a test has opened through it.
    """

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    opened: list[HostConnection] = field(default_factory=list)

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def key(self) -> Path:
        return self.folder / "operator"

    def settings(self, **variables: Any) -> ConnectionSettings:
        """As an inventory would say; None leaves a variable out."""
        merged = {
            "ansible_host": "127.0.0.1",
            "ansible_port": self.port,
            "ansible_user": getpass.getuser(),
            "ansible_ssh_private_key_file": str(self.key),
            "ringup_known_hosts_file": str(self.known_hosts),
            **variables,
        }
        return ConnectionSettings.from_variables("node01", {name: value for name, value in merged.items() if value is not None})

    def connection(self, **variables: Any) -> HostConnection:
        connection = HostConnection(self.settings(**variables))
        self.opened.append(connection)
        return connection

    def sessions(self) -> list[int]:
        """Process ids of the servers of open connections."""
        return children(self.process.pid)

    def stop(self) -> None:
        for connection in self.opened:
            connection.close()
        for pid in (*self.sessions(), self.process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == str(pid) and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def until(condition: Callable[[], Any], limit_s: float = 30.0) -> Any:
    """Wait for a condition to be true and give its value."""
    deadline = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < deadline, "the condition never came"
        time.sleep(0.02)
    return value


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def make_key(path: Path, kind: str = "ed25519", passphrase: str = "") -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", path.name, "-f", str(path)], check=True)
    return path


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def call(module: str, args: dict[str, Any] | None = None, **options: Any) -> Call:
    return Call(module, args or {}, uuid.uuid4().hex, **options)
