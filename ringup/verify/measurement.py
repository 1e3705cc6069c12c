"""What a ring run gave: who took part, whether every sum was right, how fast it was, and who is to blame. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["accepted", "rejected", "incomplete"]
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank of the job: a process on a host with its device."""

    rank: int
    host: str
    device: str
    device_name: str
    torch: str
    backend: str


@dataclass(frozen=True, slots=True)
class SumCheck:
    """One element-wise compared sum on one rank; `first_bad` is {index, seen, expected} or None."""

    rank: int
    host: str
    dtype: str
    size_bytes: int
    elements: int
    wrong: int
    first_bad: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RankTime:
    """How long one size took on one rank, in seconds."""

    rank: int
    host: str
    median_s: float
    min_s: float


@dataclass(frozen=True, slots=True)
class SizePoint:
    """One size of the sweep.

    Attributes:
        median_s: the slowest rank's median: a collective is done when all ranks have it.
        algbw_gbps, busbw_gbps: GB/s, 10^9 bytes.
        per_rank: one per rank, by rank.
    """

    size_bytes: int
    dtype: str
    iterations: int
    median_s: float
    algbw_gbps: float
    busbw_gbps: float
    per_rank: tuple[RankTime, ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """What stands against a host (or None: the whole), found at a stage, and what to do."""

    host: str | None
    stage: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The whole run. `stages` is seconds by stage."""

    verdict: Verdict
    world_size: int
    backend: str
    interface: str
    ranks: tuple[Rank, ...] = ()
    sums: tuple[SumCheck, ...] = ()
    sweep: tuple[SizePoint, ...] = ()
    blame: tuple[Blame, ...] = ()
    stages: Mapping[str, float] | None = None

    def summary(self) -> tuple[str, ...]:
        """The run in a few lines, for people."""
        hosts = len({rank.host for rank in self.ranks})
        came = f"ranks on {hosts} hosts, {self.backend}" if self.ranks else "ranks did not come together"
        lines = [f"ring {self.verdict}: {self.world_size} {came} over {self.interface}"]
        compared = sum(check.elements for check in self.sums)
        wrong = sum(check.wrong for check in self.sums)
        if self.sums:
            types = ", ".join(dict.fromkeys(check.dtype for check in self.sums))
            lines.append(f"sums: {compared} elements compared in {types}, {wrong} wrong")
        if self.sweep:
            best = max(self.sweep, key=lambda point: point.busbw_gbps)
            lines.append(
                f"busbw: {best.busbw_gbps:.3g} GB/s at {size_text(best.size_bytes)} (best), "
                f"{self.sweep[-1].busbw_gbps:.3g} GB/s at {size_text(self.sweep[-1].size_bytes)}"
            )
        lines += [f"{blame.host or 'ring'}: {blame.message}" for blame in self.blame]
        return tuple(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for events, JSON and the report."""
        return {**asdict(self), "summary": list(self.summary())}


def size_text(size_bytes: int) -> str:
    step = min(max(size_bytes.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    return f"{size_bytes / 1024**step:g} {UNITS[step]}"


def algbw(size_bytes: int, seconds: float) -> float:
    """Algorithm bandwidth in GB/s (10^9): bytes of the buffer over the time of one call. Source: nccl-tests, doc/PERFORMANCE.md."""
    return size_bytes / seconds / 1e9


def busbw(algorithm_gbps: float, ranks: int) -> float:
    """Bus bandwidth of an all-reduce, comparable across rank counts.

    Args:
        algorithm_gbps: bytes of the buffer over the time of one call, in GB/s (10^9).
        ranks: world size, at least 2.
    Returns:
        algbw * 2 * (ranks - 1) / ranks, in GB/s.
    Raises:
        ValueError: fewer than two ranks have no bus.
    Source: nccl-tests, doc/PERFORMANCE.md.
    """
    if ranks < 2:
        raise ValueError(f"{ranks} rank has no bus")
    return algorithm_gbps * 2 * (ranks - 1) / ranks


def sweep_points(timed: Iterable[Mapping[str, Any]], hosts_by_rank: Mapping[int, str]) -> tuple[SizePoint, ...]:
    """The sweep from the ranks' `timed` messages; a size that some rank did not finish is left out."""
    world = len(hosts_by_rank)
    by_size: dict[tuple[int, str], list[Mapping[str, Any]]] = {}
    for message in timed:
        by_size.setdefault((int(message["size_bytes"]), str(message["dtype"])), []).append(message)
    points = []
    for (size_bytes, dtype), messages in sorted(by_size.items()):
        if len(messages) != world or world < 2:
            continue
        per_rank = tuple(
            RankTime(int(row["rank"]), hosts_by_rank[int(row["rank"])], float(row["median_s"]), float(row["min_s"]))
            for row in sorted(messages, key=lambda row: int(row["rank"]))
        )
        slowest = max(time.median_s for time in per_rank)
        rate = algbw(size_bytes, slowest)
        points.append(SizePoint(size_bytes, dtype, int(messages[0]["iterations"]), slowest, rate, busbw(rate, world), per_rank))
    return tuple(points)


def wrong_sums(sums: Sequence[SumCheck]) -> tuple[Blame, ...]:
    """Blame for wrong sums: the whole when every rank saw the same count, else the hosts that saw more."""
    bad = [check for check in sums if check.wrong]
    if not bad:
        return ()
    hosts = sorted({check.host for check in bad})
    example = bad[0]
    first = example.first_bad or {}
    detail = (
        f"{example.wrong} of {example.elements} elements of a {example.dtype} sum are wrong; "
        f"first at index {first.get('index')}: {first.get('seen')} instead of {first.get('expected')}"
    )
    hint = "a wrong sum is never a setting of speed: check memory (ECC), NIC firmware and the NCCL version of this host"
    if len(hosts) == len({check.host for check in sums}):
        return (Blame(None, "sums", f"on every host, {detail}", hint),)
    return tuple(Blame(host, "sums", detail, hint) for host in hosts)
