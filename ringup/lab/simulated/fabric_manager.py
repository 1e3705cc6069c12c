#!/usr/bin/python3
"""nv-fabricmanager of the rehearsal rack: runs only beside a driver of exactly its own version, as the real one does."""

import signal
import sys
from pathlib import Path

VERSION = "@VERSION@"
LOADED = Path("/sys/module/nvidia/version")


def main() -> int:
    loaded = LOADED.read_text().strip() if LOADED.exists() else "none"
    if loaded != VERSION:
        sys.stderr.write(
            f"fabric manager NVIDIA GPU driver interface version {VERSION} don't match with driver version {loaded}. "
            "Please update with matching NVIDIA driver package.\n"
        )
        return 1
    sys.stdout.write("Successfully configured all the available NVSwitches to route GPU NVLink traffic.\n")
    sys.stdout.flush()
    signal.sigwait((signal.SIGTERM, signal.SIGINT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
