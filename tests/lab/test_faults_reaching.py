"""Hosts that cannot be reached, or must not be: each says why and what to do, and the others go on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from playing import inventory, play

from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack

TOUCH = """
- hosts: all
  gather_facts: false
  tasks:
    - copy: {content: "{{ stamp }}\\n", dest: /home/operator/stamp}
    - command: cat /home/operator/stamp
"""


@pytest.mark.parametrize("missing", ["link", "address"])
def test_a_host_that_is_down_is_unreachable_in_time_and_the_others_finish(rack: Rack, host: LabHost, tmp_path: Path, missing: str) -> None:
    changes = {"node01": {"ansible_timeout": 2}}
    if missing == "link":
        lab.fault(rack, "node01", "link-down", "eth0")
    else:
        # an address of the rack's network that no host has
        changes["node01"]["ansible_host"] = host.address.rpartition(".")[0] + ".77"
    played = play(tmp_path, TOUCH, inventory(rack, ("node01", "node02", "node03"), **changes), "-e", f"stamp={missing}")
    assert played.code == 4
    (told,) = played.results("node01")
    assert told["unreachable"]
    address = changes["node01"].get("ansible_host", host.address)
    assert told["msg"] in (f"no answer from {address}:22 within 2 s", f"cannot connect to {address}:22: No route to host")
    assert "is the host up" in told["hint"]
    assert played.counted("node01") == {"unreachable": 1}
    for other in ("node02", "node03"):
        assert played.counted(other) == {"ok": 2, "changed": 2}
        assert rack.host(other).ssh("cat stamp").stdout == f"{missing}\n"
    assert "Traceback" not in played.stdout + played.stderr
