"""Is each host's torch what its hardware and its stack ask for? Judged, not just printed. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion, Version


@dataclass(frozen=True, slots=True)
class EnvironmentCheck:
    """One expectation: `id` is stable, `seen` and `expected` are as an operator reads them."""

    id: str
    passed: bool
    seen: str
    expected: str
    hint: str = ""


def judge_environment(facts: Mapping[str, Any], wanted: Mapping[str, Any], gpus: int) -> tuple[EnvironmentCheck, ...]:
    """Hold a host's torch against its stack and its PCI bus.

    Args:
        facts: what `torch_facts` read: torch, cuda, cuda_available, device_count, cudnn, nccl, gloo, devices.
        wanted: the `torch` part of the resolved stack: version, variant (`cpu` or `cu130`), nccl.
        gpus: GPUs on the host's PCI bus that the stack names.
    Returns:
        One check per expectation, failed ones included.
    """
    variant = str(wanted.get("variant", "cpu"))
    checks = [
        _version(facts, wanted),
        _variant(facts, variant),
        _flag("distributed", facts.get("distributed"), "torch has no torch.distributed"),
    ]
    if variant == "cpu":
        checks.append(_flag("gloo", facts.get("gloo"), "this build of torch has no Gloo"))
        return tuple(checks)
    checks.append(_same("nccl", facts.get("nccl"), wanted.get("nccl"), "another package may have replaced the wheel's NCCL"))
    if gpus:
        available = bool(facts.get("cuda_available"))
        checks.append(_flag("cuda-available", available, "look at nvidia-smi and the kernel log: the driver is not usable"))
        checks.append(
            _same(
                "device-count",
                facts.get("device_count"),
                gpus,
                "a GPU on the PCI bus is not seen by CUDA: CUDA_VISIBLE_DEVICES, or a fallen GPU",
            )
        )
        checks += [_kernel(index, device) for index, device in enumerate(facts.get("devices") or ())]
    return tuple(checks)


def _version(facts: Mapping[str, Any], wanted: Mapping[str, Any]) -> EnvironmentCheck:
    seen, expected = str(facts.get("torch")), str(wanted.get("version"))
    try:
        passed = Version(seen).public == Version(expected).public
    except InvalidVersion:
        passed = False
    return EnvironmentCheck("torch-version", passed, seen, expected, "run the pytorch role again: another install replaced torch")


def _variant(facts: Mapping[str, Any], variant: str) -> EnvironmentCheck:
    cuda = facts.get("cuda")
    seen = f"cu{str(cuda).replace('.', '')}" if cuda else "cpu"
    hint = "a CPU-only wheel is installed" if seen == "cpu" else "the wheel was built for another CUDA"
    return EnvironmentCheck("torch-variant", seen == variant, seen, variant, hint)


def _flag(name: str, value: Any, hint: str) -> EnvironmentCheck:
    return EnvironmentCheck(name, bool(value), "yes" if value else "no", "yes", hint)


def _same(name: str, seen: Any, expected: Any, hint: str) -> EnvironmentCheck:
    # what the catalogue does not know cannot be held against a host
    passed = expected is None or str(seen) == str(expected)
    return EnvironmentCheck(name, passed, str(seen), "any" if expected is None else str(expected), hint)


def _kernel(index: int, device: Mapping[str, Any]) -> EnvironmentCheck:
    seen = str(device.get("kernel"))
    hint = f"the wheel has no working code for {device.get('name')} (compute capability {device.get('capability')})"
    return EnvironmentCheck(f"kernel-gpu{index}", seen == "ok", seen, "ok", hint)
