#!/usr/bin/python3
"""nv-fabricmanager of the rehearsal rack: runs only where there are NVSwitches and a driver of exactly its own version, as the real one."""

import os
import signal
import socket
import sys
from pathlib import Path

VERSION = "@VERSION@"
LOADED = Path("/sys/module/nvidia/version")
DEVICES = Path("/sys/bus/pci/devices")


def refusal() -> str:
    """Why it cannot run, in the real one's words; empty where it can."""
    loaded = LOADED.read_text().strip() if LOADED.exists() else ""
    if not loaded:
        return "request to query NVSwitch device information from NVSwitch driver failed with error:ERROR Driver not loaded"
    if loaded != VERSION:
        return (
            f"fabric manager NVIDIA GPU driver interface version {VERSION} don't match with driver version {loaded}. "
            "Please update with matching NVIDIA driver package."
        )
    if not any((place / "class").read_text().startswith("0x0680") for place in DEVICES.glob("*")):
        return (
            "request to query NVSwitch device information from NVSwitch driver failed with error:"
            "WARNING Nothing to do [NV_WARN_NOTHING_TO_DO]"
        )
    return ""


def ready() -> None:
    """Tell systemd that it runs, so that a start which fails is one."""
    place = os.environ.get("NOTIFY_SOCKET", "")
    if place:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(b"READY=1", place.replace("@", "\0", 1))


def main() -> int:
    refused = refusal()
    if refused:
        sys.stderr.write(refused + "\n")
        return 1
    sys.stdout.write("Successfully configured all the available NVSwitches to route GPU NVLink traffic.\n")
    sys.stdout.flush()
    ready()
    signal.sigwait((signal.SIGTERM, signal.SIGINT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
