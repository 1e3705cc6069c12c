"""Facts as a page. The table is written by hand and held against what `setup` gathers by a test."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ringup.reference.markdown import code, page, table

INTRODUCTION = """\
What [setup](modules/setup.md) and `gather_facts` find, without a driver, a program of NVIDIA's or a network. A playbook
reads them as `ansible_facts.NAME`, or as `ansible_NAME`. Names and meaning are Ansible's where Ansible has the fact.
Sizes that end with `_mb` are in MiB.

`gather_subset` takes the subjects below (`hardware`, `network`, `gpu`), `all`, `min`, and any of them with `!` to leave it out."""

HARDWARE = {
    "distribution": "Debian, Ubuntu, RedHat, Rocky ...",
    "distribution_version": "with the point release where the host tells it: 12.11, 24.04",
    "distribution_major_version": "12, 24",
    "distribution_release": "code name: bookworm, noble",
    "os_family": "Debian, RedHat, Suse",
    "lsb": "empty; here for playbooks that ask",
    "system": "Linux",
    "kernel": "release of the running kernel, as `uname -r`",
    "kernel_version": "its build, as `uname -v`",
    "machine": "as `uname -m`: x86_64, aarch64",
    "architecture": "the same",
    "userspace_architecture": "the same",
    "cmdline": "arguments of the kernel; true for those without a value",
    "boot_id": "another one after each boot",
    "machine_id": "/etc/machine-id",
    "uptime_seconds": "since the kernel started",
    "processor": "model of each logical processor",
    "processor_vcpus": "logical processors of the host",
    "processor_count": "sockets",
    "processor_cores": "cores of a socket",
    "processor_nproc": "logical processors that the agent may use",
    "memtotal_mb": "memory",
    "memfree_mb": "of it unused",
    "memavailable_mb": "of it to be had without swapping",
    "swaptotal_mb": "swap space",
    "swapfree_mb": "of it unused",
    "nodename": "as `uname -n`",
    "hostname": "the part before the first dot",
    "fqdn": "full name, if /etc/hosts has one; no name server is asked",
    "domain": "the part after the first dot",
    "user_id": "name of the user whom the agent runs as",
    "user_uid": "the user's number",
    "user_gid": "number of the user's group",
    "user_dir": "home folder",
    "user_shell": "login shell",
    "env": "environment of the agent",
    "real_user_id": "number of the user who started the agent",
    "effective_user_id": "number of the user whose rights it has",
    "date_time": "clock of the host: date, time, epoch, iso8601 (UTC), tz, tz_offset",
    "pkg_mgr": "apt, dnf, yum, zypper or unknown",
    "service_mgr": "systemd, or the name of process 1",
    "python_version": "of the agent's Python",
    "python": "the same, in parts: `python.version.major`, `python.version.minor`",
    "pythons": "every python3.N of the usual folders: version, path",
    "glibc": "version of the C library; a wheel must fit it",
    "virtualization_type": "docker, systemd-nspawn ... in a container, else NA; virtual machines are not told from metal",
    "virtualization_role": "guest in a container, else NA",
}
NETWORK = {
    "interfaces": "names of all interfaces; each has a fact of its own name, with `_` for `-`, `.` and `:`",
    "all_ipv4_addresses": "of all interfaces but loopback",
    "all_ipv6_addresses": "of all interfaces but loopback",
    "default_ipv4": "interface of the default route: interface, gateway, address, prefix, netmask, network, mtu, macaddress",
}
INTERFACE = {
    "device": "its name as the kernel has it",
    "active": "it is up",
    "type": "ether or loopback",
    "macaddress": "hardware address",
    "mtu": "largest packet, in bytes",
    "speed": "in Mbit/s, where the kernel tells it",
    "ipv4": "first address: address, prefix, netmask, network, broadcast",
    "ipv4_secondaries": "further addresses",
    "ipv6": "addresses: address, prefix, scope",
}
GPU = {
    "gpus": "NVIDIA GPUs on the PCI bus: address, vendor, device, class, NUMA node, link speeds and widths",
    "nvswitches": "NVSwitches on the PCI bus, in the same form",
    "nvidia_driver": "loaded (version of the module), flavour (open or proprietary), packages (with versions), nouveau_loaded",
    "infiniband": "InfiniBand and RoCE adapters: name, ports (port, state, rate)",
    "secure_boot": "true where the firmware only starts signed kernels",
}
LOCAL = {
    "local": "files `*.fact` in JSON of /etc/ansible/facts.d and /etc/ringup/facts.d, by their names",
    "gather_subset": "what was asked for",
}
SUBJECTS: Mapping[str, Mapping[str, str]] = MappingProxyType({"hardware": HARDWARE, "network": NETWORK, "gpu": GPU, "always": LOCAL})


def facts_page() -> str:
    """All facts by subject."""
    parts = []
    for subject, facts in SUBJECTS.items():
        parts += [f"## {subject}", _table(facts)]
        if subject == "network":
            parts += ["The fact of an interface:", _table(INTERFACE)]
    return page("Facts", INTRODUCTION, *parts)


def _table(facts: Mapping[str, str]) -> str:
    return table(["Fact", "What it is"], [[code(name), text] for name, text in facts.items()])
