"""Which distribution this is, and in which release."""

import os
import re

from .reading import assignments, text

#: ID of os-release -> (name, family) as Ansible has them
KNOWN = {
    "debian": ("Debian", "Debian"),
    "ubuntu": ("Ubuntu", "Debian"),
    "linuxmint": ("Linux Mint", "Debian"),
    "pop": ("Pop!_OS", "Debian"),
    "raspbian": ("Debian", "Debian"),
    "rhel": ("RedHat", "RedHat"),
    "rocky": ("Rocky", "RedHat"),
    "almalinux": ("AlmaLinux", "RedHat"),
    "centos": ("CentOS", "RedHat"),
    "ol": ("OracleLinux", "RedHat"),
    "amzn": ("Amazon", "RedHat"),
    "fedora": ("Fedora", "RedHat"),
    "sles": ("SLES", "Suse"),
    "sled": ("SLED", "Suse"),
    "opensuse-leap": ("openSUSE Leap", "Suse"),
    "opensuse-tumbleweed": ("openSUSE Tumbleweed", "Suse"),
    "arch": ("Archlinux", "Archlinux"),
    "alpine": ("Alpine", "Alpine"),
}


def distribution(host):
    return facts_of(assignments("/etc/os-release"), text("/etc/debian_version"), text("/etc/redhat-release"))


def facts_of(release, debian_version="", redhat_release=""):
    """The facts that these files tell.

    Args:
        release: os-release as a dictionary.
        debian_version, redhat_release: texts of those files; they carry the point release, which os-release may not have.
    """
    name, family = KNOWN.get(release.get("ID", ""), (release.get("NAME", "Linux"), None))
    version = release.get("VERSION_ID", "")
    if name == "Debian" and re.match(r"^\d+\.\d+", debian_version):
        version = debian_version
    elif name == "CentOS":
        point = re.search(r"release (\d+\.\d+)", redhat_release)
        version = point.group(1) if point else version
    major, _, minor = version.partition(".")
    return {
        "distribution": name,
        "distribution_version": version,
        "distribution_major_version": major,
        "distribution_minor_version": minor.partition(".")[0] or "NA",
        "distribution_release": release.get("VERSION_CODENAME") or _code_name(release.get("VERSION", "")),
        "distribution_file_path": "/etc/os-release",
        "distribution_file_variety": family if name == "Debian" else name,
        "distribution_file_parsed": bool(release),
        "os_family": family or _family(release) or name,
    }


def _family(release):
    """Of a distribution that we have no row for: that of one that it says to be like."""
    like = (KNOWN[word][1] for word in release.get("ID_LIKE", "").split() if word in KNOWN)
    return next(like, None)


def _code_name(version):
    match = re.search(r"\(([^)]+)\)", version)
    return match.group(1).split()[0] if match else "NA"


def lsb(host):
    """What `lsb_release` would say, where its file or os-release tells it."""
    told, release = assignments("/etc/lsb-release"), assignments("/etc/os-release")
    if "DISTRIB_ID" not in told and not os.path.exists("/usr/bin/lsb_release"):
        return {"lsb": {}}
    number = told.get("DISTRIB_RELEASE") or release.get("VERSION_ID", "")
    return {
        "lsb": {
            "id": told.get("DISTRIB_ID") or KNOWN.get(release.get("ID", ""), (release.get("NAME", ""), ""))[0],
            "release": number,
            "major_release": number.split(".")[0],
            "codename": told.get("DISTRIB_CODENAME") or release.get("VERSION_CODENAME", ""),
            "description": told.get("DISTRIB_DESCRIPTION") or release.get("PRETTY_NAME", ""),
        }
    }
