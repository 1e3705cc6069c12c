"""The simulated driver repository: whole, signed, and offering what the stack asks for."""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ringup.lab import gpus, repository
from ringup.lab.packages import Package, all_packages, versions
from ringup.stack.catalogue import catalogue
from ringup.stack.resolve import resolve
from ringup.stack.values import HostFacts, HostGpu, Stack, Wishes

TODAY = date(2026, 12, 1)


def offered() -> list[Package]:
    return all_packages(b"key", "debian12", "repos/debian12/x86_64", 8080)


def stack_for(spec: str, wishes: Wishes) -> Stack:
    found = tuple(HostGpu(gpu.model, gpu.capability, count) for count, gpu in gpus.parse(spec))
    switched = any(gpu.fabric_manager for _, gpu in gpus.parse(spec))
    answer = resolve(HostFacts("debian", "12", "x86_64", "2.36", ("3.11",), found, nvswitch=switched), wishes, catalogue(), TODAY)
    assert isinstance(answer, Stack), answer
    return answer


@pytest.mark.parametrize(
    ("spec", "wishes"),
    [
        ("8xH100", Wishes()),
        ("4xA100-PCIE+1xT4", Wishes()),
        ("2xV100", Wishes()),
        ("8xA100", Wishes(driver_branch=580)),
        ("8xH100", Wishes(driver_branch=570, allow_end_of_life=True)),
        ("1xL4", Wishes(driver_version="580.65.06")),
    ],
)
def test_what_the_stack_asks_for_is_offered(spec: str, wishes: Wishes) -> None:
    stack = stack_for(spec, wishes)
    assert stack.driver is not None
    wanted = {*stack.driver.packages, *(stack.fabric.packages if stack.fabric else ())}
    assert wanted <= {package.name for package in offered()}


def test_no_package_is_there_twice_at_one_version() -> None:
    named = [(package.name, package.version) for package in offered()]
    assert len(named) == len(set(named))


def test_whatever_a_package_needs_is_there_at_that_version() -> None:
    there = {(package.name, package.version) for package in offered()}
    needed = {need for package in offered() for need in re.findall(r"([\w.-]+) \(>?= ([^)]+)\)", package.relations.get("Depends", ""))}
    assert needed <= there


def test_fabric_names_carry_the_branch_up_to_the_570s() -> None:
    names = {(package.name, package.version.split(".")[0]) for package in offered() if "fabricmanager" in package.name}
    assert names == {
        ("nvidia-fabricmanager-535", "535"),
        ("nvidia-fabricmanager-570", "570"),
        ("nvidia-fabricmanager", "580"),
        ("nvidia-fabricmanager", "620"),
    }


def test_there_are_two_versions_of_580_and_a_branch_above_it() -> None:
    branches = [version.split(".")[0] for version in versions()]
    assert branches == ["535", "570", "580", "580", "620"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    served = tmp_path_factory.mktemp("served")
    repository.build(served, "trixie")
    yield served / "compute/cuda/repos/debian13/x86_64"


def test_the_release_is_signed_by_the_key_beside_it(built: Path) -> None:
    checked = subprocess.run(
        ["gpgv", "--keyring", built / "cuda-archive-keyring.gpg", built / "InRelease"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert not list(built.rglob("*secret*"))


def test_the_index_tells_the_truth_about_every_file(built: Path) -> None:
    entries = re.findall(r"Filename: \./(\S+)\nSize: (\d+)\nSHA256: (\w+)\n", (built / "Packages").read_text())
    assert {name for name, _, _ in entries} == {path.name for path in built.glob("*.deb")}
    for name, size, digest in entries:
        content = (built / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (int(size), digest), name


def test_the_keyring_package_brings_key_priority_and_a_source_for_its_system(built: Path) -> None:
    archive = built / "cuda-keyring_1.1-1_all.deb"
    listed = subprocess.run(["dpkg-deb", "--contents", archive], capture_output=True, text=True, check=True).stdout
    assert "./usr/share/keyrings/cuda-archive-keyring.gpg" in listed
    assert "./etc/apt/preferences.d/cuda-repository-pin-600" in listed
    script = subprocess.run(["dpkg-deb", "--info", archive, "postinst"], capture_output=True, text=True, check=True).stdout
    assert "cuda-debian13-x86_64.list" in script
