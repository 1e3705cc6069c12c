"""What a rack consists of, decided before any of it exists: names, addresses, folders. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Literal

from ringup.errors import LabError, UsageError
from ringup.lab import ssh

RELEASES = ("bookworm", "trixie")
MANAGEMENT_NETWORK = "198.18"
RING_NETWORK = "198.19"
MOST_HOSTS = 200
REPOSITORY_PORT = 8080
OPERATOR = "operator"
SECURED = "secured"

Kind = Literal["cgroup", "bridge", "link", "netns", "mount", "nft"]


@dataclass(frozen=True, slots=True)
class RackSpec:
    """What an operator asks for.

    Attributes:
        name: of the rack; everything made on the machine carries it. At most 9 characters, because a network interface
            name holds 15 and the longest suffix takes 5.
        hosts: how many hosts, 1 to 200.
        gpus: what each host shows on its PCI bus: `8xH100`, `4xA100-PCIE`, `none`, or `host` for the machine's own bus.
        release: Debian's code name of the image. Plain hosts have no image and ignore it.
        plain: hosts without systemd and image: an overlay over this machine's `/` in which only sshd runs.
    """

    name: str = "lab"
    hosts: int = 4
    gpus: str = "8xH100"
    release: str = "bookworm"
    plain: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9-]{0,7}[a-z0-9]|[a-z]", self.name):
            raise UsageError(
                f"{self.name!r} cannot name a rack", where="--name", hint="use 1 to 9 small letters, digits or hyphens, a letter first"
            )
        if not 1 <= self.hosts <= MOST_HOSTS:
            raise UsageError(f"{self.hosts} hosts cannot be made", where="--hosts", hint=f"ask for 1 to {MOST_HOSTS}")
        if self.release not in RELEASES:
            raise UsageError(f"no image is known for {self.release!r}", where="--release", hint=f"choose one of {', '.join(RELEASES)}")


@dataclass(frozen=True, slots=True)
class Thing:
    """Something on the machine outside the rack's folder, which `down` has to remove.

    Attributes:
        kind: decides how it is made sure to be gone.
        name: an interface, a namespace, an nft table, a mount point or a cgroup path.
    """

    kind: Kind
    name: str


@dataclass(frozen=True, slots=True)
class LabHost:
    """One host of a rack.

    Attributes:
        rack: the rack's name.
        name: the host's name, `node01`.
        number: counted from 1; the last part of its addresses.
        address: on the management network (`eth0`): where sshd is reached.
        ring_address: on the ring network (`eth1`).
        namespace: its network namespace, as `ip netns` lists it.
        folder: its disk, console and boot records.
        login: how OpenSSH logs in to it.
    """

    rack: str
    name: str
    number: int
    address: str
    ring_address: str
    namespace: str
    folder: Path
    login: ssh.Login

    @property
    def root(self) -> Path:
        """Where the host's file tree is mounted on this machine."""
        return self.folder / "root"

    @property
    def console(self) -> Path:
        """What the host printed while booting."""
        return self.folder / "console"

    @property
    def management_link(self) -> str:
        """The machine's end of the host's `eth0`."""
        return f"{self.rack}-{self.number:02}m"

    @property
    def ring_link(self) -> str:
        """The machine's end of the host's `eth1`."""
        return f"{self.rack}-{self.number:02}r"

    def ssh(self, argv: list[str] | str, *, user: str = OPERATOR, stdin: str | None = None, timeout_s: float = 60) -> CompletedProcess[str]:
        """Run a command on the host with the OpenSSH client; see `ringup.lab.ssh.run`."""
        return ssh.run(self.login, argv, user=user, stdin=stdin, timeout_s=timeout_s)

    def boot_id(self) -> str:
        """The id of the boot that the host is in, new after each reboot.

        Raises:
            LabError: the host does not answer.
        """
        answer = self.ssh(["cat", "/proc/sys/kernel/random/boot_id"])
        if answer.returncode:
            raise LabError("the host does not answer", where=self.name, hint=answer.stderr.strip() or f"look into {self.console}")
        return answer.stdout.strip()


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack: what was asked for and where it lives.

    Attributes:
        spec: what was asked for.
        index: third part of the rack's addresses, 0 to 255; no two racks of a machine share it.
        folder: state, keys, disks and logs; readable by root only.
        hosts: in the order of their numbers.
    """

    spec: RackSpec
    index: int
    folder: Path
    hosts: tuple[LabHost, ...]

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def subnet(self) -> str:
        return f"{MANAGEMENT_NETWORK}.{self.index}.0/24"

    @property
    def gateway(self) -> str:
        """The machine's address on the management network."""
        return f"{MANAGEMENT_NETWORK}.{self.index}.254"

    @property
    def ring_gateway(self) -> str:
        """The machine's address on the ring network: for looking, nothing is routed there."""
        return f"{RING_NETWORK}.{self.index}.254"

    @property
    def management_bridge(self) -> str:
        return f"{self.name}-m"

    @property
    def ring_bridge(self) -> str:
        return f"{self.name}-r"

    @property
    def nft_table(self) -> str:
        return f"ringup_{self.name.replace('-', '_')}"

    @property
    def cgroup(self) -> str:
        """Below each cgroup hierarchy that the rack's processes are put in."""
        return f"ringup-lab-{self.name}"

    @property
    def key(self) -> Path:
        """The operator's private key."""
        return self.folder / "keys" / "operator"

    @property
    def known_hosts(self) -> Path:
        return self.folder / "known_hosts"

    @property
    def secured_password(self) -> Path:
        """The file with the password that `secured` needs for sudo."""
        return self.folder / "keys" / "secured.password"

    @property
    def has_repository(self) -> bool:
        """Plain hosts have no packages of their own to install, and the machine's own bus has real drivers."""
        return not self.spec.plain and self.spec.gpus != "host"

    def host(self, name: str) -> LabHost:
        """The host of that name.

        Raises:
            UsageError: the rack has no such host.
        """
        for host in self.hosts:
            if host.name == name:
                return host
        names = f"{self.hosts[0].name} to {self.hosts[-1].name}"
        raise UsageError(f"the rack {self.name} has no host {name!r}", where="HOST", hint=f"its hosts are {names}")

    def things(self) -> tuple[Thing, ...]:
        """All that the rack makes outside its folder, in the order of making."""
        shared = (
            Thing("cgroup", self.cgroup),
            Thing("bridge", self.management_bridge),
            Thing("bridge", self.ring_bridge),
            Thing("nft", self.nft_table),
        )
        per_host = (
            thing
            for host in self.hosts
            for thing in (
                Thing("netns", host.namespace),
                Thing("link", host.management_link),
                Thing("link", host.ring_link),
                Thing("mount", str(host.folder / "disk")),
                Thing("mount", str(host.root)),
            )
        )
        return (*shared, *per_host)


def plan(spec: RackSpec, index: int, home: Path) -> Rack:
    """The rack that `spec` describes, at the `index`-th pair of subnets, living below `home`."""
    folder = home / spec.name
    key, known_hosts = folder / "keys" / "operator", folder / "known_hosts"
    hosts = []
    for number in range(1, spec.hosts + 1):
        name, address = f"node{number:02}", f"{MANAGEMENT_NETWORK}.{index}.{number}"
        hosts.append(
            LabHost(
                rack=spec.name,
                name=name,
                number=number,
                address=address,
                ring_address=f"{RING_NETWORK}.{index}.{number}",
                namespace=f"{spec.name}-{name}",
                folder=folder / "hosts" / name,
                login=ssh.Login(address=address, key=key, known_hosts=known_hosts),
            )
        )
    return Rack(spec, index, folder, tuple(hosts))
