"""Which torch wheel: release and variant. Pure.

Chosen by what the GPUs can run, never by the driver alone (a V100 on driver 580 must not get a cu130 wheel, which has no code for it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from ringup.stack.catalogue import Catalogue, Gpu, Release, Variant
from ringup.stack.values import Conflict, HostFacts, Reason, TorchChoice, Unresolvable, Wishes

CPU = Variant("cpu", "", (), "0", None, None, None, ("x86_64", "aarch64"), confirmed=True)
#: integrated GPUs match only their own capability. Source: torch/cuda/__init__.py DEVICE_REQUIREMENT in torch 2.15.0
EXACT_ONLY = frozenset(("5.3", "6.2", "7.2", "8.7", "10.1", "11.0"))


@dataclass(frozen=True, slots=True)
class Candidate:
    release: Release
    variant: Variant
    python: str


def covers(variant: Variant, capability: str) -> bool:
    """The wheel holds code that a GPU of this capability runs: same major, minor not above the device's.

    Source: torch/cuda/__init__.py DEVICE_REQUIREMENT in torch 2.15.0.
    """
    if capability in EXACT_ONLY:
        return capability in variant.capabilities
    major, minor = (int(part) for part in capability.split("."))
    held = (tuple(int(part) for part in one.split(".")) for one in variant.capabilities if one not in EXACT_ONLY)
    return any(one[0] == major and one[1] <= minor for one in held)


def choose_wheel(
    facts: HostFacts, gpus: Sequence[Gpu], wishes: Wishes, driver_limit: str | None, rows: Catalogue
) -> tuple[Candidate, TorchChoice, list[Reason]]:
    """The newest release with a variant that fits; among its variants PyPI's default, then the newest CUDA.

    Args:
        driver_limit: version of a driver that must stay, or the newest of the branch asked for; None when the driver is free.
    Raises:
        Unresolvable: names the first demand that left nothing.
    """
    candidates = [
        Candidate(release, variant, python)
        for release in rows.releases
        for variant in (*release.variants, CPU)
        for python in release.pythons.get(facts.architecture, ())
    ]
    for demand in _demands(facts, gpus, wishes, driver_limit):
        left = [candidate for candidate in candidates if demand.fits(candidate)]
        if not left:
            raise Unresolvable(Conflict(demand.wish, demand.fact, demand.because, _nearest(candidates)))
        candidates = left
    best = max(candidates, key=lambda candidate: _rank(candidate, facts.architecture))
    return best, _choice(best, wishes, facts.architecture, rows), _reasons(best, facts, gpus, wishes)


@dataclass(frozen=True, slots=True)
class _Demand:
    """A filter on candidates, with the words for when it leaves nothing."""

    wish: str
    fact: str
    because: str
    kind: str
    values: tuple[str, ...]
    architecture: str = "x86_64"

    def fits(self, candidate: Candidate) -> bool:
        match self.kind:
            case "glibc":
                limit = candidate.release.min_glibc.get(self.architecture)
                return limit is None or Version(self.values[0]) >= Version(limit)
            case "python":
                return candidate.python in self.values
            case "cpu":
                return candidate.variant is CPU
            case "capability":
                return candidate.variant is not CPU and all(covers(candidate.variant, capability) for capability in self.values)
            case "driver":
                return Version(candidate.variant.min_driver) <= Version(self.values[0])
            case "version":
                return candidate.release.version == self.values[0]
            case "machine":
                return self.values[0] in candidate.variant.architectures
        return candidate.variant.name == self.values[0]


def _demands(facts: HostFacts, gpus: Sequence[Gpu], wishes: Wishes, driver_limit: str | None) -> list[_Demand]:
    """The demands, the host's facts first: when a wish leaves nothing, the wish is named."""
    machine = facts.architecture
    demands = [_Demand("torch", f"architecture {machine}", f"no wheel is published for {machine}", "machine", (machine,), machine)]
    if facts.glibc:
        because = f"no release runs on glibc {facts.glibc}"
        demands.append(_Demand("torch", f"glibc {facts.glibc}", because, "glibc", (facts.glibc,), machine))
    pythons = (wishes.torch_python,) if wishes.torch_python else facts.pythons
    if pythons:
        fact = f"Python {', '.join(pythons)}"
        demands.append(
            _Demand(
                "torch.python" if wishes.torch_python else "torch",
                fact,
                f"no release has wheels for {fact} here",
                "python",
                pythons,
                machine,
            )
        )
    if wishes.torch_variant == "cpu" or not gpus:
        demands.append(_Demand("torch.variant cpu", "no GPU to serve", "no CPU build", "cpu", (), machine))
    else:
        capabilities = tuple(sorted({gpu.capability for gpu in gpus}))
        names = ", ".join(gpu.model for gpu in gpus)
        because = f"no single wheel that also fits this host has code for {names} (compute capability {', '.join(capabilities)})"
        demands.append(_Demand("torch", names, because, "capability", capabilities, machine))
        if driver_limit:
            because = f"every wheel with code for {names} needs a newer driver than {driver_limit}"
            demands.append(_Demand("driver", f"driver {driver_limit}", because, "driver", (driver_limit,), machine))
    if wishes.torch_version:
        because = f"torch {wishes.torch_version} has no wheel that fits this host"
        demands.append(
            _Demand(
                f"torch.version {wishes.torch_version}",
                _fact(facts, gpus, driver_limit),
                because,
                "version",
                (wishes.torch_version,),
                machine,
            )
        )
    if wishes.torch_variant:
        because = f"no {wishes.torch_variant} wheel fits this host"
        demands.append(
            _Demand(
                f"torch.variant {wishes.torch_variant}",
                _fact(facts, gpus, driver_limit),
                because,
                "variant",
                (wishes.torch_variant,),
                machine,
            )
        )
    return demands


