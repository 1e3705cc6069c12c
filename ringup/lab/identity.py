"""What makes a disk this host's: name, keys, accounts, name resolution; written into it before its first boot."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from pathlib import Path

from ringup.lab.keys import Credentials
from ringup.lab.plan import OPERATOR, SECURED, LabHost, Rack

# systemd-resolved's stub answers on the machine's loopback only; the file beside it names the real servers
RESOLVER_FILES = (Path("/run/systemd/resolve/resolv.conf"), Path("/etc/resolv.conf"))


def personalise(rack: Rack, host: LabHost, credentials: Credentials) -> None:
    """Give a mounted disk its host's name, keys, accounts and name resolution."""
    etc = host.root / "etc"
    put(etc / "hostname", host.name + "\n")
    put(etc / "hosts", hosts_file(rack, host))
    put(etc / "machine-id", uuid.uuid4().hex + "\n", 0o444)
    put(etc / "resolv.conf", resolver())
    key = credentials.host_keys[host.name]
    put(etc / "ssh" / "ssh_host_ed25519_key", key.private, 0o600)
    put(etc / "ssh" / "ssh_host_ed25519_key.pub", key.public + "\n")
    authorise(host.root, credentials.operator.public)
    set_password(etc / "shadow", SECURED, credentials.secured_hash)


def put(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file of a host's disk, in place of a link or file that the image has there."""
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(mode)


def hosts_file(rack: Rack, host: LabHost) -> str:
    """`/etc/hosts`: each host by its management address, and `NAME-ring` by its ring address."""
    lines = ["127.0.0.1 localhost", f"127.0.1.1 {host.name}", "::1 localhost ip6-localhost ip6-loopback"]
    lines += [f"{other.address} {other.name}" for other in rack.hosts if other is not host]
    lines += [f"{other.ring_address} {other.name}-ring" for other in rack.hosts]
    return "\n".join(lines) + "\n"


def resolver() -> str:
    """Name servers that the hosts can reach through NAT: this machine's."""
    for path in RESOLVER_FILES:
        if path.is_file():
            return path.read_text()
    return ""


def accounts(root: Path) -> Iterable[tuple[Path, int, int]]:
    """Home folder, uid and gid of the accounts that the operator's key opens, as the host's own passwd names them."""
    for line in (root / "etc/passwd").read_text().splitlines():
        name, _, uid, gid, _, home, *_ = line.split(":")
        if name in ("root", OPERATOR, SECURED):
            yield root / home.lstrip("/"), int(uid), int(gid)


def authorise(root: Path, public_key: str) -> None:
    for home, uid, gid in accounts(root):
        folder = home / ".ssh"
        folder.mkdir(mode=0o700, exist_ok=True)
        put(folder / "authorized_keys", public_key + "\n", 0o600)
        for path in (folder, folder / "authorized_keys"):
            os.chown(path, uid, gid)


def set_password(shadow: Path, account: str, hashed: str) -> None:
    lines = shadow.read_text().splitlines()
    changed = [f"{account}:{hashed}:{line.split(':', 2)[2]}" if line.startswith(account + ":") else line for line in lines]
    shadow.write_text("\n".join(changed) + "\n")
