"""What hosts of a rack are shown of GPUs: the simulated PCI bus, and the repository that their driver comes from."""

from __future__ import annotations

from pathlib import Path

from ringup.lab import gpus, repository
from ringup.lab.plan import LabHost, Rack

MACHINE_BUS = "host"


def check_gpus(spec: str) -> None:
    """Refuse what no bus can be made of, before anything is made.

    Raises:
        LabError: see `ringup.lab.gpus.functions`.
    """
    if spec != MACHINE_BUS:
        gpus.functions(spec)


def pci_folder(host: LabHost, spec: str) -> Path | None:
    """The folder that a host sees as its PCI devices, made when it is not there; None where it sees the machine's own bus."""
    if spec == MACHINE_BUS:
        return None
    folder = host.folder / "pci"
    if not folder.exists():
        folder.mkdir()
        gpus.pci_tree(spec, folder)
    return folder


def repository_folder(rack: Rack) -> Path | None:
    """The folder of the signed driver repository, built now; None for a rack whose hosts have no use for one."""
    return repository.ensure(rack.folder, rack.spec.release) if rack.has_repository else None


def repository_variables(rack: Rack, url: str) -> dict[str, str]:
    """What hosts have to know of the repository served at `url`: its address, and that of the key that signs it."""
    place = f"{url}/{repository.path_of(rack.spec.release)}"
    return {"nvidia_repository_url": f"{place}/", "nvidia_repository_key_url": f"{place}/{repository.KEYRING}"}
