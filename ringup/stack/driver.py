"""Which driver: branch, flavour, packages. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from packaging.version import Version

from ringup.stack.catalogue import Branch, Catalogue, Distribution, Gpu
from ringup.stack.values import Conflict, DriverChoice, FabricChoice, Flavour, HostFacts, Reason, Unresolvable, Wishes

#: from this branch NVIDIA's packages carry no branch in their names
UNSUFFIXED_FROM = 590
#: from this branch the fabric manager's packages carry none
FABRIC_UNSUFFIXED_FROM = 580
#: NVIDIA's packages that pin all of a driver: of a branch (`-580`), or of one version (`-580.65.06`)
PINNING = "nvidia-driver-pinning-"


def branch_of(version: str) -> int:
    """The branch of a driver version: 580 of 580.95.05."""
    return int(version.split(".")[0])


def ended(branch: Branch, today: date) -> bool:
    """The branch is past its end of life; words instead of a month (`ended`) count as past, `not stated` does not."""
    match = re.match(r"^(\d{4})-(\d{2})$", branch.end_of_life)
    if match is None:
        return branch.end_of_life == "ended"
    return (today.year, today.month) > (int(match[1]), int(match[2]))


def choose_flavour(gpus: Sequence[Gpu], wishes: Wishes) -> tuple[Flavour, Reason]:
    """Open or proprietary kernel modules.

    Raises:
        Unresolvable: GPUs of one host exclude each other's flavour, or the wish excludes a GPU.
    """
    old = [gpu for gpu in gpus if gpu.kernel_modules == "proprietary_only"]
    new = [gpu for gpu in gpus if gpu.kernel_modules == "open_required"]
    if old and new:
        because = f"{old[0].model} has no open kernel modules and {new[0].model} has no others"
        raise Unresolvable(
            Conflict("one driver for the host", f"{old[0].model} beside {new[0].model}", because, "put them into different hosts")
        )
    needed: Flavour = "proprietary" if old else "open"
    decisive = (old or new or list(gpus))[0]
    if wishes.driver_flavour and wishes.driver_flavour != needed and (old or new):
        fact = f"{decisive.model} ({decisive.architecture})"
        because = f"{decisive.model} works only with the {needed} kernel modules"
        raise Unresolvable(Conflict(f"driver.flavour {wishes.driver_flavour}", fact, because, f"driver.flavour {needed}"))
    if wishes.driver_flavour:
        return wishes.driver_flavour, Reason(f"{wishes.driver_flavour} kernel modules", "asked for", "driver.flavour")
    word = {"proprietary_only": "has no open kernel modules", "open_required": "works only with the open kernel modules"}
    because = word.get(decisive.kernel_modules, "supports the open kernel modules, which NVIDIA recommends from Turing on")
    return needed, Reason(f"{needed} kernel modules", f"{decisive.model} {because}", decisive.source)


def choose_branch(
    gpus: Sequence[Gpu], flavour: Flavour, floor: str, wishes: Wishes, rows: Catalogue, today: date
) -> tuple[Branch, Reason, list[str]]:
    """The driver branch: the one asked for if it can serve, else the newest long-term one that can.

    Args:
        floor: least driver version that the wheel needs.
    Returns:
        The branch, why, and warnings.
    Raises:
        Unresolvable: no branch serves all GPUs, or the one asked for does not.
    """
    wished = wishes.driver_branch or (branch_of(wishes.driver_version) if wishes.driver_version else None)
    if wished is not None:
        return _wished_branch(wished, gpus, flavour, floor, wishes, rows, today)
    fitting = [branch for branch in rows.branches if not ended(branch, today) and _unfit(branch, gpus, flavour, floor) is None]
    long_term = [branch for branch in fitting if branch.kind == "LTS"]
    if not fitting:
        names = ", ".join(gpu.model for gpu in gpus)
        raise Unresolvable(
            Conflict("a driver for every GPU", names, f"no supported branch serves {names} with {flavour} modules", "split the host")
        )
    branch = (long_term or fitting)[-1]
    kind = "newest long-term branch" if long_term else "newest branch"
    because = f"{kind} that serves {', '.join(gpu.model for gpu in gpus)}; supported until {branch.end_of_life}"
    return branch, Reason(f"driver branch {branch.number}", because, branch.source), []


def _wished_branch(
    wished: int, gpus: Sequence[Gpu], flavour: Flavour, floor: str, wishes: Wishes, rows: Catalogue, today: date
) -> tuple[Branch, Reason, list[str]]:
    known = {branch.number: branch for branch in rows.branches}
    if wished not in known:
        close = min(known, key=lambda number: abs(number - wished))
        raise Unresolvable(Conflict(f"driver.branch {wished}", "the catalogue", f"there is no branch {wished}", f"driver.branch {close}"))
    branch = known[wished]
    unfit = _unfit(branch, gpus, flavour, floor)
    if unfit is not None:
        fitting = [other for other in rows.branches if not ended(other, today) and _unfit(other, gpus, flavour, floor) is None]
        nearest = min(fitting, key=lambda other: abs(other.number - wished)).number if fitting else None
        answer = f"driver.branch {nearest}" if nearest else "no branch serves this host"
        raise Unresolvable(Conflict(f"driver.branch {wished}", unfit[0], unfit[1], answer))
    warnings = []
    if ended(branch, today):
        if not wishes.allow_end_of_life:
            because = f"branch {wished} has had no fixes since {branch.end_of_life}"
            raise Unresolvable(
                Conflict(f"driver.branch {wished}", f"end of life {branch.end_of_life}", because, "set allow_end_of_life: true")
            )
        warnings.append(f"driver branch {wished} is past its end of life ({branch.end_of_life})")
    return branch, Reason(f"driver branch {wished}", "asked for", "driver.branch"), warnings


def _unfit(branch: Branch, gpus: Sequence[Gpu], flavour: Flavour, floor: str) -> tuple[str, str] | None:
    """(fact, because) when a branch cannot serve, else None."""
    if flavour not in branch.flavours:
        return f"{flavour} kernel modules", f"branch {branch.number} has only {' and '.join(branch.flavours)} kernel modules"
    for gpu in gpus:
        if gpu.last_driver_branch is not None and branch.number > gpu.last_driver_branch:
            return gpu.model, f"branch {gpu.last_driver_branch} is the last that supports {gpu.model}"
        if gpu.min_driver and branch.number < branch_of(gpu.min_driver):
            return gpu.model, f"{gpu.model} needs driver {gpu.min_driver} or newer"
    if Version(branch.newest) < Version(floor):
        return f"driver {branch.newest} at most", f"the wheel's CUDA needs driver {floor} or newer"
    return None


def driver_packages(branch: int, flavour: Flavour, distribution: Distribution, version: str | None = None) -> tuple[str, ...]:
    """Package names of a driver branch on a distribution, in NVIDIA's repository.

    Args:
        version: an exact driver version; it is what the pinning package then pins, as the parts of a driver follow no other.
    """
    age = "from" if branch >= UNSUFFIXED_FROM else "below"
    names = distribution.names[f"{flavour}_{age}_{UNSUFFIXED_FROM}"]
    return tuple(name.format(branch=version if version and name.startswith(PINNING) else branch) for name in names)


def choose_fabric(
    facts: HostFacts, gpus: Sequence[Gpu], driver: DriverChoice, distribution: Distribution
) -> tuple[FabricChoice, Reason] | None:
    """The fabric manager where the board needs one: NVSwitches on the bus, or a board of NVLink 5 whose switches are not.

    The exact version is the installed driver's: the role takes it from the host after the driver is there.
    """
    nvlink5 = [gpu for gpu in gpus if gpu.fabric_manager and gpu.capability.startswith("10.")]
    if not facts.nvswitch and not nvlink5:
        return None
    age = "from" if driver.branch >= FABRIC_UNSUFFIXED_FROM else "below"
    packages = [name.format(branch=driver.branch) for name in distribution.names[f"fabric_{age}_{FABRIC_UNSUFFIXED_FROM}"]]
    if nvlink5:
        packages += distribution.names["nvlink5"]
    because = "NVSwitches are on the PCI bus" if facts.nvswitch else f"{nvlink5[0].model} boards join their GPUs by NVSwitch"
    because += "; without the fabric manager CUDA fails with error 802, and its version must equal the driver's"
    return FabricChoice(tuple(packages)), Reason("fabric manager", because, distribution.names["source"])
