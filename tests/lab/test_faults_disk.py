"""A full disk: nothing is half written, and room is all that a second run needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playing import inventory, play

from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack

SMALL_BYTES, LARGE_BYTES = 100_000, 20 << 20


@pytest.mark.parametrize("size", [SMALL_BYTES, LARGE_BYTES])
def test_a_copy_that_finds_no_room_leaves_the_old_file_and_nothing_else(rack: Rack, host: LabHost, tmp_path: Path, size: int) -> None:
    source = tmp_path / "new"
    source.write_bytes(b"n" * size)
    for name in ("node01", "node02"):
        rack.host(name).ssh("sudo rm -rf /opt/here; sudo mkdir /opt/here; echo old | sudo tee /opt/here/file")
    playbook = f"""
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - copy: {{src: {source}, dest: /opt/here/file}}
    - ping:
"""
    lab.fault(rack, "node01", "disk-full")
    full = play(tmp_path / "full", playbook, inventory(rack, ("node01", "node02")))
    assert full.code == 2
    (told,) = full.results()
    assert told["failed"]
    assert "No space left on device" in told["msg"]
    assert "df -h" in told["hint"]
    assert full.counted() == {"failed": 1}
    assert full.counted("node02") == {"ok": 2, "changed": 1}
    assert host.ssh("ls -A /opt/here").stdout == "file\n"
    assert host.ssh("cat /opt/here/file").stdout == "old\n"
    uploads = "sudo find /tmp /var/tmp /run /dev/shm -xdev -name 'upload-*'"
    assert host.ssh(uploads).stdout == ""
    lab.clear(rack, "node01")
    again = play(tmp_path / "again", playbook, inventory(rack))
    assert again.counted() == {"ok": 2, "changed": 1}, again.results()
    assert host.ssh("stat -c %s /opt/here/file; ls -A /opt/here").stdout == f"{size}\nfile\n"
    assert play(tmp_path / "third", playbook, inventory(rack)).counted() == {"ok": 2}
