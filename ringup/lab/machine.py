"""Commands on this machine: one way to run them, one way to say that they failed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ringup.errors import LabError

Say = Callable[[str], None]

# what each command belongs to on Debian and Ubuntu
SYSTEM_PACKAGES: Mapping[str, str] = {
    "ip": "iproute2",
    "nft": "nftables",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "openssl": "openssl",
    "mkfs.ext4": "e2fsprogs",
}
BOOTED_HOST_PACKAGES: Mapping[str, str] = {"systemd-nspawn": "systemd-container", "debootstrap": "debootstrap"}
PLAIN_HOST_PACKAGES: Mapping[str, str] = {"sshd": "openssh-server"}
SYSTEM_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def run(*argv: str | Path, stdin: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command of this machine to its end.

    Args:
        argv: program and arguments.
        stdin: text for its standard input.
        check: whether a status other than 0 is an error.
    Raises:
        LabError: it failed; the hint is what it wrote.
    """
    words = [str(word) for word in argv]
    done = subprocess.run(words, input=stdin or "", capture_output=True, text=True, check=False, env=environment())
    if check and done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise LabError(f"`{' '.join(words)}` ended with status {done.returncode}", hint=said[-2000:] or None)
    return done


def environment() -> dict[str, str]:
    """This process's environment with the system's command folders: a login without sbin on its PATH is common."""
    return {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:{SYSTEM_FOLDERS}", "LC_ALL": "C.UTF-8"}


def missing(needed: Mapping[str, str]) -> dict[str, str]:
    """The commands of `needed` that this machine lacks, with the packages that hold them."""
    path = environment()["PATH"]
    return {command: package for command, package in needed.items() if shutil.which(command, path=path) is None}


def require(needed: Mapping[str, str], say: Say) -> None:
    """Make sure that commands are there: as root they are installed with apt, which is said.

    Raises:
        LabError: not root, or no apt, or apt failed; names the packages and the command that installs them.
    """
    lacking = missing(needed)
    if os.geteuid() != 0:
        packages = sorted(set(lacking.values()))
        also = f"; also missing: {', '.join(packages)} (apt-get install {' '.join(packages)})" if packages else ""
        raise LabError(
            "the lab makes network namespaces and mounts, which only root may",
            hint=f"run the same command as root, for example with sudo{also}",
        )
    if lacking:
        install(sorted(set(lacking.values())), say)


def install(packages: Sequence[str], say: Say) -> None:
    """Install Debian packages on this machine.

    Raises:
        LabError: there is no apt here, or it failed.
    """
    if shutil.which("apt-get") is None:
        raise LabError(f"missing: {', '.join(packages)}", hint="install them with this machine's package tool; apt-get is not here")
    say(f"installing on this machine: {' '.join(packages)}")
    quiet = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120")
    run(*quiet, "update")
    run(*quiet, "install", "-y", "--no-install-recommends", *packages)
