"""The packages of the simulated driver repository, named and related like NVIDIA's for Debian.

Versions are real ones of the stack catalogue; what the packages hold is the lab's. The relations are the point: pins, holds, conflicts
between flavours and version suffixes are then apt's own doing.
Source of names: NVIDIA Driver Installation Guide, releases 590 to 620, Debian section; of the pinning packages' versions and of the loose
relations of what is installed by name: packages of the CUDA repository as quoted in public issue threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ringup.lab import modules
from ringup.lab.programs import program
from ringup.stack.catalogue import catalogue
from ringup.stack.driver import FABRIC_UNSUFFIXED_FROM, UNSUFFIXED_FROM, branch_of

#: Branches the repository offers. Of 580 an older version too, so that there is something to upgrade and to hold, and with 620 a branch
#: that apt would take where nothing pins another.
BRANCHES = (535, 570, 580, 620)
OLDER = ("580.65.06",)
#: from this branch there are no proprietary kernel modules; see the stack catalogue, drivers.yaml
OPEN_ONLY_FROM = 620
KEYRING = "/usr/share/keyrings/cuda-archive-keyring.gpg"
PIN = "Package: *\nPin: release l=NVIDIA CUDA\nPin-Priority: 600\n"
#: The real package carries the address of NVIDIA's repository; a rack's is where its hosts' way out begins.
SOURCE = """#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
gateway=$(ip -4 route show default | sed -n 's/^default via \\([0-9.]*\\).*/\\1/p')
echo "deb [signed-by={keyring}] http://$gateway:{port}/{path}/ /" >/etc/apt/sources.list.d/cuda-{system}-x86_64.list
"""
NO_SOURCE = """#!/bin/sh
set -e
[ "$1" = upgrade ] || rm -f /etc/apt/sources.list.d/cuda-{system}-x86_64.list
"""
FABRIC_UNIT = """[Unit]
Description=NVIDIA fabric manager service
After=network-online.target ringup-lab-nvidia.service
Requires=network-online.target

[Service]
Type=notify
ExecStart=/usr/bin/nv-fabricmanager

[Install]
WantedBy=multi-user.target
"""
STOP_FABRIC = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --quiet --now nvidia-fabricmanager; fi
"""
RELOAD = "#!/bin/sh\nset -e\nif [ -d /run/systemd/system ]; then systemctl daemon-reload; fi\n"


@dataclass(frozen=True, slots=True)
class Package:
    """One .deb: control fields beside name and version, files by path (content, mode), maintainer scripts by name."""

    name: str
    version: str
    description: str
    relations: dict[str, str] = field(default_factory=dict)
    content: dict[str, tuple[str | bytes, int]] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return f"{self.name}_{self.version}_all.deb"

    def control(self) -> str:
        """The control file."""
        fields = {
            "Package": self.name,
            "Version": self.version,
            "Architecture": "all",
            "Maintainer": "Ringup rehearsal rack <lab@localhost>",
            "Section": "misc",
            "Priority": "optional",
            **self.relations,
            "Description": f"{self.description} (simulated by the rehearsal rack)",
        }
        return "".join(f"{name}: {value}\n" for name, value in fields.items())


def versions() -> list[str]:
    """The driver versions on offer, oldest first."""
    newest = {branch.number: branch.newest for branch in catalogue().branches}
    return sorted([*(newest[number] for number in BRANCHES), *OLDER], key=lambda version: [int(part) for part in version.split(".")])


def all_packages(key: bytes, system: str, path: str, port: int) -> list[Package]:
    """Every package of the repository.

    Args:
        key: the public key that signs the repository, as a keyring.
        system: what the repository calls its hosts' system: `debian12`.
        path: of the repository below its server's address.
        port: of that server.
    """
    found = [_keyring(key, system, path, port), *(_pinning(str(branch)) for branch in BRANCHES)]
    for version in versions():
        found += [_pinning(version), *_parts(version), *_wholes(version), *_fabric(version)]
    return found


def _keyring(key: bytes, system: str, path: str, port: int) -> Package:
    content: dict[str, tuple[str | bytes, int]] = {KEYRING: (key, 0o644), "/etc/apt/preferences.d/cuda-repository-pin-600": (PIN, 0o644)}
    scripts = {
        "postinst": SOURCE.format(keyring=KEYRING, port=port, path=path, system=system),
        "postrm": NO_SOURCE.format(system=system),
    }
    return Package("cuda-keyring", "1.1-1", "key, source and priority of the CUDA repository", {}, content, scripts)


