"""What the resolver takes and gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Flavour = Literal["open", "proprietary"]


@dataclass(frozen=True, slots=True)
class HostGpu:
    """GPUs of one model in a host; `capability` such as "9.0"."""

    model: str
    capability: str
    count: int


@dataclass(frozen=True, slots=True)
class InstalledDriver:
    """The driver a host has now. `frozen`: it must stay (a wish, or an image that cannot change)."""

    version: str
    flavour: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the resolver must know of a host; nothing of it needs a driver.

    Attributes:
        gpus: by model; empty for a host without.
        unknown_gpus: PCI ids of NVIDIA GPUs that the catalogue does not name.
        nvswitch: NVSwitches are on the PCI bus.
    """

    distribution: str
    distribution_version: str
    architecture: str
    glibc: str
    pythons: tuple[str, ...]
    gpus: tuple[HostGpu, ...] = ()
    unknown_gpus: tuple[str, ...] = ()
    nvswitch: bool = False
    secure_boot: bool = False
    driver: InstalledDriver | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the operator asks for; None means: the newest that fits."""

    driver_branch: int | None = None
    driver_version: str | None = None
    driver_flavour: Flavour | None = None
    driver_frozen: bool = False
    cuda_toolkits: tuple[str, ...] = ()
    torch_version: str | None = None
    torch_variant: str | None = None
    torch_python: str | None = None
    torch_index_url: str | None = None
    torch_extra_packages: tuple[str, ...] = ()
    allow_end_of_life: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a part is what it is; `source` is the catalogue row's, or the fact or wish by name."""

    choice: str
    because: str
    source: str


@dataclass(frozen=True, slots=True)
class DriverChoice:
    """The driver. `version` is None when the newest of the branch is taken; `packages` is empty when it stays as it is.

    Attributes:
        holds: packages that must not move once installed.
    """

    branch: int
    version: str | None
    flavour: Flavour
    packages: tuple[str, ...]
    holds: tuple[str, ...]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class FabricChoice:
    """Fabric manager and its library, at exactly the driver's version."""

    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TorchChoice:
    """The wheel. `variant` is `cpu` or `cuXYZ`; cudnn and nccl come with it (None: the catalogue does not know).

    `fallback_index_url` is asked only when pip's own configuration has no such build: PyPI's own wheels are CUDA builds.
    """

    version: str
    variant: str
    python: str
    torchvision: str
    torchaudio: str
    cuda: str | None = None
    cudnn: str | None = None
    nccl: str | None = None
    index_url: str | None = None
    fallback_index_url: str | None = None
    extra_packages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """The answer. `driver` is None on a host without GPUs."""

    torch: TorchChoice
    driver: DriverChoice | None = None
    fabric: FabricChoice | None = None
    cuda_toolkits: tuple[str, ...] = ()
    cuda_packages: tuple[str, ...] = ()
    repository_url: str | None = None
    gpus: tuple[HostGpu, ...] = ()
    warnings: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for facts, JSON and events."""
        plain = asdict(self)
        toolkits, packages = plain.pop("cuda_toolkits"), plain.pop("cuda_packages")
        return {**plain, "cuda": {"toolkits": toolkits, "packages": packages}}


@dataclass(frozen=True, slots=True)
class Conflict:
    """No answer: which wish meets which fact, why, and the nearest answer that would work."""

    wish: str
    fact: str
    because: str
    nearest: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Unresolvable(Exception):
    """Carries a conflict out of a rule; `resolve` turns it into its answer."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(conflict.because)
        self.conflict = conflict
