"""Is this metal, a virtual machine or a container, and whose?"""

import os

from .reading import text

#: (where, words that it begins with, type): first match wins. Source: each vendor's DMI strings, as systemd-detect-virt lists them
MACHINES = (
    ("product_name", ("KVM", "kvm", "RHEV", "oVirt", "OpenStack", "Google Compute Engine", "Droplet"), "kvm"),
    ("product_name", ("VMware",), "VMware"),
    ("product_name", ("VirtualBox",), "virtualbox"),
    ("product_name", ("HVM domU",), "xen"),
    ("product_name", ("Parallels",), "parallels"),
    ("sys_vendor", ("QEMU", "Amazon EC2", "DigitalOcean", "Hetzner", "Scaleway", "Nutanix", "oVirt"), "kvm"),
    ("sys_vendor", ("Microsoft Corporation",), "VirtualPC"),
    ("bios_vendor", ("Xen",), "xen"),
    ("bios_vendor", ("innotek", "Oracle"), "virtualbox"),
)
DMI = "/sys/class/dmi/id"


def virtual(host):
    """`virtualization_type` and `_role` (guest, host or NA), and every technology seen."""
    guest, hosts = [], []
    container = _container()
    if container:
        guest += [container, "container"]
    machine = _machine()
    if machine:
        guest.append(machine)
    if os.path.exists("/dev/kvm") or os.path.isdir("/sys/module/kvm"):
        hosts.append("kvm")
    kind, role = "NA", "NA"
    if guest:
        kind, role = guest[0], "guest"
    elif hosts:
        kind, role = hosts[0], "host"
    return {
        "virtualization_type": kind,
        "virtualization_role": role,
        "virtualization_tech_guest": sorted(set(guest)),
        "virtualization_tech_host": sorted(set(hosts)),
    }


def _container():
    """The word of the container's manager, or an empty one."""
    # process 1 of a container carries the word in its environment, which only root may read
    environment = text("/proc/1/environ").split("\0")
    word = next((entry[len("container=") :] for entry in environment if entry.startswith("container=")), "")
    word = text("/run/systemd/container") or word
    if word in ("oci", "podman") or os.path.exists("/run/.containerenv"):
        return "podman" if os.path.exists("/run/.containerenv") or word == "podman" else "container"
    return word or ("docker" if os.path.exists("/.dockerenv") or os.path.exists("/.dockerinit") else "")


def _machine():
    if "hypervisor" not in text("/proc/cpuinfo").partition("\n\n")[0] and os.uname().machine == "x86_64":
        return ""
    for place, words, kind in MACHINES:
        if text(os.path.join(DMI, place)).startswith(words):
            return kind
    return "xen" if os.path.isdir("/proc/xen") else ""
