"""The two parts of a rack that are made elsewhere: the simulated PCI bus and the driver repository."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from ringup.lab.plan import LabHost, Rack


def pci_folder(host: LabHost, spec: str) -> Path | None:
    """The folder that a host sees as its PCI devices, made when it is not there; None where it sees the machine's own bus."""
    if spec == "host":
        return None
    folder = host.folder / "pci"
    if not folder.exists():
        folder.mkdir()
        if spec != "none" and find_spec("ringup.lab.gpus"):
            import_module("ringup.lab.gpus").pci_tree(spec, folder)
    return folder


def repository(rack: Rack) -> Path | None:
    """The folder of the signed driver repository, built now; None for a rack whose hosts have no use for one."""
    if not rack.has_repository or not find_spec("ringup.lab.repository"):
        return None
    built: Path = import_module("ringup.lab.repository").ensure(rack.repository_folder, rack.spec.release)
    return built


def repository_variables(folder: Path, url: str) -> dict[str, str]:
    """What hosts have to know of the repository: its address, and that of the key that signs it."""
    key = next(path for pattern in ("*.gpg", "*.asc", "*.pub") for path in sorted(folder.glob(pattern)))
    return {"nvidia_repository_url": f"{url}/", "nvidia_repository_key_url": f"{url}/{key.name}"}
