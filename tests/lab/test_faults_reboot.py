"""A reboot is a new boot in the middle of a play; a host that stays away is told from one that failed."""

from __future__ import annotations

from pathlib import Path

from playing import inventory, play

from ringup.lab import power, waiting
from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack


def test_the_play_goes_on_after_a_reboot_in_a_new_boot(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    before = host.boot_id()
    playbook = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - reboot: {reboot_timeout: 60}
    - command: cat /proc/sys/kernel/random/boot_id
"""
    played = play(tmp_path, playbook, inventory(rack, ("node01", "node02")), "--limit", "node01")
    assert played.code == 0, played.results()
    rebooted, after = played.results()
    assert rebooted["rebooted"]
    assert rebooted["changed"]
    assert after["stdout"] == host.boot_id() != before


def test_a_host_that_does_not_come_back_from_its_reboot_is_unreachable(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    playbook = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - reboot: {reboot_command: systemctl poweroff, reboot_timeout: 4, connect_timeout: 1}
      when: inventory_hostname == 'node01'
    - ping:
"""
    try:
        played = play(tmp_path, playbook, inventory(rack, ("node01", "node02")))
        assert waiting.until(lambda: not power.is_on(rack, host))
    finally:
        lab.reboot(rack, "node01")
    assert played.code == 4
    (told,) = played.results()
    assert told["unreachable"]
    assert told["msg"].startswith("the host did not come back from its reboot within 4 s: ")
    assert "console" in told["hint"]
    assert played.counted() == {"unreachable": 1}
    assert played.counted("node02") == {"ok": 1, "skipped": 1}
