"""The role gpu_driver on a host of its own: what apt, systemd and a reboot make of it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from playing import Played, play

from ringup.lab import inside
from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack, RackSpec

pytestmark = pytest.mark.slow

ROLE = Path(__file__).resolve().parents[2] / "roles" / "gpu_driver"
PLAY = f"""
- hosts: gpu-rack
  tasks:
    - resolve_stack:
    - import_role: {{name: {ROLE}}}
"""
OLD, NEW = "580.65.06", "580.178.04"
LIMIT_S = 240


@dataclass(frozen=True)
class Bench:
    """A rack of one host with eight H100 and the inventory that knows its repository."""

    rack: Rack
    inventory: Mapping[str, Any]

    @property
    def host(self) -> LabHost:
        return self.rack.host("node01")

    def provision(self, folder: Path, *options: str, **driver: str | int) -> Played:
        """Run the role with a wish for the driver."""
        wishes = json.dumps({"driver": driver, "allow_end_of_life": True})
        return play(folder, PLAY, self.inventory, "-e", wishes, *options, limit_s=LIMIT_S)

    def told(self, command: str) -> str:
        done = self.host.ssh(["sh", "-c", command], user="root", timeout_s=LIMIT_S)
        return done.stdout + done.stderr

    def driver(self) -> tuple[str, str]:
        """What nvidia-smi calls the driver, and whether the fabric manager runs."""
        seen = self.told("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0")
        return seen.strip(), self.told("systemctl is-active nvidia-fabricmanager").strip()

    def packages(self) -> dict[str, str]:
        listed = self.told("dpkg-query -W -f '${Package} ${Version} ${db:Status-Want}\\n' | grep -E 'nvidia|cuda'")
        return {name: f"{version} {want}" for name, version, want in map(str.split, listed.splitlines()) if want != "deinstall"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    lab.down("drv")
    file = tmp_path_factory.mktemp("rack") / "hosts.yaml"
    made = lab.up(RackSpec("drv", hosts=1, gpus="8xH100"), inventory_file=file)
    yield Bench(made, yaml.safe_load(file.read_text()))
    lab.down("drv")


@pytest.fixture
def older(bench: Bench, tmp_path: Path) -> Bench:
    """The host with the older version of 580, however a test before left it."""
    played = bench.provision(tmp_path / "older", version=OLD)
    assert played.code == 0, played.stdout[-3000:]
    assert bench.driver() == (OLD, "active")
    return bench


def test_the_driver_is_installed_loaded_and_held_as_a_whole(older: Bench) -> None:
    assert older.told("nvidia-smi -L").count("GPU ") == 8
    packages = older.packages()
    assert {"nvidia-open", "libcuda1", "nvidia-kernel-open-dkms", "nvidia-fabricmanager", "libnvidia-nscq"} <= set(packages)
    assert {what.split()[0] for name, what in packages.items() if "pinning" not in name} == {f"{OLD}-1"}
    assert {what.split()[1] for what in packages.values()} == {"hold"}


def test_a_second_run_changes_nothing(older: Bench, tmp_path: Path) -> None:
    assert "changed" not in older.provision(tmp_path / "again", version=OLD).counted()


def test_upgrading_everything_else_moves_no_part_of_the_driver(older: Bench) -> None:
    before = older.packages()
    older.told("DEBIAN_FRONTEND=noninteractive apt-get -y dist-upgrade")
    assert older.packages() == before


def test_a_driver_that_will_do_stays_although_a_newer_one_is_offered(older: Bench, tmp_path: Path) -> None:
    assert older.provision(tmp_path / "branch", branch=580).code == 0
    assert older.driver() == (OLD, "active")


def test_branches_follow_each_other_up_and_down_by_a_reboot_and_the_fabric_manager_with_them(older: Bench, tmp_path: Path) -> None:
    for branch, version, fabric in ((620, "620.70.06", "nvidia-fabricmanager"), (570, "570.211.01", "nvidia-fabricmanager-570")):
        before = older.host.boot_id()
        assert older.provision(tmp_path / f"to-{branch}", branch=branch).code == 0
        assert older.host.boot_id() != before
        assert older.driver() == (version, "active")
        packages = older.packages()
        assert {what for name, what in packages.items() if "pinning" not in name} == {f"{version}-1 hold"}
        assert fabric in packages
    assert "changed" not in older.provision(tmp_path / "again", branch=570).counted()


def test_the_other_flavour_takes_the_place_of_the_first_by_a_reboot(older: Bench, tmp_path: Path) -> None:
    before = older.host.boot_id()
    assert older.provision(tmp_path / "flavour", version=OLD, flavour="proprietary").code == 0
    assert older.host.boot_id() != before
    packages = older.packages()
    assert {"cuda-drivers", "nvidia-kernel-dkms"} <= set(packages)
    assert not {"nvidia-open", "nvidia-kernel-open-dkms"} & set(packages)
    assert older.driver() == (OLD, "active")


@pytest.mark.parametrize(("wish", "named"), [({"version": "580.11.11"}, "nvidia-driver-pinning-580.11.11"), ({"branch": 595}, "595")])
def test_what_no_repository_offers_is_named_before_anything_changes(
    older: Bench, tmp_path: Path, wish: dict[str, str | int], named: str
) -> None:
    before = older.packages()
    played = older.provision(tmp_path / "missing", **wish)
    assert played.code == 2
    assert "changed" not in played.counted()
    assert any(named in str(result.get("msg")) and result.get("failed") for result in played.results())
    assert older.packages() == before


def test_check_mode_says_where_a_driver_would_move_and_leaves_it(older: Bench, tmp_path: Path) -> None:
    before = older.packages()
    played = older.provision(tmp_path / "check", "--check", version=NEW)
    assert (played.code, played.counted().get("changed")) == (0, 1)
    assert older.packages() == before


def test_a_second_source_of_the_repository_with_another_key_is_removed(older: Bench, tmp_path: Path) -> None:
    url = older.inventory["gpu-rack"]["vars"]["nvidia_repository_url"]
    line = f"deb [signed-by=/usr/share/keyrings/elsewhere.gpg] {url} /"
    older.told(f"echo '{line}' >/etc/apt/sources.list.d/cuda-debian12-x86_64.list; echo '{line}' >>/etc/apt/sources.list")
    assert "Conflicting values set for option Signed-By" in older.told("apt-get update")
    assert older.provision(tmp_path / "sources", version=OLD).code == 0
    assert "Conflicting" not in older.told("apt-get check")
    assert "cuda" not in older.told("ls /etc/apt/sources.list.d; cat /etc/apt/sources.list").replace("nvidia-cuda.sources", "")


def test_a_library_that_ran_ahead_of_its_module_is_mended_by_a_reboot(older: Bench, tmp_path: Path) -> None:
    older.told("dpkg-query -W -f '${Package}\\n' | grep -E 'nvidia|cuda' | xargs apt-mark unhold")
    older.told(f"apt-get install -y nvidia-driver-pinning-{NEW} && DEBIAN_FRONTEND=noninteractive apt-get -y dist-upgrade")
    assert "Failed to initialize NVML: Driver/library version mismatch" in older.told("nvidia-smi")
    assert older.provision(tmp_path / "mended", version=NEW).code == 0
    assert older.driver() == (NEW, "active")


def test_a_fabric_manager_of_another_version_is_brought_back_to_the_drivers(older: Bench, tmp_path: Path) -> None:
    older.told(f"apt-get install -y --allow-change-held-packages nvidia-fabricmanager={NEW}-1 libnvidia-nscq={NEW}-1")
    older.told("systemctl restart nvidia-fabricmanager")
    journal = inside.run(older.rack, older.host, "journalctl", "--unit=nvidia-fabricmanager", "--boot").stdout
    assert f"interface version {NEW} don't match with driver version {OLD}" in journal
    assert older.provision(tmp_path / "brought", version=OLD).code == 0
    assert older.driver() == (OLD, "active")
