"""The catalogue's rows as values. New GPUs, drivers and releases are new rows in `catalogue/*.yaml`; no code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from packaging.version import Version


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU model. `kernel_modules`: open_required, open_recommended or proprietary_only."""

    model: str
    capability: str
    architecture: str
    gpu_class: str
    kernel_modules: str
    fabric_manager: bool
    last_driver_branch: int | None
    min_driver: str | None
    pci_ids: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class ChipRange:
    """Device ids of one chip, for GPUs without a row of their own. Ids are inclusive."""

    chip: str
    first: int
    last: int
    capability: str
    kernel_modules: str
    source: str


@dataclass(frozen=True, slots=True)
class Branch:
    """A driver branch. `end_of_life` is "2028-06", or words when NVIDIA gives no month."""

    number: int
    kind: str
    end_of_life: str
    newest: str
    flavours: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Variant:
    """One build of a torch release. `capabilities`: those it holds native code for."""

    name: str
    cuda: str
    capabilities: tuple[str, ...]
    min_driver: str
    cudnn: str | None
    nccl: str | None
    index_url: str | None
    architectures: tuple[str, ...]
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Release:
    """A torch release."""

    version: str
    pythons: Mapping[str, tuple[str, ...]]
    min_glibc: Mapping[str, str]
    default_variant: Mapping[str, str]
    torchvision: str
    torchaudio: str
    variants: tuple[Variant, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Distribution:
    """What the parts are called on a distribution; `names` are templates with {branch}."""

    id: str
    version: str
    family: str
    repository_url: Mapping[str, str]
    names: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rows, newest last where there is an order."""

    gpus: tuple[Gpu, ...]
    chips: tuple[ChipRange, ...]
    branches: tuple[Branch, ...]
    releases: tuple[Release, ...]
    distributions: tuple[Distribution, ...]
    cpu_index_url: str


@cache
def catalogue() -> Catalogue:
    """The catalogue that ships with ringup, read once."""
    gpus, torch = _read("gpus"), _read("torch")
    return Catalogue(
        gpus=tuple(_gpu(row) for row in gpus["gpus"]),
        chips=tuple(_chip(row) for row in gpus["chips"]),
        branches=tuple(sorted((_branch(row) for row in _read("drivers")["branches"]), key=lambda branch: branch.number)),
        releases=tuple(sorted((_release(row) for row in torch["releases"]), key=lambda release: Version(release.version))),
        distributions=_distributions(_read("distributions")),
        cpu_index_url=torch["cpu_index_url"],
    )


def _read(name: str) -> dict[str, Any]:
    text = files("ringup.stack").joinpath("catalogue", f"{name}.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    rows: dict[str, Any] = yaml.load(text, Loader=loader)
    return rows


def _gpu(row: Mapping[str, Any]) -> Gpu:
    return Gpu(
        model=row["model"],
        capability=str(row["compute_capability"]),
        architecture=row["architecture"],
        gpu_class=row["gpu_class"],
        kernel_modules=row["kernel_modules"],
        fabric_manager=str(row["fabric_manager"]).startswith("required"),
        last_driver_branch=row.get("last_driver_branch"),
        min_driver=str(row["min_driver"]) if row.get("min_driver") else None,
        pci_ids=tuple(str(number) for number in row["pci_ids"]),
        source=row["source"],
    )


def _chip(row: Mapping[str, Any]) -> ChipRange:
    first, last = int(str(row["first"]), 16), int(str(row["last"]), 16)
    return ChipRange(row["chip"], first, last, str(row["compute_capability"]), row["kernel_modules"], row["source"])


def _branch(row: Mapping[str, Any]) -> Branch:
    flavours = tuple(row["kernel_modules"])
    return Branch(int(row["branch"]), row["type"], str(row["end_of_life"]), str(row["newest_version_seen"]), flavours, row["source"])


def _release(row: Mapping[str, Any]) -> Release:
    on_arm = set(row.get("variants_aarch64") or ())
    return Release(
        version=str(row["torch"]),
        pythons={machine: tuple(versions) for machine, versions in row["pythons"].items()},
        min_glibc={machine: str(version) for machine, version in row["min_glibc"].items()},
        default_variant=row["default_variant"],
        torchvision=str(row["torchvision"]),
        torchaudio=str(row["torchaudio"]),
        variants=tuple(_variant(variant, on_arm) for variant in row["variants"]),
        source=row["source"],
    )


def _variant(row: Mapping[str, Any], on_arm: set[str]) -> Variant:
    machines = ("x86_64", "aarch64") if row["variant"] in on_arm or row.get("on_aarch64") else ("x86_64",)
    return Variant(
        name=row["variant"],
        cuda=str(row["cuda"]),
        capabilities=tuple(str(capability) for capability in row["archs"] or ()),
        min_driver=str(row["min_driver"]),
        cudnn=row.get("cudnn"),
        nccl=row.get("nccl"),
        index_url=row.get("index_url"),
        architectures=machines,
        confirmed=bool(row.get("confirmed")),
    )


def _distributions(data: Mapping[str, Any]) -> tuple[Distribution, ...]:
    def urls(repository: str) -> dict[str, str]:
        folders = data["architecture_folders"]
        return {machine: data["repository_pattern"].format(repository=repository, folder=folder) for machine, folder in folders.items()}

    return tuple(
        Distribution(row["id"], str(row["version"]), row["family"], urls(row["repository"]), data["names"][row["names"]])
        for row in data["distributions"]
    )
