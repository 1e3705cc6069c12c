"""PCI ids into GPUs of the catalogue: the bus tells what a host is before any driver does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from ringup.stack.catalogue import Catalogue, Gpu
from ringup.stack.values import HostFacts, HostGpu, InstalledDriver

NVIDIA = "10de"


def gpu_by_id(device: str, rows: Catalogue) -> Gpu | None:
    """The model of a device id of vendor 10de; a chip's range answers for models that have no row yet."""
    wanted = device.lower().removeprefix("0x")
    for gpu in rows.gpus:
        if wanted in gpu.pci_ids:
            return gpu
    number = int(wanted, 16)
    for chip in rows.chips:
        if chip.first <= number <= chip.last:
            name = f"{chip.chip.upper()} {wanted}"
            return Gpu(
                model=name,
                capability=chip.capability,
                architecture=chip.chip,
                gpu_class="unknown",
                kernel_modules=chip.kernel_modules,
                fabric_manager=False,
                last_driver_branch=None,
                min_driver=None,
                pci_ids=(wanted,),
                source=chip.source,
            )
    return None


def gpu_by_model(model: str, rows: Catalogue) -> Gpu | None:
    """The row of a model by its name, whatever its case and however much of the board's name is given."""
    wanted = _folded(model)
    for gpu in rows.gpus:
        if _folded(gpu.model) == wanted:
            return gpu
    beginnings = [gpu for gpu in rows.gpus if _folded(gpu.model).startswith(wanted)]
    return beginnings[0] if beginnings else None


def nearest_model(model: str, rows: Catalogue) -> str | None:
    """The model that a misspelt one may mean; short names (`H100`) count as well as whole ones."""
    short = {gpu.model.removeprefix("Tesla ").split()[0]: gpu.model for gpu in reversed(rows.gpus)}
    names = {**short, **{gpu.model: gpu.model for gpu in rows.gpus}}
    close = get_close_matches(model, names, n=1, cutoff=0.5)
    return names[close[0]] if close else None


def _folded(model: str) -> str:
    return "".join(part for part in model.lower().replace("nvidia", "").replace("-", " ").split())


def host_facts(facts: Mapping[str, Any], rows: Catalogue) -> HostFacts:
    """What the resolver needs, from `ansible_facts` as the agent gathers them.

    Args:
        facts: `distribution`, `distribution_version`, `architecture`, `glibc`, `pythons`, `gpus`, `nvswitches`, `nvidia_driver`, ...
    """
    named, unknown = _count(facts.get("gpus") or (), rows)
    driver = facts.get("nvidia_driver") or {}
    version = driver.get("loaded") or driver.get("version")
    return HostFacts(
        distribution=str(facts.get("distribution", "")).lower(),
        distribution_version=str(facts.get("distribution_version", "")),
        architecture=str(facts.get("architecture", "x86_64")),
        glibc=str(facts.get("glibc", "")),
        pythons=tuple(_minor(entry) for entry in facts.get("pythons") or ()),
        gpus=tuple(named),
        unknown_gpus=tuple(unknown),
        nvswitch=bool(facts.get("nvswitches")),
        secure_boot=bool(facts.get("secure_boot")),
        driver=InstalledDriver(str(version), driver.get("flavour"), driver.get("source")) if version else None,
    )


def _count(entries: Iterable[Mapping[str, Any]], rows: Catalogue) -> tuple[list[HostGpu], list[str]]:
    found: Counter[Gpu] = Counter()
    unknown = []
    for entry in entries:
        device = str(entry.get("device", "")).lower().removeprefix("0x")
        gpu = gpu_by_id(device, rows) if str(entry.get("vendor", NVIDIA)).lower().removeprefix("0x") == NVIDIA else None
        if gpu is None:
            unknown.append(device)
        else:
            found[gpu] += 1
    return [HostGpu(gpu.model, gpu.capability, count) for gpu, count in found.items()], unknown


def _minor(entry: Any) -> str:
    version = str(entry.get("version", "")) if isinstance(entry, Mapping) else str(entry)
    return ".".join(version.split(".")[:2])
