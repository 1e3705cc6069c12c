"""GPUs, switches and adapters on the PCI bus. No driver is needed to know any of it; models are named by the stack's catalogue."""

import os

from .reading import names, number, text

NVIDIA = "0x10de"
#: PCI class codes: display controllers are GPUs; bridges of NVIDIA's that are no PCI bridges are NVSwitches. Source: pci.ids
DISPLAYS, BRIDGE_OTHER = ("0x0300", "0x0302"), "0x0680"
DEVICES = "/sys/bus/pci/devices"
ADAPTERS = "/sys/class/infiniband"
LINK_FILES = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")


def gather(host):
    nvidia = [function(path) for path in paths_of(NVIDIA)]
    return {
        "gpus": [one for one in nvidia if one["class"][:6] in DISPLAYS],
        "nvswitches": [one for one in nvidia if one["class"][:6] == BRIDGE_OTHER],
        "infiniband": [adapter(os.path.join(ADAPTERS, name)) for name in names(ADAPTERS)],
    }


def paths_of(vendor):
    """Folders of a vendor's PCI functions; a rack host has hundreds of others, of which nothing more is read."""
    paths = (os.path.join(DEVICES, name) for name in names(DEVICES))
    return [path for path in paths if text(os.path.join(path, "vendor")) == vendor]


def function(path):
    """One PCI function; link speeds as the kernel prints them. `driver` is the kernel module that has taken it."""
    found = {"address": os.path.basename(path)}
    for name in ("vendor", "device", "class", "subsystem_vendor", "subsystem_device", "revision"):
        found[name] = text(os.path.join(path, name))
    for name in LINK_FILES:
        value = text(os.path.join(path, name))
        if value:
            found[name] = value
    numa = number(os.path.join(path, "numa_node"))
    if numa is not None:
        found["numa_node"] = numa
    driver = os.path.join(path, "driver")
    found["driver"] = os.path.basename(os.path.realpath(driver)) if os.path.exists(driver) else None
    return found


def adapter(path):
    """An InfiniBand or RoCE adapter with its ports and the network interfaces that lie on it."""
    ports = os.path.join(path, "ports")
    return {
        "name": os.path.basename(path),
        "address": os.path.basename(os.path.realpath(os.path.join(path, "device"))),
        "numa_node": number(os.path.join(path, "device/numa_node")),
        "hca_type": text(os.path.join(path, "hca_type")) or None,
        "board_id": text(os.path.join(path, "board_id")) or None,
        "firmware": text(os.path.join(path, "fw_ver")) or None,
        "node_guid": text(os.path.join(path, "node_guid")) or None,
        "netdevs": names(os.path.join(path, "device/net")),
        "ports": [port(os.path.join(ports, name)) for name in names(ports)],
    }


def port(path):
    """`state` is ACTIVE, INIT, ARMED or DOWN; `rate` as the kernel prints it, such as `400 Gb/sec (4X NDR)`."""
    return {
        "port": os.path.basename(path),
        "state": text(os.path.join(path, "state")).partition(": ")[2] or None,
        "physical_state": text(os.path.join(path, "phys_state")).partition(": ")[2] or None,
        "rate": text(os.path.join(path, "rate")) or None,
        "link_layer": text(os.path.join(path, "link_layer")) or None,
        "lid": text(os.path.join(path, "lid")) or None,
    }
