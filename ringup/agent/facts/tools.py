"""Package manager, service manager, Pythons and C library: what decides how the host is changed."""

import glob
import os
import re

from .reading import text

#: a program and the word for it. dnf5 comes before dnf, which is a link to it there
MANAGERS = (
    ("/usr/bin/apt-get", "apt"),
    ("/usr/bin/dnf5", "dnf5"),
    ("/usr/bin/dnf", "dnf"),
    ("/usr/bin/yum", "yum"),
    ("/usr/bin/zypper", "zypper"),
    ("/usr/bin/pacman", "pacman"),
    ("/sbin/apk", "apk"),
)
PYTHON_FOLDERS = ("/usr/bin", "/usr/local/bin", "/opt/python/bin")


def managers(host):
    package = next((word for path, word in MANAGERS if os.path.exists(path)), "unknown")
    return {"pkg_mgr": package, "service_mgr": "systemd" if os.path.isdir("/run/systemd/system") else _first_process()}


def _first_process():
    """The name of process 1; an init script or shell there says nothing."""
    name = os.path.basename(text("/proc/1/comm"))
    return "sysvinit" if name == "init" else name or "service"


def toolchain(host):
    """What a wheel must fit: the C library and the Pythons of the usual folders, by version."""
    found = {}
    for folder in PYTHON_FOLDERS:
        for path in glob.glob(os.path.join(folder, "python3.*")):
            match = re.match(r"^python(3\.\d+)$", os.path.basename(path))
            if match and os.access(path, os.X_OK):
                found.setdefault(match.group(1), path)
    listed = sorted(found.items(), key=lambda one: int(one[0].split(".")[1]))
    return {
        "glibc": _glibc(),
        "pythons": [{"version": version, "path": path} for version, path in listed],
    }


def _glibc():
    """Version of the GNU C library; 0 where it is another one, which no wheel of ours runs on."""
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "0").split()[-1]
    except ValueError:
        return "0"
