"""Installed packages that decide whether a GPU stack fits, read from the package system's own files where it has any."""

import os
import re

from .reading import assignments, names, text

STATUS = "/var/lib/dpkg/status"
#: what belongs to NVIDIA's stack
STACK = re.compile(r"nvidia|^cuda|libcuda|libnvsdm|nvlsm|^libnccl|^libcudnn|^datacenter-gpu-manager|^doca|^mlnx-|^dkms$")
THERE = re.compile(r"^Status: (hold|install) \S+ (installed|triggers-\w+)$", re.MULTILINE)
FIELDS = re.compile(r"^(Status|Version|Maintainer): (.*)$", re.MULTILINE)
RPM_QUERY = "%{NAME}\t%{VERSION}-%{RELEASE}\t%{VENDOR}\n"
LOCKS = ("/etc/dnf/plugins/versionlock.list", "/etc/yum/pluginconf.d/versionlock.list")
UNATTENDED = "/usr/bin/unattended-upgrade"
APT_SETTINGS = "/etc/apt/apt.conf.d"
PERIODIC = re.compile(r'^\s*APT::Periodic::([\w-]+)\s+"([^"]*)"\s*;', re.MULTILINE)
TIMERS = "/etc/systemd/system/timers.target.wants"


class Package:
    """`maintainer`: who packaged it (dpkg's Maintainer, rpm's Vendor)."""

    def __init__(self, name, version, maintainer="", held=False):
        self.name = name
        self.version = version
        self.maintainer = maintainer
        self.held = held


def installed(host):
    """The stack's packages and whatever is held, in order; from dpkg's file: reading it is faster than starting a program."""
    if os.path.exists(STATUS):
        return dpkg_packages(text(STATUS))
    return rpm_packages(host)


def dpkg_packages(status):
    found = []
    for stanza in status.split("\n\n"):
        name = stanza[len("Package: ") : stanza.find("\n")]
        # hundreds of others are passed over without reading them
        if not STACK.search(name) and "\nStatus: hold " not in stanza:
            continue
        if not THERE.search(stanza):
            continue
        fields = dict(FIELDS.findall(stanza))
        found.append(Package(name, fields.get("Version", ""), fields.get("Maintainer", ""), fields["Status"].startswith("hold")))
    return sorted(found, key=lambda one: one.name)


def rpm_packages(host):
    if not os.path.exists("/usr/bin/rpm") or not os.path.isdir("/var/lib/rpm"):
        return []
    rows = host.run(["rpm", "--query", "--all", "--queryformat", RPM_QUERY], timeout_s=30).stdout.splitlines()
    locked = version_locks()
    packages = [Package(*row.split("\t")[:3]) for row in rows if row.count("\t") == 2]
    for one in packages:
        one.held = any(lock.startswith(one.name + "-") or lock == one.name for lock in locked)
    return sorted((one for one in packages if one.held or STACK.search(one.name)), key=lambda one: one.name)


def version_locks():
    """Entries of dnf's versionlock, without epoch; an exclusion (`!`) is none."""
    lines = "\n".join(text(path) for path in LOCKS).splitlines()
    return [re.sub(r"^\d+:", "", line.strip()) for line in lines if line.strip() and not line.startswith(("#", "!"))]


def unattended_upgrades():
    """Does the host upgrade itself, and by what? A driver that moves at night is the commonest broken one."""
    settings = "\n".join(text(os.path.join(APT_SETTINGS, name)) for name in names(APT_SETTINGS))
    periodic = dict(PERIODIC.findall(settings))
    by_apt = periodic.get("Unattended-Upgrade", "0") not in ("0", "") and os.path.exists(UNATTENDED)
    timer = next((name for name in names(TIMERS) if name.startswith("dnf-automatic")), None)
    by_dnf = timer is not None and (timer != "dnf-automatic.timer" or _applies_updates())
    return {"enabled": by_apt or by_dnf, "by": "unattended-upgrades" if by_apt else timer if by_dnf else None}


def _applies_updates():
    return assignments("/etc/dnf/automatic.conf").get("apply_updates", "no").lower() in ("yes", "true", "1")
