"""Reboots are reboots, and off is off."""

from __future__ import annotations

from ringup.lab import power, waiting
from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack


def test_reboot_gives_a_new_boot_id_and_keeps_the_disk(rack: Rack, host: LabHost) -> None:
    assert host.ssh("echo kept >kept").returncode == 0
    before = host.boot_id()
    assert lab.reboot(rack, host.name) != before
    assert host.ssh(["cat", "kept"]).stdout == "kept\n"


def test_a_host_comes_back_from_a_reboot_of_its_own(host: LabHost) -> None:
    before = host.boot_id()
    host.ssh(["sudo", "systemctl", "reboot"])
    assert waiting.for_boot(host, other_than=before) != before


def test_a_host_stays_off_after_poweroff_until_it_is_switched_on(rack: Rack, host: LabHost) -> None:
    before = host.boot_id()
    host.ssh(["sudo", "systemctl", "poweroff"])
    assert waiting.until(lambda: not power.is_on(rack, host))
    assert not waiting.listens(host.address, 22)
    assert lab.reboot(rack, host.name) != before
    assert power.is_on(rack, host)
