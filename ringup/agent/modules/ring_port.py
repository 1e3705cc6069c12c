"""Is this host ready for the ring: its address, its interface, a free port."""

import os
import socket

from ..arguments import Arguments, option
from ..failure import ModuleFailure


class Args(Arguments):
    """Find a free port on the ring address, and tell what stands in the ring's way (used by verify_ring)."""

    address = option("str", required=True, help="ring address of this host")
    interface = option("str", help="interface that must carry it")


def read(args, host):
    if args.interface:
        state = link_state(args.interface)
        if state is None:
            raise ModuleFailure(
                "there is no interface %s" % args.interface,
                hint="set ring_interface to one of: %s" % ", ".join(sorted(os.listdir("/sys/class/net"))),
            )
        if state == "down":
            raise ModuleFailure("interface %s is down" % args.interface, hint="bring it up: ip link set %s up" % args.interface)
    family = socket.AF_INET6 if ":" in args.address else socket.AF_INET
    probe = socket.socket(family, socket.SOCK_STREAM)
    try:
        probe.bind((args.address, 0))
        port = probe.getsockname()[1]
    except OSError as error:
        raise ModuleFailure(
            "address %s is not on this host (%s)" % (args.address, error.strerror),
            hint="set ring_address to the host's own address on the ring",
        )
    finally:
        probe.close()
    return {"changed": False, "port": port, "shm_free_bytes": shm_free()}


def link_state(interface):
    """`up`, `down`, or None when there is no such interface; an `unknown` operstate (loopback, tun) counts as up."""
    folder = "/sys/class/net/%s" % interface
    if not os.path.isdir(folder):
        return None
    with open(os.path.join(folder, "operstate")) as stream:
        return "down" if stream.read().strip() in ("down", "lowerlayerdown") else "up"


def shm_free():
    try:
        space = os.statvfs("/dev/shm")
    except OSError:
        return 0
    return space.f_bavail * space.f_frsize
