"""One kernel parameter, in its file and in the running kernel."""

import os

from .. import editing, files
from ..arguments import FALSE, TRUE, ArgumentError, Arguments, option
from ..diff import Diff, shown_content
from ..failure import ModuleFailure


class Args(Arguments):
    """Ensure a kernel parameter in a sysctl file and, when asked, in the running kernel."""

    required_if = (("state", "present", ("value",)),)

    name = option("str", required=True, aliases=("key",), help="the parameter, as in net.core.rmem_max")
    value = option("str", aliases=("val",), help="its value")
    state = option("str", choices=("present", "absent"), default="present", help="whether the file must set it")
    sysctl_file = option("path", default="/etc/sysctl.conf", help="the file, best one of your own in /etc/sysctl.d")
    sysctl_set = option("bool", default=False, help="set it in the running kernel, too, when it differs there")
    reload = option("bool", default=True, help="load the file with sysctl -p when it changed")
    ignoreerrors = option("bool", default=False, help="a parameter that this kernel does not know is no failure")


def check(args, host):
    name = args.name.strip()
    if not name or any(letter in name for letter in " =\n"):
        raise ArgumentError("'%s' is no name of a kernel parameter" % args.name, "write it as in net.core.rmem_max")
    value = None if args.state == "absent" else plain(args.value)
    before = editing.content_of(args.sysctl_file)
    text = (before or b"").decode("utf-8", "surrogateescape")
    after = with_value(text, name, value).encode("utf-8", "surrogateescape")
    diff = Diff(values={"name": name, "value": value}, plan=None)
    if after != (before or b""):
        diff.plan = after
        diff.add(args.sysctl_file, shown_content(before), shown_content(after))
    if args.sysctl_set and value is not None:
        live = running(name, args.ignoreerrors)
        if live is not None and live != value:
            diff.add("%s of the running kernel" % name, live, value)
    return diff


def apply(args, diff, host):
    name, value = diff.values["name"], diff.values["value"]
    before = editing.content_of(args.sysctl_file)
    if args.sysctl_set and value is not None and running(name, args.ignoreerrors) not in (None, value):
        set_running(name, value)
    if diff.plan is None:
        return
    files.replace(args.sysctl_file, diff.plan)
    if args.reload:
        try:
            reload(args, host)
        except ModuleFailure:
            # the file as it was: the next run must find what is still to be done
            files.replace(args.sysctl_file, before) if before is not None else os.unlink(args.sysctl_file)
            raise


def plain(value):
    """A value as the kernel shows it: yes and no as 1 and 0, single blanks between words."""
    word = value.strip().lower()
    if word in TRUE and word not in ("t", "y"):
        return "1"
    if word in FALSE and word not in ("f", "n"):
        return "0"
    return " ".join(value.split())


def with_value(text, name, value):
    """The file's text with the parameter set once, in its old place when it had one; None takes it out. Pure."""
    after = []
    for line in text.splitlines(True):
        key, equals, old = line.partition("=")
        if not equals or key.lstrip().startswith(("#", ";")) or _slashed(key.strip().lstrip("-")) != _slashed(name):
            after.append(line)
        elif value is not None:
            kept = " ".join(old.split()) == value
            after.append(line if kept else "%s=%s\n" % (name, value))
            value = None
    if value is not None:
        if after and not after[-1].endswith("\n"):
            after[-1] += "\n"
        after.append("%s=%s\n" % (name, value))
    return "".join(after)


def _slashed(name):
    """A name as a path below /proc/sys. The first separator decides which of `.` and `/` separates (sysctl(8))."""
    separators = [letter for letter in name if letter in "./"]
    if separators and separators[0] == ".":
        return name.translate({ord("."): "/", ord("/"): "."})
    return name


def running(name, ignore_unknown):
    """The value in the running kernel; None when it does not know the parameter and that is to be ignored."""
    try:
        with open(os.path.join("/proc/sys", _slashed(name))) as stream:
            return " ".join(stream.read().split())
    except FileNotFoundError:
        if ignore_unknown:
            return None
        raise ModuleFailure("this kernel has no parameter %s" % name, hint="load the module that brings it first, or set ignoreerrors")
    except OSError as error:
        raise ModuleFailure("%s cannot be read: %s" % (name, error.strerror), hint="set become: true")


def set_running(name, value):
    """Set a parameter of the running kernel."""
    try:
        with open(os.path.join("/proc/sys", _slashed(name)), "w") as stream:
            stream.write(value + "\n")
    except OSError as error:
        raise refused(name, value, error.strerror)


def refused(name, value, why):
    hints = {
        "Read-only file system": "the host is a container that may not set it: set it on the machine below, or leave sysctl_set out",
        "Permission denied": "set become: true",
        "Operation not permitted": "set become: true",
        "Invalid argument": "the kernel does not take this value",
    }
    return ModuleFailure("the kernel refused %s = %s: %s" % (name, value, why), hint=hints.get(why))


def reload(args, host):
    """Load the file, and name the parameter that the kernel refused."""
    argv = ["sysctl", "-q"] + (["-e"] if args.ignoreerrors else []) + ["-p", args.sysctl_file]
    result = host.run(argv)
    # procps exits 0 although a write was refused; its words tell
    words = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    if result.rc == 0 and not words:
        return
    last = words[-1] if words else "exit code %d" % result.rc
    hint = "set it on the machine below: this host is a container" if "Read-only" in last else "the file %s is as it was" % args.sysctl_file
    raise ModuleFailure("Failed to reload sysctl: %s" % last, hint=hint, rc=result.rc, stderr=result.stderr)
