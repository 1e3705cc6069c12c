"""Kernel, names, clock, security, users and the Python that asks."""

import os
import platform
import pwd
import socket
import stat
import sys
import threading
import time

from .reading import number, text

#: how long the host's name may be looked up: a name server that does not answer must not hold the facts up
LOOKUP_S = 0.3


def kernel(host):
    name = os.uname()
    nodename = name.nodename
    full = full_name(nodename)
    return {
        "system": name.sysname,
        "kernel": name.release,
        "kernel_version": name.version,
        "machine": name.machine,
        "architecture": name.machine,
        "userspace_architecture": {"i686": "i386"}.get(name.machine, name.machine) if sys.maxsize > 2**32 else "i386",
        "userspace_bits": "64" if sys.maxsize > 2**32 else "32",
        "nodename": nodename,
        "hostname": nodename.split(".")[0],
        "fqdn": full,
        "domain": full.partition(".")[2],
        "boot_id": text("/proc/sys/kernel/random/boot_id"),
        "machine_id": text("/etc/machine-id") or text("/var/lib/dbus/machine-id"),
        "is_chroot": is_chroot(),
    }


def full_name(nodename):
    """The name with its domain: from /etc/hosts, else from the resolver if that answers at once, else as it is."""
    for line in text("/etc/hosts").splitlines():
        listed = line.split("#")[0].split()[1:]
        if nodename in listed:
            return next((name for name in listed if "." in name and not name.startswith("localhost")), listed[0])
    answers = []
    asking = threading.Thread(target=lambda: answers.append(socket.getfqdn(nodename)))
    asking.daemon = True
    asking.start()
    asking.join(LOOKUP_S)
    return answers[0] if answers else nodename


def is_chroot():
    """Is our root another one than that of process 1? Only root can tell; else the kernel's own inode number of a root counts."""
    own = os.stat("/")
    try:
        first = os.stat("/proc/1/root/.")
    except OSError:
        return own.st_ino not in (2, 96, 128, 256)
    return (own.st_ino, own.st_dev) != (first.st_ino, first.st_dev)


def cmdline(host):
    """The kernel's arguments; of a repeated one `cmdline` keeps the last and `proc_cmdline` all."""
    last, every = {}, {}
    for word in text("/proc/cmdline").split():
        name, equals, value = word.partition("=")
        value = value if equals else True
        last[name] = value
        if name in every and every[name] != value:
            kept = every[name] if isinstance(every[name], list) else [every[name]]
            every[name] = kept + [value]
        else:
            every[name] = value
    return {"cmdline": last, "proc_cmdline": every}


def clock(host):
    stamp = time.time()
    local, utc = time.localtime(stamp), time.gmtime(stamp)
    micro = "%06d" % (stamp % 1 * 1e6)
    facts = {
        "year": "%Y", "month": "%m", "weekday": "%A", "weekday_number": "%w", "weeknumber": "%W", "day": "%d", "hour": "%H",
        "minute": "%M", "second": "%S", "date": "%Y-%m-%d", "time": "%H:%M:%S", "iso8601_basic_short": "%Y%m%dT%H%M%S", "tz": "%Z",
        "tz_offset": "%z",
    }  # fmt: skip
    told = {name: time.strftime(style, local) for name, style in facts.items()}
    told.update(
        epoch=str(int(stamp)),
        epoch_int=str(int(stamp)),
        iso8601=time.strftime("%Y-%m-%dT%H:%M:%SZ", utc),
        iso8601_micro=time.strftime("%Y-%m-%dT%H:%M:%S.", utc) + micro + "Z",
        iso8601_basic=time.strftime("%Y%m%dT%H%M%S", local) + micro,
        tz_dst=time.tzname[1],
    )
    return {"date_time": told}


def security(host):
    """SELinux, AppArmor, FIPS mode."""
    return {
        "selinux": selinux(),
        "selinux_python_present": True,
        "apparmor": {"status": "enabled" if os.path.isdir("/sys/kernel/security/apparmor") else "disabled"},
        "fips": text("/proc/sys/crypto/fips_enabled") == "1",
    }


def selinux():
    if not os.path.exists("/sys/fs/selinux/enforce"):
        return {"status": "disabled"}
    told = {}
    for line in text("/etc/selinux/config").splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.startswith("#"):
            told[name.strip()] = value.strip()
    return {
        "status": "enabled",
        "mode": "enforcing" if number("/sys/fs/selinux/enforce") else "permissive",
        "config_mode": told.get("SELINUX", "unknown"),
        "type": told.get("SELINUXTYPE", "unknown"),
        "policyvers": number("/sys/fs/selinux/policyvers", "unknown"),
    }


def user(host):
    """Who the agent runs as."""
    found = pwd.getpwuid(os.getuid())
    return {
        "user_id": found.pw_name,
        "user_uid": found.pw_uid,
        "user_gid": found.pw_gid,
        "user_gecos": found.pw_gecos,
        "user_dir": found.pw_dir,
        "user_shell": found.pw_shell,
        "real_user_id": os.getuid(),
        "effective_user_id": os.geteuid(),
        "real_group_id": os.getgid(),
        "effective_group_id": os.getegid(),
    }


def environment(host):
    return {"env": dict(os.environ, **{name: str(value) for name, value in host.environment.items()})}


def python(host):
    """The Python that runs the agent."""
    import importlib.util

    version = sys.version_info
    return {
        "python_version": platform.python_version(),
        "python": {
            "version": {name: getattr(version, name) for name in ("major", "minor", "micro", "releaselevel", "serial")},
            "version_info": list(version),
            "executable": sys.executable,
            "type": sys.implementation.name,
            "has_sslcontext": importlib.util.find_spec("ssl") is not None,
        },
    }


def load(host):
    one, five, fifteen = os.getloadavg()
    return {"loadavg": {"1m": one, "5m": five, "15m": fifteen}}


def ssh_keys(host):
    """Public host keys of sshd, without their comments."""
    found = {}
    for kind in ("dsa", "rsa", "ecdsa", "ed25519"):
        for folder in ("/etc/ssh", "/etc/openssh", "/etc"):
            words = text("%s/ssh_host_%s_key.pub" % (folder, kind)).split()
            if len(words) >= 2:
                found["ssh_host_key_%s_public" % kind] = words[1]
                found["ssh_host_key_%s_public_keytype" % kind] = words[0]
                break
    return found


def is_executable(path):
    """A regular file that somebody may run."""
    mode = os.stat(path).st_mode
    return stat.S_ISREG(mode) and bool(mode & 0o111)
