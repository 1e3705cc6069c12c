"""All that this machine shows of a rack: what a test compares before and after."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ringup.lab import cgroups, state, tuning


def _lines(*argv: str) -> list[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def traces(name: str) -> dict[str, list[str]]:
    """By kind, everything on the machine that carries a rack's name; kinds without a trace are left out."""
    folder, dashed = str(state.home() / name), f"{name}-"
    links = json.loads("".join(_lines("ip", "-j", "link")))
    found = {
        "namespaces": [line for line in _lines("ip", "netns", "list") if line.startswith(dashed)],
        "links": [link["ifname"] for link in links if link["ifname"].startswith(dashed)],
        "tables": [line for line in _lines("nft", "list", "tables") if line.endswith(f" ringup_{name}")],
        "mounts": [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if folder in line],
        "loops": [str(path) for path in Path("/sys/block").glob("loop*/loop/backing_file") if folder in path.read_text()],
        "cgroups": [str(root / f"ringup-lab-{name}") for root in cgroups.hierarchies() if (root / f"ringup-lab-{name}").exists()],
        "processes": _processes(folder, f"ringup-lab-{name}"),
        "files": [str(path) for path in (Path(folder), state.claim_of(name)) if path.exists()],
    }
    return {kind: seen for kind, seen in found.items() if seen}


def settings() -> dict[str, str]:
    """The kernel settings that racks change."""
    return {name: (Path("/proc/sys") / name).read_text() for name in tuning.AT_LEAST}


def _processes(folder: str, cgroup: str) -> list[str]:
    """Processes that name the rack's folder, are in its cgroup, or have their root on one of its disks."""
    seen = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            group = (process / "cgroup").read_text()
            root = str((process / "root").readlink())
        except OSError:
            continue  # it has ended meanwhile
        if folder in words or f"/{cgroup}" in group or root.startswith(folder):
            seen.append(f"{process.name} {words}")
    return seen
