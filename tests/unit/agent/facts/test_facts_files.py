"""Facts read from files that other hosts have: distributions, package databases, toolkits, buses."""

import json
import os

import pytest

from ringup.agent.facts import gpu, mounts, nvidia, packages
from ringup.agent.facts.distribution import facts_of
from ringup.agent.host import Host

UBUNTU = {"ID": "ubuntu", "NAME": "Ubuntu", "VERSION_ID": "24.04", "VERSION_CODENAME": "noble", "ID_LIKE": "debian"}
DEBIAN = {"ID": "debian", "NAME": "Debian GNU/Linux", "VERSION_ID": "12", "VERSION_CODENAME": "bookworm"}
ROCKY = {"ID": "rocky", "NAME": "Rocky Linux", "VERSION_ID": "9.4", "VERSION": "9.4 (Blue Onyx)", "ID_LIKE": "rhel centos fedora"}
RHEL = {"ID": "rhel", "NAME": "Red Hat Enterprise Linux", "VERSION_ID": "8.10", "VERSION": "8.10 (Ootpa)"}
SLES = {"ID": "sles", "NAME": "SLES", "VERSION_ID": "15.6", "VERSION": "15-SP6"}
AMAZON = {"ID": "amzn", "NAME": "Amazon Linux", "VERSION_ID": "2023", "ID_LIKE": "fedora"}
UNKNOWN = {"ID": "mine", "NAME": "My Linux", "VERSION_ID": "1", "ID_LIKE": "other ubuntu"}


@pytest.mark.parametrize(
    ("release", "debian", "expected"),
    [
        (UBUNTU, "trixie/sid", ("Ubuntu", "24.04", "24", "noble", "Debian")),
        (DEBIAN, "12.11", ("Debian", "12.11", "12", "bookworm", "Debian")),
        (DEBIAN, "bookworm/sid", ("Debian", "12", "12", "bookworm", "Debian")),
        (ROCKY, "", ("Rocky", "9.4", "9", "Blue", "RedHat")),
        (RHEL, "", ("RedHat", "8.10", "8", "Ootpa", "RedHat")),
        (SLES, "", ("SLES", "15.6", "15", "NA", "Suse")),
        (AMAZON, "", ("Amazon", "2023", "2023", "NA", "RedHat")),
        (UNKNOWN, "", ("My Linux", "1", "1", "NA", "Debian")),
    ],
)
def test_a_distribution_is_named_as_ansible_names_it(release, debian, expected):
    facts = facts_of(release, debian)
    names = ("distribution", "distribution_version", "distribution_major_version", "distribution_release", "os_family")
    assert tuple(facts[name] for name in names) == expected


STATUS = """\
Package: bash
Status: install ok installed
Maintainer: Matthias Klose <doko@debian.org>
Version: 5.2.15-2

Package: nvidia-driver-cuda
Status: hold ok installed
Maintainer: NVIDIA CORPORATION <linux-bugs@nvidia.com>
Version: 580.65.06-1

Package: nvidia-kernel-open-dkms
Status: install ok installed
Maintainer: NVIDIA CORPORATION <linux-bugs@nvidia.com>
Version: 580.65.06-1

Package: nvidia-old
Status: deinstall ok config-files
Version: 470.1-1

Package: linux-image-amd64
Status: hold ok installed
Maintainer: Debian Kernel Team <debian-kernel@lists.debian.org>
Version: 6.1.140-1
"""


def test_the_stacks_packages_and_holds_are_read_from_dpkgs_file():
    found = packages.dpkg_packages(STATUS)
    assert [(one.name, one.version, one.held) for one in found] == [
        ("linux-image-amd64", "6.1.140-1", True),
        ("nvidia-driver-cuda", "580.65.06-1", True),
        ("nvidia-kernel-open-dkms", "580.65.06-1", False),
    ]


@pytest.mark.parametrize(
    ("maintainer", "source"),
    [
        ("NVIDIA CORPORATION <linux-bugs@nvidia.com>", "repository"),
        ("Debian NVIDIA Maintainers <pkg-nvidia-devel@lists.alioth.debian.org>", "distribution"),
        ("Ubuntu Core Developers <ubuntu-devel-discuss@lists.ubuntu.com>", "distribution"),
    ],
)
def test_who_packaged_a_driver_tells_where_it_came_from(maintainer, source):
    found = nvidia.driver([packages.Package("nvidia-driver", "1:580.65.06-1", maintainer)])
    assert (found["source"], found["version"]) == (source, "580.65.06")


@pytest.mark.parametrize(
    ("described", "installed", "flavour"),
    [
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build", [], "open"),
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12", ["nvidia-kernel-open-dkms"], "proprietary"),
        ("", ["nvidia-kernel-open-dkms"], "open"),
        ("", ["nvidia-kernel-dkms"], "proprietary"),
        ("", ["libnvidia-compute-580"], None),
    ],
)
def test_the_flavour_is_that_of_the_loaded_module_else_of_the_packages(described, installed, flavour):
    assert nvidia.flavour(described, [packages.Package(name, "580.1-1") for name in installed]) == flavour


def test_toolkits_are_not_packages_of_the_driver(tmp_path, monkeypatch):
    rows = {
        "nvidia-open": "580.65.06-1",
        "cuda-toolkit-13-0": "13.0.2-1",
        "nvidia-container-toolkit": "1.18.0-1",
        "libcuda1": "580.65.06-1",
    }
    stanzas = [f"Package: {name}\nStatus: install ok installed\nMaintainer: NVIDIA\nVersion: {version}\n" for name, version in rows.items()]
    (tmp_path / "status").write_text("\n".join(stanzas))
    monkeypatch.setattr(packages, "STATUS", str(tmp_path / "status"))
    facts = nvidia.gather(Host())
    assert facts["nvidia_driver"]["packages"] == {"libcuda1": "580.65.06-1", "nvidia-open": "580.65.06-1"}
    assert facts["container_toolkit"]["version"] == "1.18.0-1"


