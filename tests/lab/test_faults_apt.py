"""apt in other hands, and apt broken off: who holds the lock is said, and a second run mends what is half done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playing import Play, inventory, play

from ringup.lab import rack as lab
from ringup.lab import waiting
from ringup.lab.rack import LabHost, Rack

#: small, without dependencies, and not in the image
PACKAGE = "hello"


def installing(**options: object) -> str:
    more = "".join(f", {name}: {value}" for name, value in options.items())
    return f"""
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - apt: {{name: {PACKAGE}, state: present, update_cache: true, cache_valid_time: 3600{more}}}
    - command: {PACKAGE}
      changed_when: false
"""


@pytest.fixture(autouse=True)
def absent(host: LabHost) -> Iterator[None]:
    host.ssh(["sudo", "dpkg", "--purge", PACKAGE])
    yield


def test_apt_names_the_holder_of_its_lock_and_fails_at_its_limit(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    lab.fault(rack, "node01", "apt-lock")
    holder = host.ssh(["pgrep", "-x", "unattended-upgr"]).stdout.strip()
    assert holder
    played = play(tmp_path, installing(lock_timeout=2), inventory(rack))
    assert played.code == 2
    (told,) = played.results()
    assert told["msg"] == f"apt's lock /var/lib/dpkg/lock-frontend is still held by PID {holder} unattended-upgr after 2 s"
    assert f"ps -fp {holder}" in told["hint"]
    assert "lock_timeout" in told["hint"]
    lines = [event["line"] for event in played.events if event["event"] == "TaskProgressed"]
    assert any(f"held by PID {holder} unattended-upgr" in line for line in lines), lines
    assert host.ssh(["dpkg", "-s", PACKAGE]).returncode != 0


def test_apt_goes_on_when_its_lock_is_let_go_while_it_waits(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    lab.fault(rack, "node01", "apt-lock")
    with Play(tmp_path, installing(), inventory(rack)) as running:
        running.wait_for(lambda event: event["event"] == "TaskProgressed" and "unattended-upgr" in event["line"])
        lab.clear(rack, "node01")
        played = running.end()
    assert played.code == 0, played.results()
    assert played.counted() == {"ok": 2, "changed": 1}


def test_a_controller_that_is_killed_in_the_middle_of_apt_leaves_nothing_that_a_second_run_does_not_mend(
    rack: Rack, host: LabHost, tmp_path: Path
) -> None:
    with Play(tmp_path / "killed", installing(), inventory(rack)) as running:
        running.until(lambda: host.ssh(["pgrep", "-x", "apt-get|dpkg"]).returncode == 0)
        running.kill()
    again = play(tmp_path / "again", installing(), inventory(rack))
    assert again.code == 0, again.results()
    assert again.results()[1]["stdout"] == "Hello, world!"
    assert host.ssh(["dpkg", "--audit"]).stdout == ""
    assert host.ssh(["sudo", "apt-get", "check"]).returncode == 0
    assert play(tmp_path / "third", installing(), inventory(rack)).counted() == {"ok": 2}
    assert waiting.until(lambda: host.ssh(["pgrep", "-f", "RINGUP-[B]OOT"]).stdout == "")
