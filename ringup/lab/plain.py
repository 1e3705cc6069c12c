"""The command that starts a plain host: namespaces, an overlay over this machine's `/`, and sshd as its process 1."""

from __future__ import annotations

import shutil
from pathlib import Path

from ringup.lab import machine
from ringup.lab.plan import OPERATOR, SECURED, LabHost

# $1 root, $2 host name, $3 PCI folder or empty, $4 sshd. The boot id is the kernel's, so a fresh one is laid over it.
START = """\
set -eu
root=$1 name=$2 pci=$3 sshd=$4
hostname "$name"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t sysfs sysfs "$root/sys" 2>/dev/null || mount --rbind /sys "$root/sys"
if [ -n "$pci" ]; then
    mount --bind -o ro "$pci" "$root/sys/bus/pci/devices"
    mount -t tmpfs -o mode=755 tmpfs "$root/sys/module"
fi
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir -p "$root/run/sshd"
cat /proc/sys/kernel/random/uuid >"$root/run/boot_id"
mount --bind "$root/run/boot_id" "$root/proc/sys/kernel/random/boot_id"
exec chroot "$root" "$sshd" -D -e -f /dev/null -h /etc/ssh/ssh_host_ed25519_key -o UsePAM=no -o PidFile=none -o StrictModes=no \
    -o "Subsystem=sftp internal-sftp" -o "SetEnv=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""

# The machine may or may not have such accounts, and sshd lets nobody in whose password field says `!`.
ACCOUNTS = f"""\
set -eu
id -u sshd >/dev/null 2>&1 || useradd --system --no-create-home --home-dir /run/sshd --shell /usr/sbin/nologin sshd
for name in {OPERATOR} {SECURED}; do
    getent group $name >/dev/null || groupadd $name
    id -u $name >/dev/null 2>&1 || useradd --create-home --shell /bin/bash --gid $name $name
    usermod --password '*' $name
done
mkdir -p /etc/sudoers.d
echo '{OPERATOR} ALL=(ALL:ALL) NOPASSWD: ALL' >/etc/sudoers.d/{OPERATOR}
echo '{SECURED} ALL=(ALL:ALL) ALL' >/etc/sudoers.d/{SECURED}
chmod 0440 /etc/sudoers.d/{OPERATOR} /etc/sudoers.d/{SECURED}
"""


def add_accounts(host: LabHost) -> None:
    """The accounts that an image brings along, made on the host's own disk."""
    machine.run("chroot", host.root, "/bin/sh", "-c", ACCOUNTS)


def command(host: LabHost, pci: Path | None) -> list[str]:
    """The namespaces and sshd of one start of a host; see `nspawn.command` for the arguments."""
    sshd = shutil.which("sshd", path=machine.environment()["PATH"]) or "/usr/sbin/sshd"
    namespaces = ("unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--propagation=private")
    start = ("/bin/sh", "-c", START, "start", str(host.root), host.name, str(pci or ""), sshd)
    return ["nsenter", f"--net=/run/netns/{host.namespace}", *namespaces, *start]
