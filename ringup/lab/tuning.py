"""Settings of this machine's kernel that racks need, put back as they were when the last rack leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ringup.lab import state

BEFORE = state.CLAIMS / "settings.json"

# All hosts are root to the kernel and share root's limits. A systemd host takes 5 inotify instances: with the usual
# limit of 128 the 23rd host hangs half-way through its boot, without a word.
AT_LEAST: Mapping[str, int] = {
    "net/ipv4/ip_forward": 1,
    "fs/inotify/max_user_instances": 8192,
    "fs/inotify/max_user_watches": 524288,
    "kernel/keys/maxkeys": 2000,
}


def tune() -> None:
    """Raise what is too low; what was there before is written down first, once for all racks."""
    with state.locked(state.MACHINE):
        before = _before()
        low = {name: _read(name) for name, least in AT_LEAST.items() if _path(name).exists() and _read(name) < least}
        state.replace(BEFORE, json.dumps(low | before))
        for name in low:
            _path(name).write_text(f"{AT_LEAST[name]}\n")


def restore() -> None:
    """Put all settings back, unless a rack is left that needs them."""
    with state.locked(state.MACHINE):
        if any(state.CLAIMS.glob("*.claim")):
            return
        for name, value in _before().items():
            _path(name).write_text(f"{value}\n")
        BEFORE.unlink(missing_ok=True)


def _before() -> dict[str, int]:
    return json.loads(BEFORE.read_text()) if BEFORE.exists() else {}


def _path(name: str) -> Path:
    return Path("/proc/sys") / name


def _read(name: str) -> int:
    return int(_path(name).read_text())
