"""The main job on a rack of its own: nothing is changed by looking, everything by one run, nothing by the next."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ringup.lab import rack as lab
from ringup.lab.rack import Rack, RackSpec

#: beside the rack that all lab tests share, whose name it follows
NAME = os.environ.get("RINGUP_TEST_RACK", "test")
PROJECT = Path(__file__).resolve().parents[2]
#: files that a host writes by itself while nobody does anything
RESTLESS = ("/proc", "/sys", "/run", "/tmp", "/dev", "/var/log", "/var/lib/private", "/var/lib/systemd", "/var/cache")
LIMIT_S = 600


@dataclass(frozen=True)
class Bed:
    """A rack and what belongs to it."""

    rack: Rack
    inventory: Path


@dataclass(frozen=True)
class Ended:
    """A finished command: its events by name, in order."""

    code: int
    events: list[dict[str, Any]]
    stderr: str

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]

    @property
    def recap(self) -> dict[str, dict[str, int]]:
        recap: dict[str, dict[str, int]] = self.named("RunEnded")[0]["recap"]
        return recap


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    name = f"{NAME[:6]}pv"
    lab.down(name)
    inventory = tmp_path_factory.mktemp("inventory") / "rack.yaml"
    made = lab.up(RackSpec(name, hosts=4, gpus="8xH100"), inventory_file=inventory)
    yield Bed(made, inventory)
    lab.down(name)


def ringup(bed: Bed, task: str, *options: str) -> Ended:
    argv = [
        sys.executable,
        "-m",
        "ringup.tasks.program",
        task,
        "--hosts",
        "gpu-rack",
        "--inventory",
        str(bed.inventory),
        "--format",
        "json",
    ]
    done = subprocess.run([*argv, *options], cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    return Ended(done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr)


def file_tree(bed: Bed) -> set[tuple[str, str]]:
    """Every file of every host: name, owner, mode, link, and the checksum of its content."""
    pruned = " -o ".join(f"-path {folder}" for folder in RESTLESS)
    listed = rf"find / \( {pruned} \) -prune -o -printf '%p %u %g %m %l\n'"
    content = rf"find / \( {pruned} \) -prune -o -type f -print0 | xargs -0 sha256sum"
    told = ((host.name, host.ssh(["sh", "-c", f"{listed}; {content}"], user="root", timeout_s=120).stdout) for host in bed.rack.hosts)
    return {(name, line) for name, text in told for line in text.splitlines()}


def test_check_mode_on_a_new_rack_lists_what_would_change_and_changes_nothing(bed: Bed) -> None:
    before = file_tree(bed)
    ended = ringup(bed, "provision", "--check", "--diff")
    assert ended.code == 0, ended.stderr
    changed = {event["task_id"] for event in ended.named("TaskEnded") if event["result"].get("changed")}
    titles = {event["name"] for event in ended.named("TaskStarted") if event["task_id"] in changed}
    assert {"limits of logins", "add the repository", "install the matched wheels", "write what NCCL reads itself"} <= titles
    assert file_tree(bed) ^ before == set()


def test_one_run_ends_with_a_verified_ring_and_a_report(bed: Bed) -> None:
    ended = ringup(bed, "provision")
    assert ended.code == 0, ended.stderr
    assert all(counts["failed"] == counts["unreachable"] == 0 and counts["changed"] > 5 for counts in ended.recap.values())
    (ring,) = [event["measurement"] for event in ended.named("RingMeasured")]
    assert ring["verdict"] == "accepted"
    assert ring["world_size"] == 4
    assert {check["dtype"] for check in ring["sums"]} == {"float32", "float16", "bfloat16"}
    assert all(check["wrong"] == 0 for check in ring["sums"])
    assert all(point["busbw_gbps"] > 0 and len(point["per_rank"]) == 4 for point in ring["sweep"])
    report = PROJECT / ended.stderr.split("report: ")[1].split()[0]
    assert "ring accepted" in report.read_text()


def test_the_hosts_have_become_what_was_promised(bed: Bed) -> None:
    host = bed.rack.host("node01")
    assert host.ssh(["nvidia-smi", "-L"]).stdout.count("GPU ") == 8
    assert "nvidia-open" in host.ssh(["apt-mark", "showhold"]).stdout
    assert host.ssh(["systemctl", "is-active", "nvidia-fabricmanager"]).stdout.strip() == "active"
    assert "NCCL_SOCKET_IFNAME==eth1" in host.ssh(["cat", "/etc/nccl.conf"]).stdout
    assert "2.13.0" in host.ssh(["/opt/ringup/torch/bin/python", "-c", "import torch; print(torch.__version__)"]).stdout


def test_nothing_of_the_ring_stays_on_the_hosts(bed: Bed) -> None:
    strays = "grep -lz RINGUP_RING_ID /proc/[0-9]*/environ 2>/dev/null; ls -d /tmp/ringup-ring-* 2>/dev/null; true"
    assert [host.ssh(["sh", "-c", strays], user="root").stdout for host in bed.rack.hosts] == [""] * 4


def test_a_second_run_changes_nothing(bed: Bed) -> None:
    ended = ringup(bed, "provision")
    assert ended.code == 0, ended.stderr
    assert [counts["changed"] for counts in ended.recap.values()] == [0, 0, 0, 0]


def test_a_ring_link_that_is_down_is_named_with_its_host(bed: Bed) -> None:
    lab.fault(bed.rack, "node03", "link-down", "eth1")
    try:
        ended = ringup(bed, "verify")
    finally:
        lab.clear(bed.rack, "node03")
    assert ended.code == 2
    assert {host for host, counts in ended.recap.items() if counts["failed"]} == {"node03"}
    failed = next(event["result"] for event in ended.named("TaskEnded") if event["host"] == "node03" and event["result"].get("failed"))
    assert "eth1" in failed["msg"]
    assert failed["hint"]