def _fact(facts: HostFacts, gpus: Sequence[Gpu], driver_limit: str | None) -> str:
    parts = [", ".join(gpu.model for gpu in gpus) or "no GPU", f"Python {', '.join(facts.pythons)}", f"glibc {facts.glibc}"]
    return "; ".join([*parts, *([f"driver {driver_limit}"] if driver_limit else [])])


def _rank(candidate: Candidate, architecture: str) -> tuple[Version, bool, bool, Version, Version]:
    """Newest release, confirmed rows before others, PyPI's default variant, newest CUDA, newest Python."""
    default = candidate.variant.name == candidate.release.default_variant.get(architecture)
    python = Version(candidate.python.rstrip("t"))
    # a free-threaded Python is never chosen unless it is all there is
    newest = Version("0") if candidate.python.endswith("t") else python
    return Version(candidate.release.version), candidate.variant.confirmed, default, Version(candidate.variant.cuda or "0"), newest


def _choice(best: Candidate, wishes: Wishes, architecture: str, rows: Catalogue) -> TorchChoice:
    release, variant = best.release, best.variant
    default = variant.name == release.default_variant.get(architecture)
    return TorchChoice(
        version=release.version,
        variant=variant.name,
        python=best.python,
        torchvision=release.torchvision,
        torchaudio=release.torchaudio,
        cuda=variant.cuda or None,
        cudnn=variant.cudnn,
        nccl=variant.nccl,
        index_url=wishes.torch_index_url or (None if default else variant.index_url),
        fallback_index_url=rows.cpu_index_url if variant is CPU and not wishes.torch_index_url else None,
        extra_packages=wishes.torch_extra_packages,
    )


def _reasons(best: Candidate, facts: HostFacts, gpus: Sequence[Gpu], wishes: Wishes) -> list[Reason]:
    release, variant = best.release, best.variant
    asked = "asked for" if wishes.torch_version else f"the newest release with a wheel for Python {best.python} and glibc {facts.glibc}"
    reasons = [Reason(f"torch {release.version}", asked, "torch.version" if wishes.torch_version else release.source)]
    if variant is CPU:
        because = "asked for" if wishes.torch_variant else "the host has no GPU"
        reasons.append(Reason("the CPU wheel", because, "torch.variant" if wishes.torch_variant else "facts: gpus"))
    else:
        names = ", ".join(f"{gpu.model} ({gpu.capability})" for gpu in gpus)
        because = f"has code for {names}; its CUDA {variant.cuda} needs driver {variant.min_driver}"
        reasons.append(Reason(f"the {variant.name} wheel", because, release.source))
    return reasons


def _nearest(candidates: Sequence[Candidate]) -> str:
    newest = max(candidates, key=lambda candidate: (Version(candidate.release.version), Version(candidate.variant.cuda or "0")))
    return f"torch {newest.release.version} {newest.variant.name} on Python {newest.python}"
