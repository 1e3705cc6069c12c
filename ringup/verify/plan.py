"""What a ring run does, decided before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ringup.errors import UsageError

DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long each stage may take, in seconds. Each is shorter than the one around it, so the one that fires is the diagnosis.

    Attributes:
        connect_s: one TCP connection between two hosts of the ring.
        rendezvous_s: all ranks join.
        collective_s: one collective, any size.
        job_s: everything the ranks do; the launcher ends the job then.
    """

    connect_s: float = 5.0
    rendezvous_s: float = 60.0
    collective_s: float = 60.0
    job_s: float = 600.0


@dataclass(frozen=True, slots=True)
class RingPlan:
    """Sizes, types and limits of one run.

    Attributes:
        sizes: message sizes of the sweep in bytes, ascending.
        dtypes: torch's names of the types whose sums are checked; the sweep is timed in the first.
        warmups: calls before timing, per size.
        seconds_per_size: timing stops after about this long, between `iterations_min` and `iterations_max` calls.
    """

    sizes: tuple[int, ...]
    dtypes: tuple[str, ...] = DTYPES
    warmups: int = 3
    seconds_per_size: float = 0.3
    iterations_min: int = 5
    iterations_max: int = 1000
    limits: Limits = Limits()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def powers(low_bytes: int, high_bytes: int, factor: int = 4) -> tuple[int, ...]:
    """Sizes from low to high, each `factor` times the one before; the high end is always measured.

    Raises:
        UsageError: the range is empty, or an element does not fit.
    """
    if low_bytes < 4 or high_bytes < low_bytes or factor < 2:
        raise UsageError(
            f"no sizes between {low_bytes} and {high_bytes} bytes",
            hint="the smallest size is 4 bytes, and the largest must not be below it",
        )
    sizes = []
    size = low_bytes
    while size < high_bytes:
        sizes.append(size)
        size *= factor
    return (*sizes, high_bytes)


def unknown_dtypes(dtypes: Sequence[str]) -> tuple[str, ...]:
    return tuple(dtype for dtype in dtypes if dtype not in DTYPES)
