"""Simulated GPUs: a folder laid out like /sys/bus/pci/devices, which a host sees in place of the machine's own.

A spec is a list of counts and models: `8xH100`, `4xA100-PCIE`, `4xA100-PCIE+1xT4`, `none`. Device ids are the stack catalogue's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ringup.errors import LabError
from ringup.stack.catalogue import Gpu, catalogue
from ringup.stack.devices import gpu_by_model, nearest_model

NVIDIA, MELLANOX, INTEL = "10de", "15b3", "8086"
PART = re.compile(r"^(\d{1,2})x([\w .-]+)$")
#: NVSwitches of a baseboard by architecture: (device id, how many).
#: Source: NVIDIA open-gpu-kernel-modules, nvswitch device ids (1af1: A100, 22a3: H100); HGX A100 has six, HGX H100 four switches.
NVSWITCHES = {"ampere": ("1af1", 6), "hopper": ("22a3", 4)}
#: A baseboard that joins its GPUs by switches has one InfiniBand adapter for each of them, and every host has an Ethernet adapter.
#: Source: pci.ids, 15b3:1021 and 15b3:101d.
CONNECTX7, CONNECTX6_DX = "1021", "101d"
#: Class codes. Boards without a display output are 3D controllers. Source: PCI Code and ID Assignment Specification.
HOST_BRIDGE, OTHER_BRIDGE, VGA, THREE_D, ETHERNET, INFINIBAND = "060000", "068000", "030000", "030200", "020000", "020700"
WITH_DISPLAY = ("geforce", "workstation")
MOST_GPUS = 16
#: PCIe of an architecture: (GT/s, lanes). Source: NVIDIA data sheets of A100 (PCIe 4.0 x16), H100 (5.0 x16), T4 and V100 (3.0 x16).
LINKS = {"volta": "8.0", "pascal": "8.0", "turing": "8.0", "ampere": "16.0", "ada": "16.0", "hopper": "32.0", "blackwell": "32.0"}


@dataclass(frozen=True, slots=True)
class Function:
    """One PCI function. `address` is domain:bus:device.function, `kind` the class code, `speed` in GT/s."""

    address: str
    vendor: str
    device: str
    kind: str
    numa_node: int
    speed: str = "8.0"

    def files(self) -> dict[str, str]:
        """What /sys has of it, name to text."""
        speed, vendor, device = f"{self.speed} GT/s PCIe", self.vendor.upper(), self.device.upper()
        # the lab's boards have no numbers of their own: they are called as their chip is
        board, kind = f"{vendor}:{device}", self.kind.upper()
        names = f"v0000{vendor}d0000{device}sv0000{vendor}sd0000{device}bc{kind[:2]}sc{kind[2:4]}i{kind[4:]}"
        event = (f"PCI_CLASS={kind.lstrip('0')}", f"PCI_ID={board}", f"PCI_SUBSYS_ID={board}", f"PCI_SLOT_NAME={self.address}")
        return {
            "vendor": f"0x{self.vendor}\n",
            "device": f"0x{self.device}\n",
            "subsystem_vendor": f"0x{self.vendor}\n",
            "subsystem_device": f"0x{self.device}\n",
            "class": f"0x{self.kind}\n",
            "revision": "0xa1\n",
            "numa_node": f"{self.numa_node}\n",
            "current_link_speed": f"{speed}\n",
            "max_link_speed": f"{speed}\n",
            "current_link_width": "16\n",
            "max_link_width": "16\n",
            "uevent": "".join(f"{line}\n" for line in (*event, f"MODALIAS=pci:{names}")),
            "modalias": f"pci:{names}\n",
        }


def parse(spec: str) -> list[tuple[int, Gpu]]:
    """The GPUs of a spec.

    Raises:
        LabError: it is no spec, or names a model that the catalogue does not know.
    """
    if spec in ("none", ""):
        return []
    found = []
    for part in spec.split("+"):
        match = PART.match(part.strip())
        if match is None or not int(match[1]):
            raise LabError(f"'{part}' is no number of GPUs", where="--gpus", hint="write 8xH100, 4xA100-PCIE+1xT4, or none")
        gpu = gpu_by_model(f"Tesla {match[2]}", catalogue()) or gpu_by_model(match[2], catalogue())
        if gpu is None or not gpu.pci_ids:
            near = nearest_model(match[2], catalogue())
            hint = f"did you mean '{near}'?" if near else "the catalogue lists models: ringup/stack/catalogue/gpus.yaml"
            raise LabError(f"there is no GPU '{match[2]}' with a known PCI id", where="--gpus", hint=hint)
        found.append((int(match[1]), gpu))
    total = sum(count for count, _ in found)
    if total > MOST_GPUS:
        raise LabError(f"{total} GPUs are more than a host holds", where="--gpus", hint=f"at most {MOST_GPUS} in all")
    return found


def functions(spec: str) -> list[Function]:
    """All PCI functions of a host: GPUs half on each NUMA node, their switches and adapters, and what every host has.

    Raises:
        LabError: as `parse`.
    """
    listed = [
        Function("0000:00:00.0", INTEL, "09a2", HOST_BRIDGE, 0),
        Function("0000:05:00.0", MELLANOX, CONNECTX6_DX, ETHERNET, 0, "16.0"),
    ]
    bus = 0x18
    for count, gpu in parse(spec):
        speed = LINKS.get(gpu.architecture, "16.0")
        kind = VGA if gpu.gpu_class in WITH_DISPLAY else THREE_D
        for number in range(count):
            node = int(number >= (count + 1) // 2)
            listed.append(Function(f"0000:{bus:02x}:00.0", NVIDIA, gpu.pci_ids[0], kind, node, speed))
            if gpu.fabric_manager:
                listed.append(Function(f"0000:{bus + 1:02x}:00.0", MELLANOX, CONNECTX7, INFINIBAND, node, "32.0"))
            bus += 0x08
        if gpu.fabric_manager and gpu.architecture in NVSWITCHES:
            device, switches = NVSWITCHES[gpu.architecture]
            listed += [Function(f"0000:{bus + number:02x}:00.0", NVIDIA, device, OTHER_BRIDGE, 0, speed) for number in range(switches)]
            bus += 0x08
    return listed


def pci_tree(spec: str, folder: Path) -> None:
    """Fill a folder with the PCI devices of a spec.

    Raises:
        LabError: as `parse`.
    """
    for function in functions(spec):
        place = folder / function.address
        place.mkdir()
        for name, text in function.files().items():
            (place / name).write_text(text)
