"""Each fault hurts the way its name says, and `clear` mends all of them."""

from __future__ import annotations

import subprocess

import pytest

from ringup.errors import UsageError
from ringup.lab import faults, inside, ssh, waiting
from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack


def test_link_down_is_a_pulled_cable_that_link_up_puts_back(rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "link-down", "eth1")
    assert host.ssh(["cat", "/sys/class/net/eth1/carrier"]).stdout == "0\n"
    assert host.ssh(["ping", "-c", "1", "-W", "1", "node02-ring"]).returncode == 1
    lab.mend_link(rack, host.name, "eth1")
    assert waiting.until(lambda: host.ssh(["ping", "-c", "1", "-W", "1", "node02-ring"]).returncode == 0)
    assert faults.recorded(rack) == []


def test_without_its_management_link_a_host_does_not_answer(rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "link-down", "eth0")
    assert not waiting.listens(host.address, 22)
    lab.clear(rack, host.name)
    assert waiting.for_boot(host)


def test_kill_sshd_ends_open_sessions_and_refuses_new_ones(rack: Rack, host: LabHost) -> None:
    session = subprocess.Popen(
        ssh.command(host.login, "operator", "echo ready; exec sleep 600"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert session.stdout
    assert session.stdout.readline() == b"ready\n"
    lab.fault(rack, host.name, "kill-sshd")
    assert session.wait(timeout=30) == 255
    session.stdout.close()
    assert not waiting.listens(host.address, 22)
    lab.clear(rack, host.name)
    assert host.ssh(["pgrep", "-x", "sleep"]).returncode == 1


def test_disk_full_leaves_no_room_for_root_either_until_cleared(rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "disk-full")
    for folder in ("/opt", "/var/lib", "/etc"):
        full = host.ssh(f"sudo sh -c 'head -c 100000 /dev/zero >{folder}/filler'")
        assert "No space left on device" in full.stderr
    lab.clear(rack, host.name)
    assert host.ssh("sudo sh -c 'head -c 100000 /dev/zero >/opt/filler && rm /opt/filler'").returncode == 0


def test_apt_lock_is_held_by_a_process_that_apt_names(rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "apt-lock")
    refused = host.ssh("sudo apt-get -o DPkg::Lock::Timeout=1 install -y less")
    assert refused.returncode == 100
    assert "(unattended-upgr)" in refused.stdout + refused.stderr
    lab.clear(rack, host.name)
    assert "lock" not in host.ssh("sudo apt-get -o DPkg::Lock::Timeout=1 check").stderr


def test_clear_undoes_all_faults_of_a_host_and_no_others(rack: Rack, host: LabHost) -> None:
    for kind, value in (("apt-lock", ""), ("disk-full", ""), ("link-down", "eth1"), ("kill-sshd", "")):
        lab.fault(rack, host.name, kind, value)
    lab.fault(rack, "node02", "link-down", "eth1")
    assert [known.kind for known in lab.clear(rack, host.name)] == ["apt-lock", "disk-full", "link-down", "kill-sshd"]
    assert faults.recorded(rack) == [faults.Fault("node02", "link-down", "eth1")]
    lab.clear(rack, "node02")
    assert waiting.until(lambda: host.ssh(["ping", "-c", "1", "-W", "1", "node02-ring"]).returncode == 0)
    assert host.ssh("echo room >room").returncode == 0


def test_a_fault_outlives_a_reboot_where_its_like_would(rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "link-down", "eth1")
    lab.fault(rack, host.name, "kill-sshd")
    before = inside.run(rack, host, "cat", "/proc/sys/kernel/random/boot_id").stdout.strip()
    inside.run(rack, host, "systemctl", "reboot")
    assert waiting.for_boot(host, other_than=before)  # sshd is started by the boot
    assert host.ssh(["cat", "/sys/class/net/eth1/carrier"]).stdout == "0\n"  # nobody put the cable back


@pytest.mark.parametrize(
    ("name", "kind", "value"), [("node99", "disk-full", ""), ("node01", "link-down", "eth7"), ("node01", "link-down", "")]
)
def test_a_fault_on_what_is_not_there_is_refused(rack: Rack, name: str, kind: faults.FaultKind, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        lab.fault(rack, name, kind, value)
    assert refused.value.hint
    assert faults.recorded(rack) == []
