"""Distribution, kernel, processor, memory, users and clock."""

import glob
import os
import platform
import pwd
import re
import time

FAMILIES = {
    "Debian": "Debian",
    "Ubuntu": "Debian",
    "RedHat": "RedHat",
    "Rocky": "RedHat",
    "AlmaLinux": "RedHat",
    "CentOS": "RedHat",
    "OracleLinux": "RedHat",
    "Amazon": "RedHat",
    "Fedora": "RedHat",
    "SLES": "Suse",
}
NAMES = {
    "debian": "Debian",
    "ubuntu": "Ubuntu",
    "rhel": "RedHat",
    "rocky": "Rocky",
    "almalinux": "AlmaLinux",
    "centos": "CentOS",
    "ol": "OracleLinux",
    "amzn": "Amazon",
    "fedora": "Fedora",
    "sles": "SLES",
}
MANAGERS = (("/usr/bin/apt-get", "apt"), ("/usr/bin/dnf", "dnf"), ("/usr/bin/yum", "yum"), ("/usr/bin/zypper", "zypper"))


def gather(host):
    facts = {}
    for part in (distribution, kernel, processor, memory, names, people, clock, tools, virtualization):
        facts.update(part())
    return facts


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def os_release():
    """/etc/os-release as a dictionary."""
    found = {}
    for line in text_of("/etc/os-release").splitlines():
        name, equals, value = line.partition("=")
        if equals:
            found[name] = value.strip().strip("\"'")
    return found


def distribution():
    release = os_release()
    name = NAMES.get(release.get("ID", ""), release.get("NAME", "Linux"))
    version = release.get("VERSION_ID", "")
    # Debian's own file carries the point release, which os-release has not
    point = text_of("/etc/debian_version").strip()
    full = point if name == "Debian" and re.match(r"^\d+\.\d+$", point) else version
    return {
        "distribution": name,
        "distribution_version": full,
        "distribution_major_version": version.split(".")[0],
        "distribution_release": release.get("VERSION_CODENAME", "NA"),
        "os_family": FAMILIES.get(name, name),
        "lsb": {},
    }


def kernel():
    name = os.uname()
    return {
        "system": name.sysname,
        "kernel": name.release,
        "kernel_version": name.version,
        "machine": name.machine,
        "architecture": name.machine,
        "userspace_architecture": name.machine,
        "cmdline": dict(word.split("=", 1) if "=" in word else (word, True) for word in text_of("/proc/cmdline").split()),
        "boot_id": text_of("/proc/sys/kernel/random/boot_id").strip(),
        "machine_id": text_of("/etc/machine-id").strip(),
        "uptime_seconds": int(float((text_of("/proc/uptime") or "0").split()[0])),
    }


def processor():
    blocks = [block for block in text_of("/proc/cpuinfo").split("\n\n") if "processor" in block]
    models = [line.split(":", 1)[1].strip() for block in blocks for line in block.splitlines() if line.startswith("model name")]
    sockets = {line.split(":")[1].strip() for block in blocks for line in block.splitlines() if line.startswith("physical id")}
    cores = [int(line.split(":")[1]) for block in blocks for line in block.splitlines() if line.startswith("cpu cores")]
    return {
        "processor": models,
        "processor_vcpus": len(blocks) or os.cpu_count() or 1,
        "processor_count": len(sockets) or 1,
        "processor_cores": cores[0] if cores else 1,
        "processor_nproc": len(os.sched_getaffinity(0)),
    }


def memory():
    sizes = {}
    for line in text_of("/proc/meminfo").splitlines():
        name, _, rest = line.partition(":")
        sizes[name] = int(rest.split()[0]) // 1024
    return {
        "memtotal_mb": sizes.get("MemTotal", 0),
        "memfree_mb": sizes.get("MemFree", 0),
        "memavailable_mb": sizes.get("MemAvailable", 0),
        "swaptotal_mb": sizes.get("SwapTotal", 0),
        "swapfree_mb": sizes.get("SwapFree", 0),
    }


def names():
    node = os.uname().nodename
    # a name server that does not answer must not hold the facts up: the hosts file only
    first_names = (word for line in text_of("/etc/hosts").splitlines() for word in line.split("#")[0].split()[1:2])
    full = next((word for word in first_names if word.startswith(node + ".")), node)
    return {"nodename": node, "hostname": node.split(".")[0], "fqdn": full, "domain": full.partition(".")[2]}


def people():
    user = pwd.getpwuid(os.getuid())
    return {
        "user_id": user.pw_name,
        "user_uid": user.pw_uid,
        "user_gid": user.pw_gid,
        "user_dir": user.pw_dir,
        "user_shell": user.pw_shell,
        "env": dict(os.environ),
        "real_user_id": os.getuid(),
        "effective_user_id": os.geteuid(),
    }


def clock():
    now = time.localtime()
    stamp = int(time.time())
    return {
        "date_time": {
            "date": time.strftime("%Y-%m-%d", now),
            "time": time.strftime("%H:%M:%S", now),
            "epoch": str(stamp),
            "iso8601": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp)),
            "tz": time.strftime("%Z", now),
            "tz_offset": time.strftime("%z", now),
        }
    }


def tools():
    manager = next((name for path, name in MANAGERS if os.path.exists(path)), "unknown")
    init = text_of("/proc/1/comm").strip()
    return {
        "pkg_mgr": manager,
        "service_mgr": "systemd" if os.path.isdir("/run/systemd/system") else init or "service",
        "python_version": platform.python_version(),
        "python": {"version": {"major": int(platform.python_version_tuple()[0]), "minor": int(platform.python_version_tuple()[1])}},
        "pythons": pythons(),
        "glibc": (os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0").split()[-1],
    }


def virtualization():
    """Whether this is a container, as its manager says of it; what a machine runs on is not looked for."""
    container = text_of("/run/systemd/container").strip() or ("docker" if os.path.exists("/.dockerenv") else "")
    return {"virtualization_type": container or "NA", "virtualization_role": "guest" if container else "NA"}


def pythons():
    """Every python3.N on the usual paths, by version."""
    found = {}
    for folder in ("/usr/bin", "/usr/local/bin", "/opt/python/bin"):
        for path in glob.glob(os.path.join(folder, "python3.*")):
            match = re.match(r"^python(3\.\d+)$", os.path.basename(path))
            if match and os.access(path, os.X_OK):
                found.setdefault(match.group(1), path)
    return [{"version": version, "path": path} for version, path in sorted(found.items(), key=lambda one: int(one[0].split(".")[1]))]
