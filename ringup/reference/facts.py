"""Facts as a page. The table is written by hand and held against what `setup` gathers by a test."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ringup.reference.markdown import code, page, table

INTRODUCTION = """\
What [setup](modules/setup.md) and `gather_facts` find, without a driver, a program of NVIDIA's or a network. A playbook
reads them as `ansible_facts.NAME`, or as `ansible_NAME`. Names and meaning are Ansible's where Ansible has the fact.
Sizes that end with `_mb` are in MiB.

`gather_subset` takes the subjects below (`min`, `hardware`, `network`, `virtual`, `gpu`), `all`, the smaller parts that they consist of
(`mounts`, `distribution`, `date_time`, `env` ...), and any of them with `!` to leave it out. `min` comes always, but for `!min`."""

MIN = {
    "distribution": "Debian, Ubuntu, RedHat, Rocky ...",
    "distribution_version": "with the point release where the host tells it: 12.11, 24.04",
    "distribution_major_version": "12, 24",
    "distribution_minor_version": "11, 04, or NA",
    "distribution_release": "code name: bookworm, noble",
    "distribution_file_path": "the file that says so",
    "distribution_file_variety": "which kind of file it is",
    "distribution_file_parsed": "it could be read",
    "os_family": "Debian, RedHat, Suse",
    "lsb": "id, release, major_release, codename, description, where the host has lsb-release",
    "system": "Linux",
    "kernel": "release of the running kernel, as `uname -r`",
    "kernel_version": "its build, as `uname -v`",
    "machine": "as `uname -m`: x86_64, aarch64",
    "architecture": "the same",
    "userspace_architecture": "of the programs",
    "userspace_bits": "64 or 32",
    "cmdline": "arguments of the kernel; true for those without a value",
    "proc_cmdline": "the same, with lists for those that are there more than once",
    "boot_id": "another one after each boot",
    "machine_id": "/etc/machine-id",
    "is_chroot": "the agent's root is not that of process 1",
    "nodename": "as `uname -n`",
    "hostname": "the part before the first dot",
    "fqdn": "full name: from /etc/hosts, else from the resolver if it answers within 0.3 s, else the nodename",
    "domain": "the part after the first dot",
    "dns": "of /etc/resolv.conf: nameservers, search, domain, options",
    "user_id": "name of the user whom the agent runs as",
    "user_uid": "the user's number",
    "user_gid": "number of the user's group",
    "user_gecos": "full name",
    "user_dir": "home folder",
    "user_shell": "login shell",
    "real_user_id": "number of the user who started the agent",
    "effective_user_id": "number of the user whose rights it has",
    "real_group_id": "the same for the group",
    "effective_group_id": "the same for the group",
    "env": "environment of the task",
    "date_time": "clock of the host: date, time, epoch, iso8601 (UTC), tz, tz_offset, and their parts",
    "selinux": "status, mode, config_mode, type, policyvers",
    "selinux_python_present": "true: no library is needed",
    "apparmor": "status",
    "fips": "the kernel is in FIPS mode",
    "pkg_mgr": "apt, dnf, dnf5, yum, zypper, pacman, apk or unknown",
    "service_mgr": "systemd, or the name of process 1",
    "python_version": "of the agent's Python",
    "python": "the same, in parts: version, version_info, executable, type, has_sslcontext",
    "pythons": "every python3.N of the usual folders: version, path",
    "glibc": "version of the C library; a wheel must fit it",
    "local": "files `*.fact` of /etc/ansible/facts.d and /etc/ringup/facts.d, in JSON or INI or programs that print it, by their names",
}
#: there only where sshd has a key of the kind
OPTIONAL = {
    f"ssh_host_key_{kind}_public{ending}": f"sshd's {kind} host key{meaning}"
    for kind in ("rsa", "ecdsa", "ed25519", "dsa")
    for ending, meaning in (("", ""), ("_keytype", ", its type"))
}
FIRMWARE = (
    "bios_date", "bios_vendor", "bios_version", "board_asset_tag", "board_name", "board_serial", "board_vendor", "board_version",
    "chassis_asset_tag", "chassis_serial", "chassis_vendor", "chassis_version", "form_factor", "product_name", "product_serial",
    "product_uuid", "product_version", "system_vendor",
)  # fmt: skip
HARDWARE = {
    "processor": "number, vendor and model of each logical processor, one after the other",
    "processor_vcpus": "logical processors of the host",
    "processor_count": "sockets",
    "processor_cores": "cores of a socket",
    "processor_threads_per_core": "threads of a core",
    "processor_nproc": "logical processors that the agent may use",
    "flags": "what the processor can do",
    "memtotal_mb": "memory",
    "memfree_mb": "of it unused",
    "memavailable_mb": "of it to be had without swapping",
    "memory_mb": "real, nocache (without file caches) and swap, each in parts",
    "swaptotal_mb": "swap space",
    "swapfree_mb": "of it unused",
    "uptime_seconds": "since the kernel started",
    "loadavg": "1m, 5m, 15m",
    "devices": "disks: size, sectors, model, vendor, serial, rotational, partitions",
    "mounts": "file systems with a device or a server behind them: device, mount, fstype, options, sizes in bytes, blocks and inodes; "
    "one that does not answer within 2 s says so in `note`",
    **dict.fromkeys(FIRMWARE, "as the firmware says (DMI), or NA"),
}
NETWORK = {
    "interfaces": "names of all interfaces; each has a fact of its own name, with `_` for `-`, `.` and `:`",
    "all_ipv4_addresses": "of all interfaces but loopback",
    "all_ipv6_addresses": "of all interfaces but loopback",
    "default_ipv4": "interface of the default route: interface, gateway, address, prefix, netmask, network, mtu, macaddress",
    "default_ipv6": "the same for IPv6",
}
INTERFACE = {
    "device": "its name as the kernel has it",
    "active": "it is up",
    "type": "ether, loopback, bridge, bonding, infiniband ...",
    "macaddress": "hardware address",
    "mtu": "largest packet, in bytes",
    "promisc": "it takes in packets for others",
    "speed": "in Mbit/s; -1 where the device does not know",
    "module": "driver of the device behind it",
    "pciid": "address of the device behind it",
    "numa_node": "memory that this device is near to",
    "interfaces": "of a bridge: what it joins",
    "slaves": "of a bond: what it joins",
    "ipv4": "first address: address, prefix, netmask, network, broadcast",
    "ipv4_secondaries": "further addresses",
    "ipv6": "addresses: address, prefix, scope",
}
VIRTUAL = {
    "virtualization_type": "kvm, VMware, xen, docker, systemd-nspawn ..., or NA on metal that is no host of virtual machines",
    "virtualization_role": "guest, host or NA",
    "virtualization_tech_guest": "all that was seen; `container` is among them in any container",
    "virtualization_tech_host": "all that was seen",
}
GPU = {
    "gpus": "NVIDIA GPUs on the PCI bus: address, vendor, device, subsystem, class, numa_node, link speeds and widths, driver (module)",
    "nvswitches": "NVSwitches on the PCI bus, in the same form",
    "infiniband": "InfiniBand and RoCE adapters: name, address, hca_type, board_id, firmware, netdevs, "
    "ports (port, state, physical_state, rate, link_layer, lid)",
    "nvidia_driver": "loaded (version of the module), version (of the packages), flavour (open or proprietary), packages (with versions), "
    "source (repository, distribution, runfile, image, none), nouveau_loaded",
    "nvidia_processes": "who has a GPU open: pid, name, uid",
    "cuda_toolkits": "under /usr/local: version, path, default",
    "fabric_manager": "package, version, active, enabled; none where it is not installed",
    "container_toolkit": "version, cdi (its files); none where it is not installed",
    "package_holds": "packages that must not move, with their versions (apt holds, dnf versionlock)",
    "unattended_upgrades": "enabled, by (what)",
    "kernels": "installed kernels: version, running, headers",
    "dkms": "modules that DKMS keeps: module, version, kernel, state (added, built, installed, failed)",
    "secure_boot": "true where the firmware only starts signed kernels",
}
ALWAYS = {"gather_subset": "what was asked for"}
SUBJECTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"min": MIN | OPTIONAL, "hardware": HARDWARE, "network": NETWORK, "virtual": VIRTUAL, "gpu": GPU, "always": ALWAYS}
)


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
