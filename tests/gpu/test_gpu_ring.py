"""A real GPU: two hosts of a ring share it (NCCL takes them for two when NCCL_HOSTID differs), and torch is held against the hardware.

pytest -m gpu tests/gpu        on a machine with an NVIDIA GPU and a Python that has torch; RINGUP_GPU_PYTHON names another one
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ringup.agent.host import Host
from ringup.agent.task import perform
from ringup.verify.plan import RingPlan, powers
from ringup.verify.stages import RingHost, run_ring

pytestmark = pytest.mark.gpu
PYTHON = os.environ.get("RINGUP_GPU_PYTHON", sys.executable)


def call(module: str, arguments: Mapping[str, Any], limit_s: float) -> Mapping[str, Any]:
    return perform(module, dict(arguments), Host(timeout_s=limit_s))


def host(number: int) -> RingHost:
    environment = {"NCCL_HOSTID": f"node{number}", "NCCL_SOCKET_IFNAME": "=lo", "NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET"}
    return RingHost(f"node{number}", f"127.0.0.{number + 1}", "lo", 1, PYTHON, call, environment)


def memory_used() -> int:
    """MiB in use on all GPUs together."""
    argv = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return sum(int(line) for line in subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split())


def test_a_ring_of_two_hosts_over_nccl_is_exact_and_gives_the_memory_back() -> None:
    before = memory_used()
    stages: list[str] = []
    measurement = run_ring([host(0), host(1)], RingPlan(powers(1024, 64 << 20)), lambda stage, message: stages.append(stage))
    print("\n".join(measurement.summary()))
    for point in measurement.sweep:
        print(point.size_bytes, point.iterations, f"{point.busbw_gbps:.3f} GB/s")
    assert measurement.verdict == "accepted", measurement.blame
    assert measurement.backend == "nccl"
    assert {check.dtype for check in measurement.sums} == {"float32", "float16", "bfloat16"}
    assert all(check.wrong == 0 for check in measurement.sums)
    assert stages == ["preflight", "job"]
    assert memory_used() <= before + 64


def test_torch_runs_a_kernel_on_every_gpu(tmp_path: Path) -> None:
    environment = tmp_path / "env" / "bin"
    environment.mkdir(parents=True)
    # the module asks a virtual environment: here a stand-in that leads to the machine's own Python
    (environment / "python").write_text(f'#!/bin/sh\nexec "{PYTHON}" "$@"\n')
    (environment / "python").chmod(0o755)
    facts = perform("torch_facts", {"virtualenv": str(tmp_path / "env")}, Host())["torch_facts"]
    print(facts)
    assert facts["cuda_available"]
    assert facts["nccl"]
    assert facts["devices"]
    assert {device["kernel"] for device in facts["devices"]} == {"ok"}
