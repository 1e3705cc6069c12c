"""The recap: one line a host, in the words and order that Ansible's users grep for."""

from __future__ import annotations

from collections.abc import Mapping

from ringup.events import HostRecap

COUNTS = ("ok", "changed", "unreachable", "failed", "skipped", "rescued", "ignored")


def recap_line(host: str, recap: HostRecap, width: int) -> str:
    counts = " ".join(f"{name}={getattr(recap, name):<4}" for name in COUNTS)
    return f"{host:<{width}} : {counts}".rstrip()


def recap_lines(recap: Mapping[str, HostRecap], stopped: Mapping[str, str]) -> list[str]:
    """The whole recap; hosts that others' failures stopped say so, since their own counts do not."""
    width = max((len(host) for host in recap), default=0)
    lines = []
    for host in sorted(recap):
        note = f"  stopped: {stopped[host]}" if host in stopped else ""
        lines.append(recap_line(host, recap[host], width) + note)
    return lines


def duration(seconds: float) -> str:
    """A span as people say it: 0.4 s, 12 s, 3 min 05 s, 1 h 02 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
