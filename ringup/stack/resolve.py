"""facts + wishes + catalogue -> Stack | Conflict. Pure, explained."""

from __future__ import annotations

from datetime import date

from packaging.version import Version

from ringup.stack.catalogue import Catalogue, Distribution, Gpu
from ringup.stack.devices import gpu_by_id, gpu_by_model
from ringup.stack.driver import branch_of, choose_branch, choose_fabric, choose_flavour, driver_packages
from ringup.stack.values import Conflict, DriverChoice, Flavour, HostFacts, Reason, Stack, Unresolvable, Wishes
from ringup.stack.wheel import Candidate, choose_wheel


def resolve(facts: HostFacts, wishes: Wishes, rows: Catalogue, today: date) -> Stack | Conflict:
    """The matched stack of a host, or what stands in the way.

    Args:
        today: by which an end of life is judged.
    """
    try:
        gpus = _gpus(facts, rows)
        wheel, torch, reasons = choose_wheel(facts, gpus, wishes, _driver_limit(facts, gpus, wishes, rows), rows)
        if not gpus:
            return Stack(torch, reasons=tuple(reasons))
        return _with_driver(Stack(torch, gpus=facts.gpus, reasons=tuple(reasons)), facts, gpus, wishes, wheel, rows, today)
    except Unresolvable as answer:
        return answer.conflict


def _gpus(facts: HostFacts, rows: Catalogue) -> tuple[Gpu, ...]:
    if facts.unknown_gpus:
        number = facts.unknown_gpus[0]
        because = f"the catalogue has no GPU with PCI id 10de:{number}"
        raise Unresolvable(Conflict("a known GPU", f"PCI id 10de:{number}", because, "add a row to the catalogue: docs/adding-a-gpu.md"))
    found = []
    for entry in facts.gpus:
        gpu = gpu_by_model(entry.model, rows) or gpu_by_id(entry.model.split()[-1], rows)
        if gpu is None:
            raise Unresolvable(Conflict("a known GPU", entry.model, f"the catalogue has no {entry.model}", "docs/adding-a-gpu.md"))
        found.append(gpu)
    return tuple(found)


def _driver_limit(facts: HostFacts, gpus: tuple[Gpu, ...], wishes: Wishes, rows: Catalogue) -> str | None:
    """The newest driver the host can have: the one that must stay, the one asked for, or the last that serves its GPUs."""
    if wishes.driver_frozen and facts.driver is not None:
        return facts.driver.version
    if wishes.driver_version:
        return wishes.driver_version
    numbers = [gpu.last_driver_branch for gpu in gpus if gpu.last_driver_branch is not None]
    if wishes.driver_branch is not None:
        numbers.append(wishes.driver_branch)
    if not numbers:
        return None
    return next((branch.newest for branch in rows.branches if branch.number == min(numbers)), None)


def _with_driver(
    stack: Stack, facts: HostFacts, gpus: tuple[Gpu, ...], wishes: Wishes, wheel: Candidate, rows: Catalogue, today: date
) -> Stack:
    if wishes.driver_frozen:
        return _frozen(stack, facts, gpus, wheel)
    distribution = _distribution(facts, rows)
    flavour, why_flavour = choose_flavour(gpus, wishes)
    floor = max((wheel.variant.min_driver, *(gpu.min_driver for gpu in gpus if gpu.min_driver)), key=Version)
    branch, why_branch, warnings = choose_branch(gpus, flavour, floor, wishes, rows, today)
    packages = driver_packages(branch.number, flavour, distribution, wishes.driver_version)
    driver = DriverChoice(branch.number, wishes.driver_version, flavour, packages, packages)
    fabric = choose_fabric(facts, gpus, driver, distribution)
    toolkits = tuple(distribution.names["toolkit"].format(major=major, minor=minor) for major, minor in _pairs(wishes.cuda_toolkits))
    reasons = [*stack.reasons, why_flavour, why_branch, *([fabric[1]] if fabric else [])]
    return Stack(
        torch=stack.torch,
        driver=driver,
        fabric=fabric[0] if fabric else None,
        cuda_toolkits=wishes.cuda_toolkits,
        cuda_packages=toolkits,
        repository_url=distribution.repository_url[facts.architecture],
        gpus=facts.gpus,
        warnings=tuple(warnings),
        reasons=tuple(reasons),
    )


def _frozen(stack: Stack, facts: HostFacts, gpus: tuple[Gpu, ...], wheel: Candidate) -> Stack:
    """The driver that is there stays; it must be there, and serve the wheel."""
    if facts.driver is None:
        raise Unresolvable(
            Conflict("driver.frozen", "no driver on the host", "there is no driver that could stay", "leave driver.frozen out")
        )
    floor = max((wheel.variant.min_driver, *(gpu.min_driver for gpu in gpus if gpu.min_driver)), key=Version)
    version = facts.driver.version
    if wheel.variant.name != "cpu" and Version(version) < Version(floor):
        raise Unresolvable(
            Conflict("driver.frozen", f"driver {version}", f"{gpus[0].model} and the wheel need {floor}", f"driver {floor} or newer")
        )
    flavour: Flavour = "proprietary" if facts.driver.flavour == "proprietary" else "open"
    driver = DriverChoice(branch_of(version), version, flavour, (), (), kept=True)
    reason = Reason(f"driver {version}", "it must stay as it is", "driver.frozen")
    return Stack(torch=stack.torch, driver=driver, gpus=facts.gpus, reasons=(*stack.reasons, reason))


def _distribution(facts: HostFacts, rows: Catalogue) -> Distribution:
    for distribution in rows.distributions:
        same_version = facts.distribution_version.split(".")[: distribution.version.count(".") + 1] == distribution.version.split(".")
        if distribution.id == facts.distribution and same_version:
            return distribution
    known = ", ".join(f"{one.id} {one.version}" for one in rows.distributions)
    seen = f"{facts.distribution} {facts.distribution_version}"
    raise Unresolvable(
        Conflict("driver packages", seen, f"the catalogue has no package names for {seen}", f"known: {known}; or driver.frozen: true")
    )


def _pairs(toolkits: tuple[str, ...]) -> list[tuple[str, str]]:
    pairs = []
    for toolkit in toolkits:
        major, _, minor = toolkit.partition(".")
        if not (major.isdigit() and minor.isdigit()):
            raise Unresolvable(
                Conflict(f"cuda.toolkits {toolkit}", "toolkits are named by major.minor", f"'{toolkit}' is no CUDA version", "13.0")
            )
        pairs.append((major, minor))
    return pairs
