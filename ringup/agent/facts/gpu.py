"""GPUs, switches and adapters on the PCI bus, and the driver as it is loaded and installed. No driver is needed to know any of it."""

import glob
import os
import re

NVIDIA = "0x10de"
#: PCI class codes: display controllers are GPUs, bridges of NVIDIA's that are no PCI bridges are NVSwitches, 0207 is InfiniBand
VGA, THREE_D, BRIDGE_OTHER = "0x0300", "0x0302", "0x0680"
DEVICES = "/sys/bus/pci/devices"


def gather(host):
    functions = [function(path) for path in sorted(glob.glob(os.path.join(DEVICES, "*")))]
    nvidia = [one for one in functions if one["vendor"] == NVIDIA]
    return {
        "gpus": [one for one in nvidia if one["class"][:6] in (VGA, THREE_D)],
        "nvswitches": [one for one in nvidia if one["class"][:6] == BRIDGE_OTHER],
        "nvidia_driver": driver(),
        "infiniband": adapters(),
        "secure_boot": secure_boot(),
    }


def read(path):
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def function(path):
    """One PCI function; link speeds as the kernel prints them."""
    found = {"address": os.path.basename(path)}
    for name in ("vendor", "device", "class", "subsystem_vendor", "subsystem_device"):
        found[name] = read(os.path.join(path, name))
    for name in ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width"):
        value = read(os.path.join(path, name))
        if value:
            found[name] = value
    numa = read(os.path.join(path, "numa_node"))
    if numa:
        found["numa_node"] = int(numa)
    return found


def driver():
    """The kernel module that is loaded, its flavour, and the packages that brought it."""
    loaded = read("/sys/module/nvidia/version")
    described = read("/proc/driver/nvidia/version")
    if not loaded:
        match = re.search(r"(\d{3}\.\d+(?:\.\d+)?)", described)
        loaded = match.group(1) if match else ""
    flavour = None
    if described:
        flavour = "open" if "Open Kernel Module" in described else "proprietary"
    installed = packages()
    if flavour is None and any("kernel" in name or "dkms" in name or "kmod" in name for name in installed):
        flavour = "open" if any("open" in name for name in installed) else "proprietary"
    return {
        "loaded": loaded or None,
        "flavour": flavour,
        "packages": installed,
        "nouveau_loaded": os.path.isdir("/sys/module/nouveau"),
    }


def packages():
    """NVIDIA's packages by name, from dpkg's own file: half a megabyte is read faster than a program is started."""
    found = {}
    name = version = status = ""
    for line in read("/var/lib/dpkg/status").splitlines():
        if line.startswith("Package: "):
            name = line[9:]
        elif line.startswith("Status: "):
            status = line[8:]
        elif line.startswith("Version: "):
            version = line[9:]
        elif not line and name:
            if status.endswith(" installed") and re.search(r"nvidia|^cuda|libcuda|libnvsdm|nvlsm", name):
                found[name] = version
            name = version = status = ""
    return found


def adapters():
    found = []
    for path in sorted(glob.glob("/sys/class/infiniband/*")):
        ports = [
            {"port": os.path.basename(port), "state": read(os.path.join(port, "state")), "rate": read(os.path.join(port, "rate"))}
            for port in sorted(glob.glob(os.path.join(path, "ports", "*")))
        ]
        found.append({"name": os.path.basename(path), "ports": ports})
    return found


def secure_boot():
    for path in glob.glob("/sys/firmware/efi/efivars/SecureBoot-*"):
        try:
            with open(path, "rb") as stream:
                return stream.read()[-1:] == b"\x01"
        except OSError:
            return False
    return False
