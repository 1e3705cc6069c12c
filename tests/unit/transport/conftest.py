"""Servers that a test may start, all ended behind it; and a home folder without the operator's own SSH files."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback import SSHD, Sshd, free_port, listens, make_key, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return folder


@pytest.fixture
def start_sshd(tmp_path: Path) -> Iterator[Callable[..., Sshd]]:
    """start_sshd("MaxSessions 1", host_keys=("ed25519", "rsa")): a server with further lines in its configuration."""
    started: list[Sshd] = []
    if os.getuid() == 0:
        # sshd's own folder for its unprivileged half; made by its service otherwise
        Path("/run/sshd").mkdir(exist_ok=True)

    def start(*lines: str, host_keys: tuple[str, ...] = ("ed25519",), known: bool = True) -> Sshd:
        folder = tmp_path / f"sshd{len(started)}"
        folder.mkdir()
        make_key(folder / "operator")
        (folder / "authorized_keys").write_text((folder / "operator.pub").read_text())
        port = free_port()
        keys = [make_key(folder / f"host_{kind}", kind) for kind in host_keys]
        (folder / "known_hosts").write_text(
            "".join(f"[127.0.0.1]:{port} {key.with_suffix('.pub').read_text()}" for key in keys) if known else ""
        )
        config = [
            f"Port {port}",
            "ListenAddress 127.0.0.1",
            *(f"HostKey {key}" for key in keys),
            f"AuthorizedKeysFile {folder / 'authorized_keys'}",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "PermitRootLogin yes",
            f"PidFile {folder / 'pid'}",
        ]
        (folder / "sshd_config").write_text("\n".join([*lines, *config]) + "\n")
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stdout=log, stderr=log)
        server = Sshd(folder, port, process)
        started.append(server)
        until(lambda: listens(port))
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def sshd(start_sshd: Callable[..., Sshd]) -> Sshd:
    return start_sshd()
