from typing import Any

import pytest

from ringup.verify.environment import judge_environment

CPU: dict[str, Any] = {"torch": "2.13.0+cpu", "cuda": None, "cuda_available": False, "device_count": 0, "distributed": True, "gloo": True}
CUDA: dict[str, Any] = {
    **CPU,
    "torch": "2.13.0",
    "cuda": "13.0",
    "cuda_available": True,
    "device_count": 2,
    "nccl": "2.29.7",
    "devices": [{"name": "H100", "capability": "9.0", "kernel": "ok"}] * 2,
}
WANTED_CPU = {"version": "2.13.0", "variant": "cpu"}
WANTED_CUDA = {"version": "2.13.0", "variant": "cu130", "nccl": "2.29.7"}


def failed(facts: dict[str, Any], wanted: dict[str, str], gpus: int) -> set[str]:
    return {check.id for check in judge_environment(facts, wanted, gpus) if not check.passed}


@pytest.mark.parametrize(("facts", "wanted", "gpus"), [(CPU, WANTED_CPU, 0), (CPU, WANTED_CPU, 8), (CUDA, WANTED_CUDA, 2)])
def test_a_torch_that_is_what_its_stack_asks_for_passes(facts: dict[str, Any], wanted: dict[str, str], gpus: int) -> None:
    assert failed(facts, wanted, gpus) == set()


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"torch": "2.12.0"}, "torch-version"),
        ({"cuda": None}, "torch-variant"),
        ({"cuda": "12.6"}, "torch-variant"),
        ({"cuda_available": False}, "cuda-available"),
        ({"device_count": 1}, "device-count"),
        ({"nccl": "2.21.5"}, "nccl"),
        ({"devices": [{"name": "V100", "capability": "7.0", "kernel": "no kernel image is available"}]}, "kernel-gpu0"),
    ],
)
def test_what_differs_is_named(change: dict[str, Any], check: str) -> None:
    assert check in failed({**CUDA, **change}, WANTED_CUDA, 2)


def test_a_failed_check_says_what_was_seen_and_expected() -> None:
    check = next(check for check in judge_environment({**CUDA, "device_count": 1}, WANTED_CUDA, 2) if check.id == "device-count")
    assert (check.seen, check.expected) == ("1", "2")