@pytest.fixture
def usr_local(tmp_path, monkeypatch):
    monkeypatch.setattr(nvidia, "LOCAL", str(tmp_path))
    return tmp_path


def test_toolkits_side_by_side_are_found_and_the_default_is_known(usr_local):
    for folder, version in (("cuda-12.4", "12.4.1"), ("cuda-12.10", "12.10.0")):
        (usr_local / folder).mkdir()
        (usr_local / folder / "version.json").write_text(json.dumps({"cuda": {"name": "CUDA SDK", "version": version}}))
    (usr_local / "cuda-10.2").mkdir()
    (usr_local / "cuda-10.2/version.txt").write_text("CUDA Version 10.2.89\n")
    (usr_local / "cuda-broken").mkdir()
    (usr_local / "cuda").symlink_to("cuda-12.4")
    found = nvidia.toolkits()
    assert [(one["version"], one["default"]) for one in found] == [("10.2.89", False), ("12.4.1", True), ("12.10.0", False)]


def test_dkms_states_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(nvidia, "DKMS", str(tmp_path))
    for kernel in ("6.1.0-1-amd64", "6.1.0-2-amd64"):
        (tmp_path / "nvidia/580.65.06" / kernel / "x86_64/module").mkdir(parents=True)
    (tmp_path / "nvidia/kernel-6.1.0-1-amd64-x86_64").symlink_to("580.65.06/6.1.0-1-amd64/x86_64")
    for name, version in (("nvidia", "580.65.06"), ("zfs", "2.1"), ("other", "1.0")):
        (tmp_path / name / version).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / version / "source").symlink_to("/usr/src")
    (tmp_path / "zfs/2.1/build").mkdir()
    (tmp_path / "zfs/2.1/build/make.log").write_text("error")
    assert [(one["module"], one["kernel"], one["state"]) for one in nvidia.dkms()] == [
        ("nvidia", "6.1.0-1-amd64", "installed"),
        ("nvidia", "6.1.0-2-amd64", "built"),
        ("other", None, "added"),
        ("zfs", None, "failed"),
    ]


@pytest.mark.parametrize(
    ("settings", "enabled"),
    [
        ('APT::Periodic::Update-Package-Lists "1";\nAPT::Periodic::Unattended-Upgrade "1";\n', True),
        ('APT::Periodic::Unattended-Upgrade "0";\n', False),
        ('// APT::Periodic::Unattended-Upgrade "1";\n', False),
        ("", False),
    ],
)
def test_a_host_that_upgrades_itself_is_known(tmp_path, monkeypatch, settings, enabled):
    (tmp_path / "20auto-upgrades").write_text(settings)
    program = tmp_path / "unattended-upgrade"
    program.touch()
    monkeypatch.setattr(packages, "APT_SETTINGS", str(tmp_path))
    monkeypatch.setattr(packages, "UNATTENDED", str(program))
    assert packages.unattended_upgrades() == {"enabled": enabled, "by": "unattended-upgrades" if enabled else None}


def test_gpus_switches_and_adapters_are_told_apart_on_the_bus(tmp_path, monkeypatch):
    functions = {
        "0000:18:00.0": ("0x10de", "0x2330", "0x030200"),
        "0000:19:00.0": ("0x15b3", "0x1021", "0x020700"),
        "0000:20:00.0": ("0x10de", "0x22a3", "0x068000"),
        "0000:20:00.1": ("0x10de", "0x10fa", "0x040300"),
    }
    for address, values in functions.items():
        (tmp_path / "pci" / address).mkdir(parents=True)
        for name, value in zip(("vendor", "device", "class"), values, strict=True):
            (tmp_path / "pci" / address / name).write_text(value + "\n")
    (tmp_path / "pci/0000:18:00.0/numa_node").write_text("1\n")
    port = tmp_path / "ib/mlx5_0/ports/1"
    port.mkdir(parents=True)
    (port / "state").write_text("4: ACTIVE\n")
    (port / "rate").write_text("400 Gb/sec (4X NDR)\n")
    monkeypatch.setattr(gpu, "DEVICES", str(tmp_path / "pci"))
    monkeypatch.setattr(gpu, "ADAPTERS", str(tmp_path / "ib"))
    facts = gpu.gather(Host())
    assert [(one["address"], one["device"], one["numa_node"]) for one in facts["gpus"]] == [("0000:18:00.0", "0x2330", 1)]
    assert [one["address"] for one in facts["nvswitches"]] == ["0000:20:00.0"]
    assert facts["infiniband"][0]["ports"][0]["state"] == "ACTIVE"
    assert facts["infiniband"][0]["ports"][0]["rate"] == "400 Gb/sec (4X NDR)"


def test_a_file_server_that_does_not_answer_does_not_hold_the_facts_up(monkeypatch):
    gone = {"device": "server:/export", "mount": "/data", "fstype": "nfs4", "options": "rw", "dump": 0, "passno": 0}
    reader, writer = os.pipe()
    monkeypatch.setattr(mounts, "_rows", lambda: [gone])
    monkeypatch.setattr(mounts, "size_of", lambda path: os.read(reader, 1))
    monkeypatch.setattr(mounts, "LIMIT_S", 0.05)
    found = mounts.mounts(Host())["mounts"]
    os.close(reader)
    os.close(writer)
    assert found[0]["mount"] == "/data"
    assert "timeout" in found[0]["note"]
