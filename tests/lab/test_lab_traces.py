"""A rack leaves nothing on the machine: after `down`, after Ctrl-C, after `kill -9` at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from traces import settings, traces

from ringup.errors import LabError, UsageError
from ringup.lab import power, processes, waiting
from ringup.lab import rack as lab
from ringup.lab.rack import RackSpec

# of a name that no other rack of the machine has, whoever else tests here
SMALL = f"{os.environ.get('RINGUP_TEST_RACK', 'test')[:8]}2"


@pytest.fixture
def nothing() -> Iterator[None]:
    """No trace of the small rack before the test, and none after it."""
    lab.down(SMALL)
    assert traces(SMALL) == {}
    yield
    lab.down(SMALL)
    assert traces(SMALL) == {}


def begin_up() -> subprocess.Popen[bytes]:
    """`lab.up` of the small rack in a process of its own."""
    program = f"from ringup.lab import rack; rack.up(rack.RackSpec({SMALL!r}, hosts=3, gpus='none'))"
    return subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)


def begin_down() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", f"from ringup.lab import rack; rack.down({SMALL!r})"], stderr=subprocess.DEVNULL)


def has(kind: str) -> Callable[[], bool]:
    return lambda: kind in traces(SMALL)


@pytest.mark.usefixtures("nothing")
def test_down_removes_all_that_up_made_and_once_more_does_no_harm() -> None:
    before = settings()
    made = lab.up(RackSpec(SMALL, hosts=2, gpus="none"))
    assert set(traces(SMALL)) == {"namespaces", "links", "tables", "mounts", "cgroups", "processes", "files"} | (
        {"loops"} if has("loops")() else set()
    )
    assert made.host("node02").ssh(["true"]).returncode == 0
    assert lab.down(SMALL) is True
    assert traces(SMALL) == {}
    assert settings() == before
    assert lab.down(SMALL) is False


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("moment", ["files", "links", "mounts", "processes"])
def test_down_removes_what_a_killed_up_left(moment: str) -> None:
    up = begin_up()
    assert waiting.until(has(moment))
    up.kill()
    up.wait()
    with pytest.raises(LabError, match="is not whole"):
        lab.load(SMALL)
    lab.down(SMALL)
    assert traces(SMALL) == {}


@pytest.mark.usefixtures("nothing")
def test_a_rack_that_was_killed_half_made_is_not_made_over_but_named() -> None:
    up = begin_up()
    assert waiting.until(has("mounts"))
    up.kill()
    up.wait()
    with pytest.raises(LabError) as refused:
        lab.up(RackSpec(SMALL, hosts=1, gpus="none"))
    assert refused.value.hint == f"take it down first: invoke lab.down --name {SMALL}"


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("gone", ["processes", "namespaces", "mounts"])
def test_down_finishes_what_a_killed_down_began(gone: str) -> None:
    lab.up(RackSpec(SMALL, hosts=3, gpus="none"))
    down = begin_down()
    assert waiting.until(lambda: gone not in traces(SMALL))
    down.kill()
    down.wait()
    lab.down(SMALL)
    assert traces(SMALL) == {}


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("moment", ["links", "processes"])
def test_interrupted_up_removes_what_it_made(moment: str) -> None:
    up = begin_up()
    assert waiting.until(has(moment))
    up.send_signal(signal.SIGINT)
    assert up.wait(timeout=60) != 0
    assert traces(SMALL) == {}


@pytest.mark.usefixtures("nothing")
def test_a_host_that_lost_its_supervisor_is_switched_off_and_on() -> None:
    made = lab.up(RackSpec(SMALL, hosts=1, gpus="none"))
    handle = processes.recorded(made.folder / "processes" / "node01.json")
    assert handle is not None
    before = made.host("node01").boot_id()
    processes.kill(handle)
    assert not power.is_on(made, made.host("node01"))
    assert lab.reboot(made, "node01") != before


@pytest.mark.usefixtures("nothing")
def test_two_racks_live_side_by_side(rack: lab.Rack) -> None:
    second = lab.up(RackSpec(SMALL, hosts=2, gpus="none"))
    assert second.index != rack.index
    assert second.host("node01").ssh(["hostname"]).stdout == "node01\n"
    assert {rack.name, SMALL} <= set(lab.names())
    lab.down(SMALL)
    assert rack.host("node01").ssh(["ping", "-c", "1", "-W", "5", "node02"]).returncode == 0


@pytest.mark.usefixtures("nothing")
def test_the_inventory_is_written_with_the_rack_and_goes_with_it(tmp_path: Path) -> None:
    mine = tmp_path / "inventory" / "lab.yaml"
    lab.up(RackSpec(SMALL, hosts=1, gpus="none"), inventory_file=mine)
    assert "gpu-rack:" in mine.read_text()
    lab.down(SMALL)
    assert not mine.exists()


@pytest.mark.usefixtures("nothing")
def test_an_inventory_that_somebody_made_their_own_stays(tmp_path: Path) -> None:
    mine = tmp_path / "lab.yaml"
    lab.up(RackSpec(SMALL, hosts=1, gpus="none"), inventory_file=mine)
    mine.write_text("# mine\n" + mine.read_text())
    lab.down(SMALL)
    assert mine.exists()


@pytest.mark.usefixtures("nothing")
def test_a_plain_rack_serves_the_same_and_leaves_as_little() -> None:
    made = lab.up(RackSpec(SMALL, hosts=2, gpus="none", plain=True))
    host = made.host("node01")
    assert host.ssh(["id", "-un"]).stdout == "operator\n"
    assert host.ssh(["hostname"], user="root").stdout == "node01\n"
    assert host.ssh(["ls", "/sys/class/net"]).stdout.split() == ["eth0", "eth1", "lo"]
    assert host.ssh(["ping", "-c", "1", "-W", "5", "node02-ring"], user="root").returncode == 0
    before = host.boot_id()
    assert lab.reboot(made, "node01") != before
    with pytest.raises(LabError, match="nothing but its sshd"):
        lab.fault(made, "node01", "kill-sshd")
    lab.fault(made, "node01", "disk-full")
    assert "No space left" in host.ssh("head -c 100000 /dev/zero >filler").stderr
    lab.down(SMALL)
    assert traces(SMALL) == {}


@pytest.mark.parametrize("name", ["", "Lab", "1st", "much-too-long", "a/b", "lab-", "-lab"])
def test_a_name_that_no_interface_could_carry_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        RackSpec(name)