def _pinning(wanted: str) -> Package:
    """The package that pins a branch (`580`) or one version; above 1000 apt goes down to it too."""
    name = f"nvidia-driver-pinning-{wanted}"
    text = (
        f"Package: *nvidia* cuda-drivers* libcuda1 libnvsdm*\nPin: version {wanted}{'-*' if '.' in wanted else '.*'}\nPin-Priority: 1001\n"
    )
    only_one = {"Provides": "nvidia-driver-pinning", "Conflicts": "nvidia-driver-pinning", "Replaces": "nvidia-driver-pinning"}
    # without the ending apt would take `.06` of a version for one, and pass the file over
    return Package(name, f"{wanted}-1", f"pins the driver to {wanted}", only_one, {f"/etc/apt/preferences.d/{name}.pref": (text, 0o644)})


def _parts(version: str) -> list[Package]:
    """What a driver consists of: modules that exclude each other, and libraries and programs that go with exactly one version."""
    full = f"{version}-1"
    same = f"(= {full})"
    flavours = ("open", "") if branch_of(version) < OPEN_ONLY_FROM else ("open",)
    kernels = ["-".join(("nvidia-kernel", *filter(None, (flavour,)), "dkms")) for flavour in flavours]
    either = " | ".join(f"{name} {same}" for name in kernels)
    found = [
        Package(
            name,
            full,
            f"kernel modules, {flavour or 'proprietary'}",
            {
                "Depends": f"firmware-nvidia-gsp {same}",
                "Provides": "nvidia-kernel-modules",
                "Conflicts": "nvidia-kernel-modules",
                "Replaces": "nvidia-kernel-modules",
            },
            modules.content(version, flavour or "proprietary"),
            modules.SCRIPTS,
        )
        for name, flavour in zip(kernels, flavours, strict=True)
    ]
    smi: dict[str, tuple[str | bytes, int]] = {"/usr/bin/nvidia-smi": (program("nvidia_smi", version), 0o755)}
    needed = f"libcuda1 {same}, libnvidia-ml1 {same}, nvidia-modprobe (>= {full}), {either}"
    return [
        *found,
        Package("firmware-nvidia-gsp", full, "firmware"),
        Package("libcuda1", full, "CUDA driver library", {"Depends": f"libnvidia-ptxjitcompiler1 {same}"}),
        Package("libnvidia-ml1", full, "management library"),
        Package("libnvidia-ptxjitcompiler1", full, "just-in-time compiler of the CUDA driver"),
        Package("nvidia-modprobe", full, "device files"),
        Package("nvidia-driver-cuda", full, "compute part of the driver", {"Depends": needed}, smi),
    ]


def _wholes(version: str) -> list[Package]:
    """What is installed by name. As NVIDIA's, they take any newer part: only a pin keeps a driver on its branch."""
    full, branch = f"{version}-1", branch_of(version)
    kernels = {"nvidia-open": "nvidia-kernel-open-dkms", "cuda-drivers": "nvidia-kernel-dkms"}
    if branch >= OPEN_ONLY_FROM:
        del kernels["cuda-drivers"]
    found = [
        Package(name, full, "the driver", {"Depends": f"nvidia-driver-cuda (>= {full}), {kernel} (>= {full})"})
        for name, kernel in kernels.items()
    ]
    if branch < UNSUFFIXED_FROM:
        found += [Package(f"{name}-{branch}", full, f"the driver, branch {branch}", {"Depends": f"{name} (= {full})"}) for name in kernels]
    return found


def _fabric(version: str) -> list[Package]:
    """What joins GPUs over switches and hosts; its names carry the branch up to the 570s."""
    full, branch = f"{version}-1", branch_of(version)
    suffix = "" if branch >= FABRIC_UNSUFFIXED_FROM else f"-{branch}"
    content: dict[str, tuple[str | bytes, int]] = {
        "/usr/bin/nv-fabricmanager": (program("fabric_manager", version), 0o755),
        "/usr/lib/systemd/system/nvidia-fabricmanager.service": (FABRIC_UNIT, 0o644),
    }
    scripts = {"postinst": RELOAD, "prerm": STOP_FABRIC}
    parts = {"nvidia-fabricmanager": ("fabric manager", content, scripts), "libnvidia-nscq": ("NVSwitch queries", {}, {})}
    if branch > BRANCHES[0]:
        parts["nvidia-imex"] = ("memory over several hosts", {}, {})

    def relations(name: str) -> dict[str, str]:
        only_one = dict.fromkeys(("Provides", "Conflicts", "Replaces"), f"{name}-any")
        return {**only_one, "Depends": f"nvidia-modprobe (>= {full})"} if name == "nvidia-imex" else only_one

    return [Package(name + suffix, full, words, relations(name), files, run) for name, (words, files, run) in parts.items()]
