"""The program each rank runs, started by torchrun on the hosts with the torch that their users will use.

    worker.py PLAN.json

It stands alone (torch and the standard library, Python >= 3.8) and speaks in lines on standard output, `RINGUP ` and a JSON object:
    joined   rank, host, device, torch, backend        the rank is part of the job
    stage    rank, stage                               what it is about to do: the last one names where a hang is
    sums     rank, dtype, elements, wrong, first_bad   every element of a sum was compared
    timed    rank, size_bytes, dtype, iterations, median_s, min_s
    left     rank                                      the job ended in order
"""

import datetime
import json
import os
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

#: integers up to this are exact in bfloat16 (8 bits of significand), hence in float16 and float32
EXACT_BELOW = 256
#: no more ranks than this add up at one position, so that the sum stays exact at any world size
CONTRIBUTORS = 64


def say(kind: str, **values: Any) -> None:
    # one write per line: lines of several ranks of one host share the stream
    sys.stdout.write("RINGUP " + json.dumps({**values, "type": kind, "rank": int(os.environ["RANK"])}) + "\n")
    sys.stdout.flush()


def fill_period(world: int) -> tuple[int, int]:
    """(stride, values): every stride-th rank contributes at a position, with 1 to `values`; both repeat along the buffer."""
    stride = -(-world // CONTRIBUTORS)
    contributors = -(-world // stride)
    return stride, max(1, EXACT_BELOW // contributors)


def contribution(rank: int, world: int, count: int) -> torch.Tensor:
    """What a rank puts in: integers that depend on rank and position; one period, repeated to `count` elements (int64)."""
    stride, values = fill_period(world)
    position = torch.arange(min(count, stride * values), dtype=torch.int64)
    filled = 1 + (position * 31 + rank * 17) % values
    filled = torch.where((position + rank) % stride == 0, filled, torch.zeros_like(filled))
    repeats = -(-count // len(position))
    return filled.repeat(repeats)[:count]


def expectation(world: int, count: int) -> torch.Tensor:
    """The exact sum over all ranks (int64), by the same period."""
    stride, values = fill_period(world)
    period = min(count, stride * values)
    total = torch.zeros(period, dtype=torch.int64)
    for rank in range(world):
        total += contribution(rank, world, period)
    repeats = -(-count // period)
    return total.repeat(repeats)[:count]


def check_sum(size_bytes: int, dtype: torch.dtype, device: torch.device) -> None:
    """All-reduce the fill once and compare every element; says how many are wrong and the first of them."""
    rank, world = dist.get_rank(), dist.get_world_size()
    count = max(1, size_bytes // dtype.itemsize)
    buffer = contribution(rank, world, count).to(dtype).to(device)
    dist.all_reduce(buffer)
    seen = buffer.to("cpu").to(torch.float64)
    wanted = expectation(world, count).to(torch.float64)
    differs = seen != wanted
    wrong = int(differs.sum())
    first_bad = None
    if wrong:
        index = int(differs.to(torch.uint8).argmax())
        first_bad = {"index": index, "seen": float(seen[index]), "expected": float(wanted[index])}
    say("sums", dtype=str(dtype).split(".")[-1], size_bytes=size_bytes, elements=count, wrong=wrong, first_bad=first_bad)


def timed_call(buffer: torch.Tensor, cuda: bool) -> float:
    if cuda:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        dist.all_reduce(buffer)
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1000.0
    begin = time.perf_counter()
    dist.all_reduce(buffer)
    return time.perf_counter() - begin


def measure(size_bytes: int, dtype: torch.dtype, device: torch.device, plan: dict[str, Any]) -> None:
    """Time one size: warm-up, then as many calls as fit the time, the same number on every rank."""
    cuda = device.type == "cuda"
    buffer = torch.zeros(max(1, size_bytes // dtype.itemsize), dtype=dtype, device=device)
    warm = [timed_call(buffer, cuda) for _ in range(max(1, plan["warmups"]))]
    fitting = int(plan["seconds_per_size"] / max(warm[-1], 1e-7))
    iterations = torch.tensor([min(max(fitting, plan["iterations_min"]), plan["iterations_max"])], dtype=torch.int64, device=device)
    # ranks must agree on the number of calls, or the last ones hang
    dist.all_reduce(iterations, op=dist.ReduceOp.MIN)
    dist.barrier()
    times = [timed_call(buffer, cuda) for _ in range(int(iterations))]
    say(
        "timed",
        size_bytes=size_bytes,
        dtype=str(dtype).split(".")[-1],
        iterations=len(times),
        median_s=statistics.median(times),
        min_s=min(times),
    )


def join(plan: dict[str, Any]) -> torch.device:
    cuda = torch.cuda.is_available() and torch.cuda.device_count() > 0
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count()) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    backend = plan.get("backend") or ("nccl" if cuda else "gloo")
    say("stage", stage="rendezvous")
    dist.init_process_group(backend, timeout=datetime.timedelta(seconds=plan["limits"]["rendezvous_s"]))
    say("stage", stage="first collective")
    dist.barrier()
    name = torch.cuda.get_device_name(device) if cuda else platform.processor() or platform.machine()
    say("joined", host=platform.node(), device=str(device), device_name=name, torch=torch.__version__, backend=backend)
    return device


def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if not torch.cuda.is_available():
        # many hosts of a rehearsal rack share few cores: one thread a rank measures the network, not the scheduler
        torch.set_num_threads(1)
    device = join(plan)
    dtypes = [getattr(torch, name) for name in plan["dtypes"]]
    for dtype in dtypes:
        for size_bytes in plan["sum_sizes"]:
            say("stage", stage=f"sums in {dtype} at {size_bytes} bytes")
            check_sum(size_bytes, dtype, device)
    for size_bytes in plan["sizes"]:
        say("stage", stage=f"sweep at {size_bytes} bytes")
        check_sum(size_bytes, dtypes[0], device)
        measure(size_bytes, dtypes[0], device, plan)
    say("stage", stage="leaving")
    dist.barrier()
    dist.destroy_process_group()
    say("left")


if __name__ == "__main__":
    main()
