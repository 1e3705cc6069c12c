"""Runs as events, for the listeners' tests."""

from __future__ import annotations

from ringup.events import (
    Event,
    HostRecap,
    HostTaskStarted,
    PlayStarted,
    RingMeasured,
    RunEnded,
    RunStarted,
    StackResolved,
    TaskEnded,
    TaskProgressed,
    TaskStarted,
)
from ringup.results import Result

HOSTS = ("node01", "node02", "node03")
SWEEP = [
    {
        "size_bytes": 1024 * 4**step,
        "dtype": "float32",
        "algbw_gbps": 0.01 * 4**step,
        "busbw_gbps": 0.015 * 4**step,
        "median_s": 1e-4 * 2**step,
    }
    for step in range(5)
]
RING = {"verdict": "accepted", "summary": ["ring accepted: 3 ranks on 3 hosts, gloo over eth1"], "blame": [], "sweep": SWEEP}
STACK = {
    "driver": {"version": "580.178.04", "flavour": "open"},
    "torch": {"version": "2.13.0", "variant": "cu130", "nccl": "2.29.7"},
    "cuda": {"toolkits": ()},
    "reasons": ({"choice": "torch 2.13.0", "because": "asked for", "source": "torch.version"},),
}


def whole_run() -> list[Event]:
    """Three hosts: one changed, one as it was, one failed; then a ring."""
    diff = [{"before_header": "/etc/motd", "after_header": "/etc/motd", "before": "", "after": "<b>hello</b>\n"}]
    failed = Result({"failed": True, "msg": "no space left", "hint": "free some", "stderr": "write error"})
    return [
        RunStarted(100.0, "r1", ("playbooks/provision.yaml",), check=False, diff=True),
        PlayStarted(100.0, "provision", HOSTS, 2),
        *(StackResolved(100.1, host, STACK) for host in HOSTS),
        TaskStarted(100.1, 1, "write the message", "copy", None, "base"),
        *(HostTaskStarted(100.1, 1, host) for host in HOSTS),
        TaskProgressed(100.2, 1, "node01", "Unpacking hello"),
        TaskEnded(100.5, 1, "node01", Result({"changed": True, "diff": diff}), 0.4),
        TaskEnded(100.6, 1, "node02", Result({"changed": False}), 0.5),
        TaskEnded(100.7, 1, "node03", failed, 0.6),
        TaskStarted(100.7, 2, "say it", "debug", None),
        TaskEnded(100.8, 2, "node01", Result({"changed": False, "msg": "hi"}), 0.1),
        TaskEnded(100.8, 2, "node02", Result({"changed": False, "msg": "hi"}), 0.1),
        RingMeasured(104.0, RING),
        RunEnded(
            105.0,
            "r1",
            {"node01": HostRecap(ok=2, changed=1), "node02": HostRecap(ok=2), "node03": HostRecap(failed=1)},
            2,
            5.0,
        ),
    ]


def secret_run() -> list[Event]:
    """A task whose values nobody may see."""
    secret = Result({"changed": True, "stdout": "hunter2", "msg": "hunter2", "diff": [{"before": "", "after": "hunter2\n"}]}, no_log=True)
    return [
        RunStarted(1.0, "r2", ("site.yaml",), check=False, diff=True),
        PlayStarted(1.0, "secrets", HOSTS[:1], 1),
        TaskStarted(1.0, 9, "set the password", "user", None),
        TaskEnded(1.5, 9, "node01", secret, 0.5),
        RunEnded(2.0, "r2", {"node01": HostRecap(ok=1, changed=1)}, 0, 1.0),
    ]
