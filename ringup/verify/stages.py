"""The run over the hosts: preflight, launch, judgement. Each stage has its limit, and the one that fires is the diagnosis."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from ringup.verify.blame import blame_job, blame_mesh
from ringup.verify.measurement import Blame, Measurement, Rank, SumCheck, Verdict, sweep_points, wrong_sums
from ringup.verify.plan import RingPlan

#: sums are checked at an odd length (a tail shorter than any vector register) and at one that spans many chunks
SUM_SIZES = (4 * 1021, 4 * 1048583)
#: the launcher's limit lies above the ranks' own, so that theirs fire first
LAUNCH_MARGIN_S = 20.0


@dataclass(frozen=True, slots=True)
class RingHost:
    """A host of the ring.

    Attributes:
        address, interface: on the ring network, by number and by name.
        ranks: processes on this host: its GPUs, or 1.
        python: interpreter that has torch.
        call: runs an agent module there: (module, arguments, limit in seconds) -> result values.
    """

    name: str
    address: str
    interface: str
    ranks: int
    python: str
    call: Callable[[str, Mapping[str, Any], float], Mapping[str, Any]]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass
class _Run:
    """What the stages share: the hosts, a pool, and the clock of each stage."""

    hosts: Sequence[RingHost]
    plan: RingPlan
    progress: Callable[[str, str], None]
    pool: ThreadPoolExecutor
    seconds: dict[str, float]

    def each(self, stage: str, ask: Callable[[RingHost], tuple[str, Mapping[str, Any], float]]) -> dict[str, Mapping[str, Any]]:
        """Call one module on all hosts at once; the answer of each by name."""
        begin = time.monotonic()
        futures = {host.name: self.pool.submit(host.call, *ask(host)) for host in self.hosts}
        answers = {name: future.result() for name, future in futures.items()}
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.monotonic() - begin
        return answers


def run_ring(hosts: Sequence[RingHost], plan: RingPlan, progress: Callable[[str, str], None]) -> Measurement:
    """Verify the ring of these hosts.

    Args:
        hosts: at least two, in rank order.
        progress: told (stage, message) when a stage begins.
    Returns:
        The measurement; its verdict is `incomplete` when the ring could not be tested, `rejected` when a sum is wrong.
    """
    with ThreadPoolExecutor(len(hosts)) as pool:
        run = _Run(hosts, plan, progress, pool, {})
        progress("preflight", f"{len(hosts)} hosts connect to each other over {hosts[0].interface}")
        blames, ports = _ports(run)
        blames = blames or _mesh(run, ports)
        if blames:
            return _incomplete(run, blames)
        world = sum(host.ranks for host in hosts)
        progress("job", f"{world} ranks: sums in {', '.join(plan.dtypes)}, then {len(plan.sizes)} sizes")
        return _judge(run, _job(run), world)


def _incomplete(run: _Run, blames: Sequence[Blame]) -> Measurement:
    world = sum(host.ranks for host in run.hosts)
    return Measurement("incomplete", world, "", run.hosts[0].interface, blame=tuple(blames), stages=dict(run.seconds))


def _ports(run: _Run) -> tuple[tuple[Blame, ...], dict[str, int]]:
    limit_s = run.plan.limits.connect_s
    answers = run.each("preflight", lambda host: ("ring_port", {"address": host.address, "interface": host.interface}, limit_s))
    blames = tuple(
        Blame(name, "preflight", str(answer.get("msg")), str(answer.get("hint") or ""))
        for name, answer in answers.items()
        if answer.get("failed") or answer.get("unreachable")
    )
    return blames, {name: int(answer["port"]) for name, answer in answers.items() if "port" in answer}


def _mesh(run: _Run, ports: Mapping[str, int]) -> tuple[Blame, ...]:
    limit_s = run.plan.limits.connect_s
    addresses = {host.name: host.address for host in run.hosts}

    def ask(host: RingHost) -> tuple[str, Mapping[str, Any], float]:
        peers = {name: [address, ports[name]] for name, address in addresses.items() if name != host.name}
        return "ring_mesh", {"address": host.address, "port": ports[host.name], "peers": peers, "limit_s": limit_s}, limit_s + 10

    answers = run.each("preflight", ask)
    broken = tuple(
        Blame(name, "preflight", str(answer.get("msg")), str(answer.get("hint") or ""))
        for name, answer in answers.items()
        if answer.get("failed") or answer.get("unreachable")
    )
    return broken or blame_mesh({name: answer["peers"] for name, answer in answers.items()})


def _job(run: _Run) -> dict[str, Mapping[str, Any]]:
    first = run.hosts[0]
    port = first.call("ring_port", {"address": first.address}, run.plan.limits.connect_s)["port"]
    ring_id = uuid.uuid4().hex
    script = files("ringup.verify").joinpath("worker.py").read_text(encoding="utf-8")
    plan = {**run.plan.as_dict(), "sum_sizes": SUM_SIZES}
    limit_s = run.plan.limits.job_s
    places = {host.name: number for number, host in enumerate(run.hosts)}

    def ask(host: RingHost) -> tuple[str, Mapping[str, Any], float]:
        interface = {"GLOO_SOCKET_IFNAME": host.interface}
        arguments = {
            "ring_id": ring_id,
            "script": script,
            "plan": plan,
            "python": host.python,
            "nodes": len(run.hosts),
            "node_rank": places[host.name],
            "ranks": host.ranks,
            "address": first.address,
            "port": port,
            "environment": {**interface, **host.environment},
            "limit_s": limit_s,
        }
        return "ring_worker", arguments, limit_s + LAUNCH_MARGIN_S

    return run.each("job", ask)


def _judge(run: _Run, results: Mapping[str, Mapping[str, Any]], world: int) -> Measurement:
    messages = [{**message, "host": name} for name, result in results.items() for message in result.get("messages", ())]
    ranks = tuple(
        Rank(row["rank"], row["host"], row["device"], row["device_name"], row["torch"], row["backend"])
        for row in sorted((row for row in messages if row["type"] == "joined"), key=lambda row: int(row["rank"]))
    )
    sums = tuple(
        SumCheck(row["rank"], row["host"], row["dtype"], row["size_bytes"], row["elements"], row["wrong"], row["first_bad"])
        for row in messages
        if row["type"] == "sums"
    )
    hosts_by_rank = {rank.rank: rank.host for rank in ranks}
    sweep = sweep_points((row for row in messages if row["type"] == "timed"), hosts_by_rank)
    wrong = wrong_sums(sums)
    blames = wrong or blame_job(results, world)
    verdict: Verdict = "rejected" if wrong else "incomplete" if blames else "accepted"
    backend = ranks[0].backend if ranks else ""
    return Measurement(verdict, world, backend, run.hosts[0].interface, ranks, sums, sweep, blames, dict(run.seconds))
