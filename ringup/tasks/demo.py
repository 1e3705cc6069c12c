"""The whole job on a rehearsal rack, with one command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.context import Context
from invoke.tasks import task

from ringup.tasks.lab import say
from ringup.tasks.later import later
from ringup.tasks.playbook import request_for
from ringup.tasks.running import run_and_exit, shown_errors, whole

if TYPE_CHECKING:
    from ringup.lab import inventory as lab_inventory
    from ringup.lab import rack
else:
    lab_inventory, rack = later("ringup.lab.inventory"), later("ringup.lab.rack")

NAME = "lab"
FAREWELL = """
the rack stays up:
  look inside   invoke lab.ssh node01
  run it again  invoke provision --hosts gpu-rack      (changes nothing)
  break it      invoke lab.fault node03 --link-down eth1, then: invoke verify --hosts gpu-rack
  take it down  invoke lab.down
"""


@task(
    auto_shortflags=False,
    help={"hosts": "how many hosts", "gpus": "what each host has on its PCI bus, simulated: 8xH100, 4xA100-PCIE, none ..."},
)
def demo(_: Context, hosts: str = "4", gpus: str = "8xH100") -> None:
    """Bring up a rehearsal rack, provision it, and verify its ring."""
    with shown_errors():
        path = lab_inventory.default_path(NAME)
        spec = rack.RackSpec(NAME, whole("--hosts", hosts) or 4, gpus)
        if NAME in rack.names() and rack.load(NAME).spec == spec and path.exists():
            say(f"the rack {NAME} is up already and is used as it is")
        else:
            rack.up(spec, inventory_file=path, say=say)
        request = request_for(Path("playbooks/provision.yaml"), inventory=[str(path)])
    try:
        run_and_exit(request, report=True)
    finally:
        sys.stdout.write(FAREWELL)
