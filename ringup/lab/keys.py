"""Keys and passwords of a rack: the operator's key, each host's key, known_hosts, the password of `secured`."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ringup.lab import machine, state
from ringup.lab.plan import LabHost, Rack


@dataclass(frozen=True, slots=True)
class KeyPair:
    """An ed25519 key in OpenSSH's formats.

    Attributes:
        private: the text of the private key file.
        public: `ssh-ed25519 AAAA...`, without a comment.
    """

    private: str
    public: str


def new_pair() -> KeyPair:
    key = Ed25519PrivateKey.generate()
    formats = serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, *formats)
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return KeyPair(private.decode(), public.decode())


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a rack's hosts are given before their first boot.

    Attributes:
        operator: the key that opens `root`, `operator` and `secured` on all hosts.
        secured_hash: the crypt(3) form of the password that `secured` needs for sudo.
        host_keys: by host name.
    """

    operator: KeyPair
    secured_hash: str
    host_keys: dict[str, KeyPair]


def make(rack: Rack) -> Credentials:
    """New keys for a rack, written into its folder together with its known_hosts file."""
    rack.key.parent.mkdir(mode=0o700, exist_ok=True)
    operator = new_pair()
    state.replace(rack.key, operator.private)
    state.replace(rack.key.with_suffix(".pub"), f"{operator.public} operator@{rack.name}\n", mode=0o644)
    password = secrets.token_urlsafe(12)
    state.replace(rack.secured_password, password + "\n")
    secured_hash = machine.run("openssl", "passwd", "-6", "-stdin", stdin=password).stdout.strip()
    host_keys = {host.name: new_pair() for host in rack.hosts}
    lines = [known_hosts_line(host, host_keys[host.name]) for host in rack.hosts]
    state.replace(rack.known_hosts, "".join(lines), mode=0o644)
    return Credentials(operator, secured_hash, host_keys)


def known_hosts_line(host: LabHost, key: KeyPair) -> str:
    return f"{host.address},{host.name},{host.ring_address} {key.public}\n"
