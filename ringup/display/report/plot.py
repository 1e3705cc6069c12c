"""busbw over message size as an SVG: both axes logarithmic, one line a data type, nothing but text and paths."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 48
COLOURS = ("#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True, slots=True)
class Axis:
    """A logarithmic axis from `low` to `high` (both > 0) over pixels `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = math.log(self.high / self.low) or 1.0
        return self.start + (self.end - self.start) * math.log(value / self.low) / span


def size_text(size_bytes: float) -> str:
    """A power-of-two size as people say it: 64 KiB."""
    step = min(int(math.log2(max(size_bytes, 1)) // 10), len(UNITS) - 1)
    return f"{size_bytes / 1024**step:g} {UNITS[step]}"


def busbw_svg(sweep: Sequence[Mapping[str, Any]]) -> str:
    """The plot of a sweep; empty when fewer than two points were measured.

    Args:
        sweep: rows with `size_bytes`, `busbw_gbps` (GB/s, 10^9) and `dtype`.
    """
    rows = [row for row in sweep if row.get("busbw_gbps", 0) > 0 and row.get("size_bytes", 0) > 0]
    if len(rows) < 2:
        return ""
    sizes = sorted({float(row["size_bytes"]) for row in rows})
    rates = [float(row["busbw_gbps"]) for row in rows]
    x = Axis(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)
    low, high = 10 ** math.floor(math.log10(min(rates))), 10 ** math.ceil(math.log10(max(rates)))
    y = Axis(low, high if high > low else low * 10, HEIGHT - BOTTOM, TOP)
    parts = [*_grid(x, y, sizes), *_lines(x, y, rows)]
    label = f"Bus bandwidth in GB/s over message size, {len(rows)} points"
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'


def _grid(x: Axis, y: Axis, sizes: Sequence[float]) -> list[str]:
    parts = []
    exponent = round(math.log10(y.low))
    while 10**exponent <= y.high * 1.0001:
        height = y.at(10**exponent)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{height:.1f}" y2="{height:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{10.0**exponent:g}</text>')
        exponent += 1
    # about seven labels fit on a phone
    step = max(1, math.ceil(len(sizes) / 7))
    below = HEIGHT - BOTTOM + 18
    parts += [
        f'<text class="tick" x="{x.at(size):.1f}" y="{below}" text-anchor="middle">{size_text(size)}</text>' for size in sizes[::step]
    ]
    parts.append(f'<text class="tick" x="{LEFT}" y="{HEIGHT - 8}">message size; vertical: busbw in GB/s (10^9 bytes)</text>')
    return parts


def _lines(x: Axis, y: Axis, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    parts = []
    kinds = list(dict.fromkeys(str(row.get("dtype", "")) for row in rows))
    for number, kind in enumerate(kinds):
        colour = COLOURS[number % len(COLOURS)]
        points = sorted(
            (x.at(float(row["size_bytes"])), y.at(float(row["busbw_gbps"]))) for row in rows if str(row.get("dtype", "")) == kind
        )
        path = " ".join(f"{across:.1f},{up:.1f}" for across, up in points)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
        parts += [f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="{colour}"/>' for across, up in points]
        parts.append(f'<text x="{LEFT + 12}" y="{TOP + 16 + 18 * number}" fill="{colour}">{escape(kind)}</text>')
    return parts
