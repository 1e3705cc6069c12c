"""How this machine's apt reaches its archives, so that the image and the hosts made from it go the same way."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ringup.lab import machine

LOCAL_AUTHORITIES = Path("/usr/local/share/ca-certificates")
# what may decide whether a request leaves a machine and arrives: proxies, certificates, retries, validity of mirrors' dates
CARRIED_SETTINGS = re.compile(
    r"^Acquire::(?:https?|ftp)::(?:Proxy|CaInfo|CaPath|Verify-Peer|Verify-Host)\b|^Acquire::(?:Retries|Check-Valid-Until|ForceIPv4|ForceIPv6)\b",
    re.IGNORECASE,
)
PROXY_VARIABLES = {"http": ("http_proxy", "HTTP_PROXY"), "https": ("https_proxy", "HTTPS_PROXY")}


@dataclass(frozen=True, slots=True)
class Archive:
    """One line of apt's sources.

    Attributes:
        uri: of the archive.
        suite: `bookworm`, `bookworm-updates`, `bookworm-security` ...
        components: `main`, `contrib` ...
    """

    uri: str
    suite: str
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Route:
    """How a Debian of one release gets its packages from here.

    Attributes:
        archives: for the image's sources.list, the release's own first; empty where this machine's apt knows no Debian archive
            and debootstrap's default is the best guess.
        settings: lines for apt.conf: proxies and certificate checks.
        authorities: certificate files that the hosts must trust, in PEM form.
    """

    archives: tuple[Archive, ...]
    settings: tuple[str, ...]
    authorities: tuple[Path, ...]

    @property
    def sources_list(self) -> str:
        return "".join(f"deb {archive.uri} {archive.suite} {' '.join(archive.components)}\n" for archive in self.archives)


def route(release: str) -> Route:
    """This machine's way to Debian's archives, for one release."""
    listed = machine.run(
        "apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)", "Created-By: Packages", check=False
    )
    settings = machine.run("apt-config", "dump", check=False).stdout.splitlines()
    authorities = tuple(sorted(LOCAL_AUTHORITIES.rglob("*.crt"))) if LOCAL_AUTHORITIES.is_dir() else ()
    return Route(archives_of(listed.stdout, code_name(), release), carried(settings, dict(os.environ)), authorities)


def code_name() -> str:
    """Code name of the Debian that this machine runs; empty on anything else."""
    try:
        text = Path("/etc/os-release").read_text()
    except OSError:
        return ""
    fields = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    return fields.get("VERSION_CODENAME", "").strip('"') if fields.get("ID", "").strip('"') == "debian" else ""


def archives_of(listed: str, here: str, release: str) -> tuple[Archive, ...]:
    """Debian's archives out of `apt-get indextargets`, for another release where that differs from this machine's.

    Args:
        listed: lines of origin, uri, suite and component, separated by bars. The origin is empty before the first apt update.
        here: code name of this machine's Debian; only its suites are translated.
        release: code name wanted.
    """
    components: dict[tuple[str, str], list[str]] = {}
    for line in listed.splitlines():
        origin, uri, suite, component = line.split("|")
        if here and origin in ("Debian", "") and re.fullmatch(rf"{here}(-updates|-security)?", suite):
            components.setdefault((uri, release + suite.removeprefix(here)), []).append(component)
    found = [Archive(uri, suite, tuple(dict.fromkeys(names))) for (uri, suite), names in components.items()]
    return tuple(sorted(found, key=lambda archive: archive.suite != release)) if any(a.suite == release for a in found) else ()


def carried(settings: list[str], environment: dict[str, str]) -> tuple[str, ...]:
    """The lines of `apt-config dump` that decide how archives are reached, and the proxies that only the environment names."""
    lines = [line for line in settings if CARRIED_SETTINGS.search(line) and not line.endswith('"";')]
    for scheme, variables in PROXY_VARIABLES.items():
        proxy = next((environment[name] for name in variables if environment.get(name)), None)
        if proxy and not any(line.lower().startswith(f"acquire::{scheme}::proxy ") for line in lines):
            lines.append(f'Acquire::{scheme}::Proxy "{proxy}";')
    return tuple(lines)
