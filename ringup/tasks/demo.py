"""The whole job on a rehearsal rack, with one command."""

from __future__ import annotations

import sys
from pathlib import Path

from invoke.context import Context
from invoke.tasks import task

from ringup.lab import rack
from ringup.lab.inventory import default_path
from ringup.tasks.lab import say
from ringup.tasks.playbook import request_for
from ringup.tasks.running import run_and_exit, shown_errors, whole

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
        path = default_path(NAME)
        rack.up(rack.RackSpec(NAME, whole("--hosts", hosts) or 4, gpus), inventory_file=path, say=say)
        request = request_for(Path("playbooks/provision.yaml"), inventory=[str(path)])
    try:
        run_and_exit(request, report=True)
    finally:
        sys.stdout.write(FAREWELL)
