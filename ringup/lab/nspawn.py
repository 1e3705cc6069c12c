"""The command that boots a host as a systemd-nspawn machine."""

from __future__ import annotations

from pathlib import Path

from ringup.lab.plan import LabHost

PCI_DEVICES = "/sys/bus/pci/devices"
MODULES = "/sys/module"


def command(host: LabHost, pci: Path | None) -> list[str]:
    """systemd-nspawn for one boot of a host.

    Args:
        host: its disk is mounted and its namespace is made.
        pci: a folder to show in place of the machine's PCI devices; none shows the machine's own.
    """
    namespace = f"/run/netns/{host.namespace}"
    return [
        # nspawn mounts the host's /sys before it enters the namespace, and /sys shows the interfaces of whoever mounts it
        "nsenter",
        f"--net={namespace}",
        "systemd-nspawn",
        "--quiet",
        f"--directory={host.root}",
        f"--machine={host.rack}-{host.name}",
        f"--hostname={host.name}",
        f"--network-namespace-path={namespace}",
        "--capability=CAP_NET_ADMIN",  # a host may set its own interfaces, as on metal
        "--register=no",
        "--keep-unit",  # there need be no systemd on this machine; cgroups are the supervisor's business
        "--resolv-conf=off",
        "--timezone=off",
        "--link-journal=no",
        *([f"--bind-ro={pci}:{PCI_DEVICES}"] if pci else []),
        # where simulated drivers show that they are loaded: empty after each boot, as a kernel's list of modules is
        *([f"--tmpfs={MODULES}:mode=755"] if pci else []),
        "--boot",
        # systemd 257 refuses the hybrid cgroups that machines without a cgroup2-only kernel command line still have
        "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1",
    ]
