"""Facts as a page. The words are written by hand and held against what `setup` gathers by a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ringup.agent.facts import subjects
from ringup.reference.markdown import code, codes, page, table

INTRODUCTION = """\
What [setup](modules/setup.md) and `gather_facts` find, without a driver, a program of NVIDIA's or a network. A playbook
reads them as `ansible_facts.NAME`, or as `ansible_NAME`. Names and meaning are Ansible's where Ansible has the fact.
Sizes that end with `_mb` are in MiB; `NA` means that the host does not tell.

`gather_subset` takes `all`, `min`, the groups and the parts below, and any of them with `!` to leave it out. `min` comes along
unless `!min` is said."""

#: part of a gather_subset -> fact -> what it is
FACTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "platform": {
            "system": "Linux",
            "kernel": "release of the running kernel, as `uname -r`",
            "kernel_version": "its build, as `uname -v`",
            "machine": "as `uname -m`: x86_64, aarch64",
            "architecture": "the same",
            "userspace_architecture": "of the programs",
            "userspace_bits": "64 or 32",
            "nodename": "as `uname -n`",
            "hostname": "the part before the first dot",
            "fqdn": "full name, if the host knows it; no name server is asked",
            "domain": "the part after the first dot",
            "boot_id": "another one after each boot",
            "machine_id": "/etc/machine-id",
            "is_chroot": "the agent runs below another root folder",
        },
        "distribution": {
            "distribution": "Debian, Ubuntu, RedHat, Rocky ...",
            "distribution_version": "with the point release where the host tells it: 12.11, 24.04",
            "distribution_major_version": "12, 24",
            "distribution_minor_version": "11, 04",
            "distribution_release": "code name: bookworm, noble",
            "distribution_file_path": "where that was read",
            "distribution_file_variety": "what kind of file it is",
            "distribution_file_parsed": "it could be read",
            "os_family": "Debian, RedHat, Suse",
        },
        "lsb": {"lsb": "what /etc/lsb-release says: id, description, release, codename, major_release"},
        "cmdline": {
            "cmdline": "arguments of the kernel; true for those without a value",
            "proc_cmdline": "the same; an argument that is given several times is a list",
        },
        "date_time": {"date_time": "the host's clock: date, time, epoch, iso8601 (UTC), tz, tz_offset and their parts"},
        "security": {
            "selinux": "status, and with it mode and type",
            "selinux_python_present": "true; nothing more is needed to read it",
            "apparmor": "status",
            "fips": "the kernel allows certified ciphers only",
        },
        "user": {
            "user_id": "name of the user whom the agent runs as",
            "user_uid": "the user's number",
            "user_gid": "number of the user's group",
            "user_gecos": "the user's full name",
            "user_dir": "home folder",
            "user_shell": "login shell",
            "real_user_id": "number of the user who started the agent",
            "effective_user_id": "number of the user whose rights it has",
            "real_group_id": "number of that user's group",
            "effective_group_id": "number of the group whose rights it has",
        },
        "env": {"env": "environment of the agent"},
        "python": {"python_version": "of the agent's Python", "python": "more of it: version in parts, executable, type"},
        "managers": {"pkg_mgr": "apt, dnf, zypper ... or unknown", "service_mgr": "systemd, or the name of process 1"},
        "toolchain": {
            "glibc": "version of the C library; a wheel must fit it",
            "pythons": "every python3.N of the usual folders: version, path",
        },
        "ssh_pub_keys": {
            "ssh_host_key_TYPE_public": "public host key of sshd, for each type: rsa, ecdsa, ed25519",
            "ssh_host_key_TYPE_public_keytype": "its type as ssh writes it",
        },
        "dns": {"dns": "what /etc/resolv.conf says: nameservers, search, domain, options"},
        "local": {"local": "files `*.fact` of /etc/ansible/facts.d and /etc/ringup/facts.d, by their names"},
        "loadavg": {"loadavg": "load of the last minutes: 1m, 5m, 15m"},
        "processor": {
            "processor": "number, maker and model of each logical processor",
            "processor_vcpus": "logical processors of the host",
            "processor_count": "sockets",
            "processor_cores": "cores of a socket",
            "processor_threads_per_core": "logical processors of a core",
            "processor_nproc": "logical processors that the agent may use",
            "flags": "what the processor can do, by the kernel's names",
        },
        "memory": {
            "memtotal_mb": "memory",
            "memfree_mb": "of it unused",
            "memavailable_mb": "of it to be had without swapping",
            "swaptotal_mb": "swap space",
            "swapfree_mb": "of it unused",
            "memory_mb": "the same in groups: real, nocache, swap",
        },
        "uptime": {"uptime_seconds": "since the kernel started"},
        "dmi": {
            "system_vendor": "who made the machine",
            "form_factor": "kind of chassis",
            **{f"product_{word}": f"the machine's {word}, as its firmware has it" for word in ("name", "serial", "uuid", "version")},
            **{
                f"board_{word}": f"the main board's {word.replace('_', ' ')}"
                for word in ("vendor", "name", "version", "serial", "asset_tag")
            },
            **{f"chassis_{word}": f"the chassis' {word.replace('_', ' ')}" for word in ("vendor", "version", "serial", "asset_tag")},
            **{f"bios_{word}": f"the firmware's {word}" for word in ("vendor", "version", "date")},
        },
        "devices": {"devices": "disks by name: size, model, vendor, serial, rotational, partitions, holders, links"},
        "mounts": {"mounts": "mounted file systems: mount, device, fstype, options, sizes in blocks and bytes, inodes, uuid"},
        "interfaces": {
            "interfaces": "names of all interfaces; each has a fact of its own name, with `_` for `-`, `.` and `:`",
            "all_ipv4_addresses": "of all interfaces but loopback",
            "all_ipv6_addresses": "of all interfaces but loopback",
            "default_ipv4": "where the default route leads: interface, gateway, address, prefix, netmask, network, mtu, macaddress",
            "default_ipv6": "the same for IPv6",
        },
        "virtual": {
            "virtualization_type": "docker, kvm ..., or NA on metal",
            "virtualization_role": "guest or host, or NA",
            "virtualization_tech_guest": "all that this host is a guest of",
            "virtualization_tech_host": "all that this host can be a host of",
        },
        "pci": {
            "gpus": "NVIDIA GPUs on the PCI bus: address, vendor, device, class, revision, NUMA node, link speeds and widths, driver",
            "nvswitches": "NVSwitches on the PCI bus, in the same form",
            "infiniband": "InfiniBand and RoCE adapters: name, address, firmware, netdevs, ports (state, rate, link layer)",
        },
        "driver": {
            "nvidia_driver": "loaded (version of the module), version (of packages), flavour, packages, source, nouveau_loaded",
            "nvidia_processes": "who has a GPU open: pid, name, uid",
            "cuda_toolkits": "toolkits of /usr/local: version, path, default",
            "fabric_manager": "package, version, active, enabled; none where it is not installed",
            "container_toolkit": "version, cdi (files that describe the GPUs to containers); none where it is not installed",
            "package_holds": "packages that are held at their version",
            "unattended_upgrades": "enabled, and by what: they move a driver at night",
            "kernels": "installed kernels: version, running, headers",
            "dkms": "modules that DKMS builds: module, version, kernel, state",
            "secure_boot": "the firmware only starts signed kernels",
        },
    }
)
INTERFACE: Mapping[str, str] = MappingProxyType(
    {
        "device": "its name as the kernel has it",
        "active": "it is up",
        "type": "ether, loopback, bridge, bonding, infiniband ...",
        "macaddress": "hardware address",
        "mtu": "largest packet, in bytes",
        "promisc": "it takes packets that are for others",
        "speed": "in Mbit/s, where the kernel tells it",
        "module": "kernel module of the adapter",
        "pciid": "address of the adapter on its bus",
        "numa_node": "of the adapter",
        "ipv4": "first address: address, prefix, netmask, network, broadcast",
        "ipv4_secondaries": "further addresses",
        "ipv6": "addresses: address, prefix, scope",
        "interfaces": "of a bridge: what is joined to it",
        "slaves": "of a bond: what is bundled in it",
    }
)


def facts_page() -> str:
    """All facts, by groups of a gather_subset."""
    grouped = [part for name, parts in subjects.GROUPS.items() if name != "all" for part in parts]
    others = [part for part in subjects.PARTS if part not in grouped]
    sections = [_section(name, parts) for name, parts in subjects.GROUPS.items() if name != "all"]
    own = f"Parts: {codes(others)}."
    details = "The fact of an interface:\n\n" + table(["Key", "What it is"], [[code(name), text] for name, text in INTERFACE.items()])
    return page("Facts", INTRODUCTION, *sections, "## in `all` only", own, _table(others), "## an interface", details)


def _section(group: str, parts: Sequence[str]) -> str:
    return f"## {group}\n\nParts: {codes(parts)}.\n\n{_table(parts)}"


def _table(parts: Sequence[str]) -> str:
    return table(["Fact", "What it is", "Part"], [[code(name), text, part] for part in parts for name, text in FACTS[part].items()])
