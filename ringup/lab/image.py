"""The file tree that all booted hosts of a release share: debootstrapped once, kept, never half made."""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import os
import shutil
import time
from pathlib import Path

from ringup.errors import LabError
from ringup.lab import apt, machine
from ringup.lab.plan import OPERATOR, SECURED

PACKAGES = (
    "systemd", "systemd-sysv", "dbus", "kmod", "sudo", "python3", "openssh-server", "iproute2", "ca-certificates", "gnupg",
    "procps", "iputils-ping", "netbase", "pciutils",
)  # fmt: skip

# Work that a host would do behind a rehearsal's back, or that only matters on metal.
MASKED = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service", "fstrim.timer", "dpkg-db-backup.timer",
    "console-getty.service", "getty@.service", "systemd-networkd.service", "systemd-networkd.socket", "systemd-timesyncd.service",
    "systemd-journal-flush.service", "systemd-update-utmp.service", "systemd-update-utmp-runlevel.service",
)  # fmt: skip

# The base-passwd package already has a group `operator`, so that account takes it as its own.
CUSTOMISE = f"""\
set -eu
export DEBIAN_FRONTEND=noninteractive
update-ca-certificates >/dev/null 2>&1
useradd --create-home --shell /bin/bash --gid operator {OPERATOR}
useradd --create-home --shell /bin/bash --user-group {SECURED}
echo '{OPERATOR} ALL=(ALL:ALL) NOPASSWD: ALL' >/etc/sudoers.d/{OPERATOR}
echo '{SECURED} ALL=(ALL:ALL) ALL' >/etc/sudoers.d/{SECURED}
chmod 0440 /etc/sudoers.d/{OPERATOR} /etc/sudoers.d/{SECURED}
for unit in {" ".join(MASKED)}; do ln -sf /dev/null /etc/systemd/system/$unit; done
mkdir -p /etc/systemd/journald.conf.d
printf '[Journal]\\nStorage=volatile\\nRuntimeMaxUse=16M\\n' >/etc/systemd/journald.conf.d/ringup-lab.conf
systemctl enable ssh >/dev/null 2>&1
rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub /etc/machine-id /var/lib/dbus/machine-id
apt-get clean
rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/*.log /var/log/apt/* /usr/share/doc/* /usr/share/man/*
"""


DEBIAN_KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def cache_folder() -> Path:
    """Where images are kept: /var/cache/ringup for root, the XDG cache for others."""
    if os.geteuid() == 0:
        return Path("/var/cache/ringup/images")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringup" / "images"


def version(release: str, route: apt.Route) -> str:
    """A name that changes with anything that goes into the image: the recipe, this file's steps, the way to the archives."""
    parts = [release, *PACKAGES, CUSTOMISE, inspect.getsource(build), route.sources_list, *route.settings]
    digest = hashlib.sha256("\0".join(parts).encode())
    for path in route.authorities:
        digest.update(path.read_bytes())
    return f"{release}-{digest.hexdigest()[:12]}"


def ensure(release: str, say: machine.Say, cache: Path | None = None) -> Path:
    """The image of a release, made now if it is not there.

    Args:
        release: Debian's code name.
        say: told that the image is being made, and how long that took.
        cache: folder of images, `cache_folder()` by default.
    Raises:
        LabError: debootstrap or a step after it failed.
    """
    cache = cache or cache_folder()
    cache.mkdir(parents=True, exist_ok=True, mode=0o755)
    route = apt.route(release)
    image = cache / version(release, route)
    if image.is_dir():
        return image
    with (cache / f".{release}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another lab.up may be making the very same image
        if not image.is_dir():
            if not DEBIAN_KEYS.exists():  # Ubuntu has debootstrap without the keys of Debian's archives
                machine.install(["debian-archive-keyring"], say)
            say(f"making the Debian {release} image with debootstrap (once; a minute or two)")
            begun = time.monotonic()
            build(release, route, image)
            say(f"image made in {time.monotonic() - begun:.0f} s: {image}")
    return image


def build(release: str, route: apt.Route, image: Path) -> None:
    """Debootstrap into a folder beside the image and rename it when all is done."""
    making = image.with_name(f".making-{release}")
    shutil.rmtree(making, ignore_errors=True)  # what a killed build left; the lock says that nobody works on it
    mirror = [route.archives[0].uri.rstrip("/")] if route.archives else []
    # A mount namespace of its own takes debootstrap's mounts with it, and the pid namespace its children, when either is killed.
    alone = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child")
    wanted = ("--variant=minbase", f"--include={','.join(PACKAGES)}", release, str(making), *mirror)
    try:
        machine.run(*alone, "debootstrap", *wanted)
    except LabError as error:
        log = making / "debootstrap" / "debootstrap.log"
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:]) if log.is_file() else error.hint
        raise LabError("debootstrap could not make the image", where=release, hint=tail or "run it by hand to see why") from error
    if route.archives:
        (making / "etc/apt/sources.list").write_text(route.sources_list)
    if route.settings:
        (making / "etc/apt/apt.conf.d/90ringup-lab").write_text("\n".join(route.settings) + "\n")
    for path in route.authorities:
        shutil.copy(path, making / "usr/local/share/ca-certificates" / path.name)
    machine.run(*alone, "chroot", making, "/bin/sh", "-c", CUSTOMISE)
    making.rename(image)
