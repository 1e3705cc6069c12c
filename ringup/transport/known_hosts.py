"""Host keys that are known: only the lines that name a host are parsed (5,000 lines cost paramiko 3.1 s for each client)."""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
import threading
from collections.abc import Mapping, Sequence
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

_reading = threading.Lock()


@dataclass(frozen=True, slots=True)
class KnownKey:
    """One key of a host. `kind` such as ssh-ed25519; `blob` is the wire form."""

    kind: str
    blob: bytes
    source: Source


def fingerprint(blob: bytes) -> str:
    """As `ssh-keygen -l` prints it: SHA256 and base64 without padding."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def known_keys(name: str, files: Sequence[Path]) -> tuple[KnownKey, ...]:
    """The keys on record for a host, in the order of the files; plain, wildcard and hashed names. A revoked key is never among them.

    Args:
        name: as OpenSSH writes it: `[host]:port` unless the port is 22.
        files: empty: the user's and the system's.
    """
    with _reading:
        # many hosts ask at the same moment: one reads
        indexes = [_index(path, _stamp(path.expanduser())) for path in files or DEFAULT_FILES]
    lines = [line for index in indexes for line in index.naming(name)]
    keys = [(line.marker, key) for line in lines if (key := _key(line)) is not None]
    revoked = {key.blob for marker, key in keys if marker == "@revoked"}
    return tuple(key for marker, key in keys if marker == "" and key.blob not in revoked)


@dataclass(frozen=True, slots=True)
class _Line:
    source: Source
    marker: str
    names: str
    rest: str


@dataclass(frozen=True, slots=True)
class _Index:
    """A file's lines by the names that stand there in plain words; those that must be tried one by one."""

    plain: Mapping[str, Sequence[_Line]]
    others: Sequence[_Line]

    def naming(self, name: str) -> list[_Line]:
        found = [*self.plain.get(name, ()), *(line for line in self.others if _names(name, line.names))]
        return sorted(found, key=lambda line: line.source.line)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=16)
def _index(path: Path, stamp: tuple[int, int]) -> _Index:
    """Read a file; again only when it has changed."""
    plain: dict[str, list[_Line]] = {}
    others: list[_Line] = []
    try:
        text = path.expanduser().read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    for number, written in enumerate(text.splitlines(), 1):
        first, _, rest = written.strip().partition(" ")
        marker = first if first.startswith("@") else ""
        names, _, rest = rest.strip().partition(" ") if marker else (first, "", rest)
        if not rest or first.startswith("#"):
            continue
        line = _Line(Source(str(path), number), marker, names, rest)
        if names.startswith("|") or any(letter in names for letter in "*?!"):
            others.append(line)
            continue
        for name in names.split(","):
            plain.setdefault(name, []).append(line)
    return _Index(plain, others)


def _key(line: _Line) -> KnownKey | None:
    words = line.rest.split()
    try:
        return KnownKey(words[0], base64.b64decode(words[1], validate=True), line.source)
    except (IndexError, binascii.Error, ValueError):
        return None


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
