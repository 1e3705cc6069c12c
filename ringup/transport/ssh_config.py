"""What ~/.ssh/config and /etc/ssh/ssh_config say of a host. Read once a process, `Include` too."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import paramiko

from ringup.errors import InputError

FILES = (Path("~/.ssh/config"), Path("/etc/ssh/ssh_config"))
#: an Include in an Include in an ... is a circle, as OpenSSH has it too
DEEPEST_INCLUDE = 16


@dataclass(frozen=True, slots=True)
class SshDefaults:
    """Options of one host; None where the files are silent.

    Attributes:
        hostname: what to connect to.
        host_key_alias: the name under which its key is on record.
        strict_host_keys: the value of StrictHostKeyChecking.
    """

    hostname: str
    user: str | None = None
    port: int | None = None
    identity_files: tuple[Path, ...] = ()
    identities_only: bool = False
    known_hosts: tuple[Path, ...] = ()
    strict_host_keys: str | None = None
    host_key_alias: str | None = None
    proxy_jump: str | None = None
    proxy_command: str | None = None
    connect_timeout_s: float | None = None


def ssh_defaults(address: str) -> SshDefaults:
    """The options that apply to an address, by OpenSSH's rules (the first value found is the one).

    Raises:
        InputError: the file cannot be understood.
    """
    try:
        found: Mapping[str, Any] = _parsed(_stamps()).lookup(address)
        return SshDefaults(
            hostname=found.get("hostname") or address,
            user=found.get("user"),
            port=int(found["port"]) if "port" in found else None,
            identity_files=tuple(Path(path).expanduser() for path in found.get("identityfile", ())),
            identities_only=found.get("identitiesonly") == "yes",
            known_hosts=_files(found.get("userknownhostsfile")),
            strict_host_keys=found.get("stricthostkeychecking"),
            host_key_alias=found.get("hostkeyalias"),
            proxy_jump=found.get("proxyjump"),
            proxy_command=found.get("proxycommand"),
            connect_timeout_s=float(found["connecttimeout"]) if "connecttimeout" in found else None,
        )
    except (paramiko.ConfigParseError, ValueError, KeyError) as error:
        raise InputError(
            f"the SSH configuration cannot be read: {error}", where=str(FILES[0]), hint=f"try: ssh -G {shlex.quote(address)}"
        ) from None


def _files(value: str | None) -> tuple[Path, ...]:
    return tuple(Path(word).expanduser() for word in shlex.split(value)) if value else ()


def _stamps() -> tuple[tuple[Path, int], ...]:
    """The files there are, with their times, so that a changed file is read again."""
    found = []
    for path in FILES:
        expanded = path.expanduser()
        try:
            found.append((expanded, expanded.stat().st_mtime_ns))
        except OSError:
            continue
    return tuple(found)


@lru_cache(maxsize=4)
def _parsed(stamps: tuple[tuple[Path, int], ...]) -> paramiko.SSHConfig:
    lines: list[str] = []
    for path, _ in stamps:
        lines += ["Host *", *_lines(path, path.parent, "Host *", 0)]
    return paramiko.SSHConfig.from_text("\n".join(lines))


def _lines(path: Path, folder: Path, block: str, depth: int) -> Iterator[str]:
    """A file's lines with those of included files in their places; paramiko knows no Include.

    Args:
        folder: relative names of included files begin here.
        block: the Host or Match line in whose block the file stands; it holds again behind an Include.
    """
    if depth > DEEPEST_INCLUDE:
        raise InputError("files include each other in a circle", where=str(path), hint="remove one of the Include lines")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        keyword, _, rest = line.strip().replace("=", " ", 1).partition(" ")
        if keyword.lower() == "include":
            for word in shlex.split(rest):
                pattern = folder / Path(word).expanduser()
                for name in sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))):
                    yield from _lines(name, folder, block, depth + 1)
                    yield block
            continue
        if keyword.lower() in ("host", "match"):
            block = line
        yield line
