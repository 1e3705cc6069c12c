"""Where the agent begins: its streams made private, itself announced, its loop served."""

import os
import pwd
import sys

from . import environment
from .loop import Agent
from .wire import ANNOUNCEMENT, PROTOCOL


def main(nonce):
    """Announce the agent on standard output and serve frames until the controller leaves."""
    inward, outward = _private_streams()
    os.write(outward, (ANNOUNCEMENT % nonce).encode())
    user = pwd.getpwuid(os.getuid())
    environment.settle(user.pw_dir)
    agent = Agent(inward, outward)
    try:
        agent.send(ready(user))
        agent.serve()
    except Exception:  # noqa: BLE001 - a fault of ours reaches the operator as words, not as silence
        import traceback

        agent.report_fault(traceback.format_exc())


def _private_streams():
    """Frames get descriptors of their own, so that no program of a task can write into them."""
    inward, outward = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    return inward, outward


def ready(user):
    """The first frame: who and where the agent is."""
    with open("/proc/sys/kernel/random/boot_id") as stream:
        boot_id = stream.read().strip()
    return {
        "type": "ready",
        "protocol": PROTOCOL,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "executable": sys.executable,
        "user": user.pw_name,
        "uid": user.pw_uid,
        "home": user.pw_dir,
        "boot_id": boot_id,
        "pid": os.getpid(),
    }
