"""The packages of the simulated driver repository, named and related like NVIDIA's for Debian.

Versions are real ones of the stack catalogue; what the packages hold is the lab's. The relations are the point: pins, holds, conflicts
between flavours and version suffixes are then apt's own doing.
Source of names: NVIDIA Driver Installation Guide, releases 590 to 620, Debian section.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files

from ringup.stack.catalogue import Branch, Gpu, catalogue

#: branches the repository offers; of 580 an older version too, so that there is something to upgrade and to hold
BRANCHES = (535, 570, 580)
OLDER = ("580.65.06",)
#: what nvidia-smi prints as CUDA Version. Source: stack catalogue, drivers.yaml, max_cuda_native.
CUDA = {535: "12.2", 570: "12.8", 580: "13.0"}
#: marketing names and memory in MiB by device id. Source: `nvidia-smi -L` and `-q` outputs in public issue threads.
SHOWN = {
    "2330": ("NVIDIA H100 80GB HBM3", 81559),
    "20b1": ("NVIDIA A100-PCIE-40GB", 40960),
    "20b0": ("NVIDIA A100-SXM4-40GB", 40960),
    "1eb8": ("Tesla T4", 15360),
    "26b9": ("NVIDIA L40S", 46068),
    "2335": ("NVIDIA H200", 143771),
}
LOADER = """[Unit]
Description=Load the simulated NVIDIA kernel module of the rehearsal rack
DefaultDependencies=no
After=local-fs.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'mkdir -p /sys/module/nvidia && echo {version} >/sys/module/nvidia/version'

[Install]
WantedBy=sysinit.target
"""
#: a module is loaded when none is; a newer one waits for the reboot, and until then library and module differ
LOAD = """#!/bin/sh
set -e
systemctl daemon-reload
systemctl enable --quiet {unit}
[ -e /sys/module/nvidia/version ] || systemctl start {unit}
"""
UNLOAD = """#!/bin/sh
set -e
[ "$1" != remove ] || { systemctl disable --quiet {unit}; rm -rf /sys/module/nvidia; }
"""
UNIT = "ringup-lab-nvidia.service"
FABRIC_UNIT = """[Unit]
Description=NVIDIA fabric manager service
After=ringup-lab-nvidia.service

[Service]
ExecStart=/usr/bin/nv-fabricmanager

[Install]
WantedBy=multi-user.target
"""


@dataclass(frozen=True, slots=True)
class Package:
    """One .deb: control fields beside name and version, files by path (text, mode), maintainer scripts by name."""

    name: str
    version: str
    description: str
    relations: dict[str, str] = field(default_factory=dict)
    content: dict[str, tuple[str, int]] = field(default_factory=dict)
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
    known: dict[int, Branch] = {branch.number: branch for branch in catalogue().branches}
    return [*(known[number].newest for number in BRANCHES[:-1]), *OLDER, known[BRANCHES[-1]].newest]


def all_packages(keyring: bytes) -> list[Package]:
    """Every package of the repository.

    Args:
        keyring: the public key that signs the repository, armoured.
    """
    found = [_keyring(keyring.decode()), *(_pinning(branch) for branch in BRANCHES)]
    for version in versions():
        found += _driver(version)
    return found


def _keyring(key: str) -> Package:
    return Package(
        "cuda-keyring", "1.1-1", "GPG keyring of the CUDA repository", {}, {"/usr/share/keyrings/cuda-archive-keyring.asc": (key, 0o644)}
    )


def _pinning(branch: int) -> Package:
    names = "*nvidia* cuda-drivers* libcuda* libnvsdm* nvlsm"
    text = f"Package: {names}\nPin: version {branch}.*\nPin-Priority: 1001\n"
    others = ", ".join(f"nvidia-driver-pinning-{other}" for other in BRANCHES if other != branch)
    return Package(
        f"nvidia-driver-pinning-{branch}",
        f"{branch}-1",
        f"pins the driver to branch {branch}",
        {"Conflicts": others, "Provides": "nvidia-driver-pinning"},
        {f"/etc/apt/preferences.d/nvidia-driver-pinning-{branch}": (text, 0o644)},
    )


def _driver(version: str) -> list[Package]:
    full = f"{version}-1"
    same = f"(= {full})"
    kernel = {"Provides": "nvidia-kernel-modules"}
    unit = {f"/usr/lib/systemd/system/{UNIT}": (LOADER.format(version=version), 0o644)}
    scripts = {"postinst": LOAD.format(unit=UNIT), "prerm": UNLOAD.replace("{unit}", UNIT)}
    smi = _program("nvidia_smi", version)
    return [
        Package("nvidia-kernel-open-dkms", full, "open kernel modules", {**kernel, "Conflicts": "nvidia-kernel-dkms"}, unit, scripts),
        Package(
            "nvidia-kernel-dkms", full, "proprietary kernel modules", {**kernel, "Conflicts": "nvidia-kernel-open-dkms"}, unit, scripts
        ),
        Package("libcuda1", full, "CUDA driver library"),
        Package(
            "nvidia-driver-cuda", full, "compute part of the driver", {"Depends": f"libcuda1 {same}"}, {"/usr/bin/nvidia-smi": (smi, 0o755)}
        ),
        Package("nvidia-open", full, "driver, open", {"Depends": f"nvidia-kernel-open-dkms {same}, nvidia-driver-cuda {same}"}),
        Package("cuda-drivers", full, "driver, proprietary", {"Depends": f"nvidia-kernel-dkms {same}, nvidia-driver-cuda {same}"}),
        Package("libnvidia-nscq", full, "NVSwitch queries"),
        Package(
            "nvidia-fabricmanager",
            full,
            "fabric manager",
            {},
            {
                "/usr/bin/nv-fabricmanager": (_program("fabric_manager", version), 0o755),
                "/usr/lib/systemd/system/nvidia-fabricmanager.service": (FABRIC_UNIT, 0o644),
            },
            {"postinst": "#!/bin/sh\nset -e\nsystemctl daemon-reload\n"},
        ),
    ]


def _program(name: str, version: str) -> str:
    text = files("ringup.lab.simulated").joinpath(f"{name}.py").read_text(encoding="utf-8")
    text = text.replace("@VERSION@", version).replace("@CUDA@", CUDA[int(version.split(".")[0])])
    return text.replace("= {}  # @MODELS@", f"= {_models()!r}")


def _models() -> dict[str, tuple[str, int, str]]:
    return {number: (*_shown(number, gpu), gpu.capability) for gpu in catalogue().gpus for number in gpu.pci_ids}


def _shown(number: str, gpu: Gpu) -> tuple[str, int]:
    return SHOWN.get(number, (f"NVIDIA {gpu.model}", 16384))
