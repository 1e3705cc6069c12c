"""Host keys that are known: only the lines that name a host are parsed (5,000 lines cost paramiko 3.1 s for each client)."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ringup.source import Source

DEFAULT_FILES = (
    Path("~/.ssh/known_hosts"),
    Path("~/.ssh/known_hosts2"),
    Path("/etc/ssh/ssh_known_hosts"),
    Path("/etc/ssh/ssh_known_hosts2"),
)


@dataclass(frozen=True, slots=True)
class KnownKey:
    """One key of a host. `kind` such as ssh-ed25519; `blob` is the wire form."""

    kind: str
    blob: bytes
    source: Source
    revoked: bool = False


def fingerprint(blob: bytes) -> str:
    """As `ssh-keygen -l` prints it: SHA256 and base64 without padding."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def written_name(address: str, port: int) -> str:
    """The name under which OpenSSH writes a host: `[host]:port` unless the port is 22."""
    return address if port == 22 else f"[{address}]:{port}"


def known_keys(address: str, port: int, files: Sequence[Path]) -> tuple[KnownKey, ...]:
    """The keys on record for a host, in the order of the files; plain, wildcard and hashed names."""
    name = written_name(address, port)
    found = []
    for path in files or DEFAULT_FILES:
        expanded = path.expanduser()
        for number, line in _lines(expanded, _stamp(expanded)):
            key = _match(name, line, Source(str(path), number))
            if key is not None:
                found.append(key)
    return tuple(found)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _lines(path: Path, stamp: tuple[int, int]) -> tuple[tuple[int, str], ...]:
    """The file's lines that are no comments, numbered from 1; read again only when the file has changed."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return tuple((number, line) for number, line in stripped if line and not line.startswith("#"))


def _match(name: str, line: str, source: Source) -> KnownKey | None:
    words = line.split()
    revoked = words[0] == "@revoked"
    if words[0].startswith("@"):
        if words[0] == "@cert-authority":
            return None  # certificates are signed by it; it is not the host's own key
        words = words[1:]
    if len(words) < 3 or not _names(name, words[0]):
        return None
    try:
        blob = base64.b64decode(words[2], validate=True)
    except (binascii.Error, ValueError):
        return None
    return KnownKey(words[1], blob, source, revoked)


def _names(name: str, field: str) -> bool:
    if field.startswith("|1|"):
        return _hashed(name, field)
    named = False
    for pattern in field.split(","):
        if pattern.startswith("!") and fnmatch.fnmatchcase(name, _glob(pattern[1:])):
            return False
        named = named or pattern == name or (("*" in pattern or "?" in pattern) and fnmatch.fnmatchcase(name, _glob(pattern)))
    return named


def _glob(pattern: str) -> str:
    """OpenSSH knows * and ?, and takes brackets as they are."""
    return pattern.replace("[", "[[]")


def _hashed(name: str, field: str) -> bool:
    parts = field.split("|")
    if len(parts) != 4:
        return False
    try:
        salt, wanted = base64.b64decode(parts[2]), base64.b64decode(parts[3])
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(hmac.new(salt, name.encode(), hashlib.sha1).digest(), wanted)
