"""The stand-in for a kernel module: a container cannot load one, so a unit writes what the kernel would show of it.

/sys/module is a tmpfs in a lab host, empty after each boot as a kernel's list of modules is, so what reads it needs to know nothing of the
lab. A module that is loaded stays until the reboot, whatever happens to its packages.
"""

from __future__ import annotations

UNIT = "ringup-lab-nvidia.service"
#: what /sys/module/nvidia/taint shows of a module: out of tree, unsigned, and P where it is not free. Source: kernel, tainted-kernels.rst.
TAINTS = {"open": "OE", "proprietary": "POE"}
TEXT = """[Unit]
Description=Load the simulated NVIDIA kernel module of the rehearsal rack
DefaultDependencies=no
After=local-fs.target
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mkdir -p /sys/module/nvidia
ExecStart=/bin/sh -c 'cd /sys/module/nvidia; echo {version} >version; echo {taint} >taint; echo live >initstate'

[Install]
WantedBy=sysinit.target
"""
#: a module is loaded when none is; a newer one waits for the reboot, and until then library and module differ
LOAD = f"""#!/bin/sh
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl enable --quiet {UNIT}
[ -e /sys/module/nvidia/version ] || systemctl start {UNIT}
"""
FORGET = f"""#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --quiet {UNIT}; fi
"""
SCRIPTS = {"postinst": LOAD, "prerm": FORGET}


def content(version: str, flavour: str) -> dict[str, tuple[str | bytes, int]]:
    """The files of a package of kernel modules.

    Args:
        flavour: `open` or `proprietary`.
    """
    return {f"/usr/lib/systemd/system/{UNIT}": (TEXT.format(version=version, taint=TAINTS[flavour]), 0o644)}
