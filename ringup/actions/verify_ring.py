"""Prove the ring: a cross-node all-reduce whose sums are compared and whose bandwidth is measured; the bad host or link is named."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ringup.actions.call import PER_HOST, ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import ConnectionFailed, TaskFailed
from ringup.events import RingMeasured, RingProgressed
from ringup.nccl.interfaces import interfaces, ring_interface
from ringup.results import Result
from ringup.templating import OMIT
from ringup.verify.measurement import Measurement
from ringup.verify.plan import DTYPES, Limits, RingPlan, powers, unknown_dtypes
from ringup.verify.stages import RingHost, run_ring

ONCE_PER_BATCH = True
UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Args(Arguments):
    """Verify the ring of the play's hosts with an all-reduce: sums checked element by element, bandwidth measured.

    Backend NCCL where torch sees CUDA devices, Gloo where it does not. Nothing is changed on the hosts, and nothing of the job stays.
    """

    virtualenv = option("str", required=True, help="folder of the environment that has torch")
    interface = option("str", help="interface of the ring")
    address = option("str", help="address of this host on the ring; rendered for each host")
    subnet = option("str", help="network of the ring")
    ranks = option("int", help="ranks on this host; default: its CUDA devices, or 1")
    environment = option("dict", default={}, help="variables of the job, such as the NCCL profile's")
    smallest = option("str", default="1K", help="smallest message: a number of bytes, or with K, M, G (powers of 1024)")
    largest = option("str", default="64M", help="largest message")
    factor = option("int", default=4, help="each size is this many times the one before")
    dtypes = option("list", elements="str", default=list(DTYPES), help="types whose sums are checked")
    rendezvous_s = option("float", default=60.0, help="limit for all ranks to join")
    job_s = option("float", default=600.0, help="limit of the whole job")


def size_bytes(text: str) -> int:
    """Bytes of a size as it is typed.

    Raises:
        TaskFailed: it is none.
    """
    word = text.strip().upper().removesuffix("IB").removesuffix("B") or "?"
    unit = word[-1] if word[-1] in UNITS else "B"
    number = word.removesuffix(unit) if unit != "B" else word
    if not number.isdigit():
        raise TaskFailed(f"'{text}' is not a size", hint="write a number of bytes, or 64M, 1G")
    return int(number) * UNITS[unit]


def run(call: ActionCall) -> Result:
    """Verify the ring of all live hosts of the batch.

    Raises:
        TaskFailed: the ring was rejected or could not be tested and no single host is to blame.
    """
    plan = _plan(call)
    names = list(call.fleet.hosts)
    if len(names) < 2:
        return Result({"changed": False, "skipped": True, "skip_reason": "a ring has at least two hosts", "msg": f"only {names} is left"})
    if call.check:
        return Result({"changed": False, "skipped": True, "skip_reason": "check mode", "msg": "the ring is not measured in check mode"})
    hosts = [_ring_host(call, name) for name in names]
    measurement = run_ring(hosts, plan, lambda stage, message: call.emit(RingProgressed(time.time(), stage, message)))
    call.emit(RingMeasured(time.time(), measurement.as_dict()))
    return _result(measurement, names)


def _plan(call: ActionCall) -> RingPlan:
    args = call.args
    unknown = unknown_dtypes(args.dtypes)
    if unknown:
        raise TaskFailed(f"dtypes cannot be {', '.join(unknown)}", hint=f"any of: {', '.join(DTYPES)}")
    limits = Limits(rendezvous_s=args.rendezvous_s, job_s=args.job_s)
    return RingPlan(powers(size_bytes(args.smallest), size_bytes(args.largest), args.factor), tuple(args.dtypes), limits=limits)


def _ring_host(call: ActionCall, name: str) -> RingHost:
    """A host as the ring sees it, by its own facts and arguments."""
    given = {key: value for key, value in call.fleet.render(name, dict(call.written)).items() if value is not OMIT}
    facts = call.fleet.render(name, "{{ ansible_facts }}")
    ring = ring_interface(
        interfaces(facts), wished=given.get("interface"), address=given.get("address"), subnet=given.get("subnet"), where=name
    )

    def ask(module: str, arguments: Mapping[str, Any], limit_s: float) -> Mapping[str, Any]:
        try:
            return call.fleet.module(name, module, arguments, timeout_s=limit_s)
        except ConnectionFailed as error:
            return {"unreachable": True, "msg": error.message, "hint": error.hint}

    environment = {str(key): str(value) for key, value in (given.get("environment") or {}).items()}
    ranks = int(given.get("ranks") or 0) or _devices(ask, str(given["virtualenv"]))
    python = f"{given['virtualenv']}/bin/python"
    return RingHost(name, ring.interface.address, ring.interface.name, ranks, python, ask, environment)


def _devices(ask: Any, virtualenv: str) -> int:
    answer = ask("torch_facts", {"virtualenv": virtualenv}, 120.0)
    return max(1, int((answer.get("torch_facts") or {}).get("device_count") or 0))


def _result(measurement: Measurement, names: list[str]) -> Result:
    values: dict[str, Any] = {"changed": False, "ring": measurement.as_dict(), "msg": "; ".join(measurement.summary())}
    everyone: dict[str, dict[str, Any]] = {name: {} for name in names}
    if measurement.verdict == "accepted":
        return Result({**values, PER_HOST: everyone})
    word = "rejected" if measurement.verdict == "rejected" else "could not be tested"
    blamed = [blame for blame in measurement.blame if blame.host in names]
    if not blamed:
        first = measurement.blame[0]
        raise TaskFailed(f"the ring {word}: {first.message}", hint=first.hint or None)
    failed = {
        str(blame.host): {"failed": True, "msg": f"the ring {word}: {blame.message}", "hint": blame.hint, "stage": blame.stage}
        for blame in blamed
    }
    return Result({**values, PER_HOST: {**everyone, **failed}})
