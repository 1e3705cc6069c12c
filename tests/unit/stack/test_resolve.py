"""The resolver against answers worked out by hand from the vendors' tables."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.errors import InputError
from ringup.stack.catalogue import catalogue
from ringup.stack.devices import gpu_by_id, gpu_by_model, host_facts
from ringup.stack.resolve import resolve
from ringup.stack.values import Conflict, HostFacts, HostGpu, InstalledDriver, Stack, Wishes
from ringup.stack.wheel import covers
from ringup.stack.wishes import parse_wishes

TODAY = date(2026, 12, 1)
ROWS = catalogue()


def host(distribution: str, glibc: str, python: str, *models: str, architecture: str = "x86_64", driver: str | None = None) -> HostFacts:
    name, version = distribution.split()
    gpus = tuple(HostGpu(gpu.model, gpu.capability, 8) for model in models if (gpu := gpu_by_model(model, ROWS)) is not None)
    assert len(gpus) == len(models)
    installed = InstalledDriver(driver, "open") if driver else None
    return HostFacts(name, version, architecture, glibc, (python,), gpus, driver=installed)


def answer(facts: HostFacts, wishes: Wishes | None = None) -> tuple[int | None, str | None, str, str]:
    stack = resolve(facts, wishes or Wishes(), ROWS, TODAY)
    assert isinstance(stack, Stack), stack
    driver = stack.driver
    return driver and driver.branch, driver and driver.flavour, stack.torch.version, stack.torch.variant


FROZEN = Wishes(driver_frozen=True)


@pytest.mark.parametrize(
    ("facts", "wishes", "expected"),
    [
        # Volta: no open modules, no branch after 580, no CUDA 13
        (host("ubuntu 22.04", "2.35", "3.10", "Tesla V100"), None, (580, "proprietary", "2.14.1", "cu126")),
        # Blackwell on a driver below 580: cu128 is the last CUDA 12 build with code for it, 2.11.0 the last release with cu128
        (host("ubuntu 24.04", "2.39", "3.12", "GeForce RTX 5090", driver="570.86.15"), FROZEN, (570, "open", "2.11.0", "cu128")),
        (host("debian 12", "2.36", "3.11", "Tesla T4"), None, (620, "open", "2.15.0", "cu132")),
        # glibc 2.17: 2.6.0 is the last, and not its cu126
        (host("centos 7", "2.17", "3.9", "A100 PCIe", driver="535.309.01"), FROZEN, (535, "open", "2.6.0", "cu124")),
        (host("ubuntu 24.04", "2.39", "3.15", "L40S"), None, (620, "open", "2.15.0", "cu132")),
        (host("ubuntu 24.04", "2.39", "3.12", "GeForce GTX 1080 Ti", "GeForce RTX 2080 Ti"), None, (580, "proprietary", "2.14.1", "cu126")),
        # a driver branch that is asked for bounds the wheel
        (
            host("ubuntu 24.04", "2.39", "3.12", "H100 SXM5"),
            Wishes(driver_branch=570, allow_end_of_life=True),
            (570, "open", "2.14.1", "cu126"),
        ),
        (
            host("debian 12", "2.36", "3.11", "H100 SXM5"),
            Wishes(torch_version="2.13.0", torch_variant="cpu"),
            (620, "open", "2.13.0", "cpu"),
        ),
        (host("debian 12", "2.36", "3.11"), None, (None, None, "2.15.0", "cpu")),
    ],
)
def test_the_answer_is_the_newest_that_every_part_allows(facts: HostFacts, wishes: Wishes | None, expected: tuple[object, ...]) -> None:
    assert answer(facts, wishes) == expected


@pytest.mark.parametrize(
    ("facts", "wishes", "wish", "nearest"),
    [
        (host("ubuntu 24.04", "2.39", "3.12", "Tesla V100", "B200"), Wishes(), "one driver for the host", "different hosts"),
        (host("ubuntu 24.04", "2.39", "3.15", "L40S", driver="570.86.15"), FROZEN, "driver", "torch"),
        (host("ubuntu 24.04", "2.39", "3.12", "H100 SXM5"), Wishes(driver_branch=581), "driver.branch 581", "580"),
        (host("ubuntu 24.04", "2.39", "3.12", "H100 SXM5"), Wishes(driver_branch=535), "driver.branch 535", "allow_end_of_life"),
        (host("ubuntu 24.04", "2.39", "3.12", "B200"), Wishes(driver_flavour="proprietary"), "driver.flavour proprietary", "open"),
        (host("ubuntu 24.04", "2.39", "3.12", "Tesla V100"), Wishes(torch_version="2.15.0"), "torch.version 2.15.0", "2.14.1"),
        (host("ubuntu 24.04", "2.39", "3.12", "H100 SXM5"), Wishes(torch_python="3.4"), "torch.python", "torch"),
        (host("gentoo 2.17", "2.41", "3.12", "H100 SXM5"), Wishes(), "driver packages", "debian 12"),
        (host("debian 12", "2.36", "3.11", "H100 SXM5"), FROZEN, "driver.frozen", "leave"),
    ],
)
def test_a_conflict_names_the_wish_and_what_would_work(facts: HostFacts, wishes: Wishes, wish: str, nearest: str) -> None:
    conflict = resolve(facts, wishes, ROWS, TODAY)
    assert isinstance(conflict, Conflict)
    assert conflict.wish.startswith(wish)
    assert nearest in conflict.nearest
    assert conflict.because


def test_every_choice_has_a_reason_with_a_source() -> None:
    stack = resolve(host("debian 12", "2.36", "3.11", "H100 SXM5"), Wishes(), ROWS, TODAY)
    assert isinstance(stack, Stack)
    assert len(stack.reasons) >= 4
    assert all(reason.choice and reason.because and reason.source for reason in stack.reasons)


def test_an_unknown_gpu_is_named_by_its_id() -> None:
    facts = HostFacts("debian", "12", "x86_64", "2.36", ("3.11",), unknown_gpus=("ffff",))
    conflict = resolve(facts, Wishes(), ROWS, TODAY)
    assert isinstance(conflict, Conflict)
    assert "10de:ffff" in conflict.because


@pytest.mark.parametrize(
    ("device", "model"), [("2330", "H100 SXM5"), ("0x20b2", "A100"), ("20B5", "A100 PCIe"), ("26b9", "L40S"), ("1eb8", "Tesla T4")]
)
def test_a_gpu_is_known_by_its_pci_id(device: str, model: str) -> None:
    gpu = gpu_by_id(device, ROWS)
    assert gpu is not None
    assert gpu.model == model


def test_a_new_board_is_placed_by_its_chip() -> None:
    gpu = gpu_by_id("2901", ROWS)
    assert gpu is not None
    assert (gpu.capability, gpu.kernel_modules) == ("10.0", "open_required")


def test_facts_of_the_agent_become_counts_by_model() -> None:
    gathered = {
        "distribution": "Debian",
        "distribution_version": "12.14",
        "architecture": "x86_64",
        "glibc": "2.36",
        "pythons": [{"version": "3.11.2", "path": "/usr/bin/python3"}],
        "gpus": [{"vendor": "0x10de", "device": "0x2330"}] * 8,
        "nvswitches": [{"device": "0x22a3"}] * 4,
        "nvidia_driver": {"loaded": None},
    }
    facts = host_facts(gathered, ROWS)
    assert facts.gpus == (HostGpu("H100 SXM5", "9.0", 8),)
    assert (facts.distribution, facts.pythons, facts.nvswitch, facts.driver) == ("debian", ("3.11",), True, None)
    stack = resolve(facts, Wishes(), ROWS, TODAY)
    assert isinstance(stack, Stack)
    assert stack.fabric is not None


@pytest.mark.parametrize(
    ("variables", "hint"),
    [
        ({"driver": {"brunch": 580}}, "did you mean 'branch'"),
        ({"driver": 580}, "write driver"),
        ({"driver": {"branch": "newest"}}, "580"),
        ({"driver": {"flavour": "free"}}, "open"),
        ({"cuda": {"toolkits": "13.0"}}, "[13.0]"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_with_what_to_write(variables: dict[str, object], hint: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_wishes(variables, "node01")
    assert hint in str(refused.value)
    assert refused.value.where == "node01"


@given(st.sampled_from(ROWS.gpus), st.sampled_from(["3.10", "3.11", "3.12", "3.13", "3.14"]))
def test_a_stack_never_pairs_a_gpu_with_a_wheel_that_has_no_code_for_it(gpu: object, python: str) -> None:
    facts = host("ubuntu 24.04", "2.39", python, gpu.model)  # type: ignore[attr-defined]
    stack = resolve(facts, Wishes(), ROWS, TODAY)
    if isinstance(stack, Conflict):
        return
    release = next(release for release in ROWS.releases if release.version == stack.torch.version)
    variant = next(variant for variant in release.variants if variant.name == stack.torch.variant)
    assert covers(variant, facts.gpus[0].capability)
    assert stack.driver is not None
    branch = next(branch for branch in ROWS.branches if branch.number == stack.driver.branch)
    assert stack.driver.flavour in branch.flavours


def test_where_wheels_are_fetched_from_is_a_wish_that_changes_nothing_of_the_choice() -> None:
    assert parse_wishes({"torch": {"version": "2.8.0", "find_links": ["/srv/wheels"]}}) == parse_wishes({"torch": {"version": "2.8.0"}})
