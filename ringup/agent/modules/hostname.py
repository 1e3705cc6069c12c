"""The host's name, now and at the next boot."""

import os
import re
import shutil
import socket

from .. import files
from ..arguments import ArgumentError, Arguments, option
from ..diff import Diff
from ..editing import content_of

NAME_FILE = "/etc/hostname"
#: Source: HOST_NAME_MAX of Linux, and RFC 1123 for the letters
NAME = re.compile(r"^(?=.{1,64}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$")


class Args(Arguments):
    """Ensure the host's name."""

    name = option("str", required=True, help="the name")
    use = option(
        "str",
        choices=("systemd", "debian", "alpine"),
        help="systemd: by hostnamectl; debian and alpine: /etc/hostname and the kernel; without it: systemd where it runs",
    )


def check(args, host):
    if not NAME.match(args.name):
        raise ArgumentError("'%s' is no host name" % args.name, "letters, digits, - and ., at most 64 in all")
    diff = Diff(values={"name": args.name, "ansible_facts": facts(args.name)})
    current, permanent = os.uname().nodename, kept_name()
    if current != args.name:
        diff.add("host name", current, args.name)
    if permanent != args.name:
        diff.add(NAME_FILE, permanent, args.name)
    return diff


def apply(args, diff, host):
    if (args.use or running_init()) == "systemd":
        host.must(["hostnamectl", "set-hostname", args.name], "setting the host name")
        return
    if kept_name() != args.name:
        files.replace(NAME_FILE, (args.name + "\n").encode())
    if os.uname().nodename != args.name:
        socket.sethostname(args.name)


def running_init():
    """`systemd` where it runs and can be asked, else `debian` for the file alone."""
    return "systemd" if os.path.isdir("/run/systemd/system") and shutil.which("hostnamectl") else "debian"


def kept_name():
    """The name that the next boot will give; empty when there is none."""
    lines = (content_of(NAME_FILE) or b"").decode("utf-8", "replace").splitlines()
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return names[0] if names else ""


def facts(name):
    """The facts that follow the name at once."""
    short, _, domain = name.partition(".")
    return {"ansible_hostname": short, "ansible_nodename": name, "ansible_fqdn": name, "ansible_domain": domain}
