"""A kernel module, loaded now and at every boot."""

import os
import re

from .. import files
from ..arguments import Arguments, option
from ..diff import Diff, shown_content
from ..editing import content_of

LOADED_AT_BOOT = "/etc/modules-load.d"
OPTIONS = "/etc/modprobe.d"


class Args(Arguments):
    """Ensure that a kernel module is loaded, or is not, now and at boot."""

    name = option("str", required=True, help="the module, as in nvidia_peermem")
    state = option("str", choices=("present", "absent"), default="present", help="whether it must be loaded now")
    params = option("str", default="", help="its parameters; they matter when it is loaded")
    persistent = option(
        "str",
        choices=("disabled", "present", "absent"),
        default="disabled",
        help="present: loaded at boot, with its parameters; absent: not; disabled: files are left alone",
    )


def check(args, host):
    diff = Diff(values={"name": args.name, "params": args.params, "state": args.state}, plan={})
    now = loaded(args.name)
    if now != (args.state == "present"):
        diff.add("module %s" % args.name, "loaded" if now else "not loaded", "loaded" if args.state == "present" else "not loaded")
    for path, after in boot_files(args).items():
        before = content_of(path)
        diff.add(path, shown_content(before), shown_content(after))
        diff.plan[path] = after
    return diff


def apply(args, diff, host):
    wanted = args.state == "present"
    if loaded(args.name) != wanted:
        argv = ["modprobe", args.name] + args.params.split() if wanted else ["modprobe", "-r", args.name]
        host.must(argv, "%s module %s" % ("loading" if wanted else "unloading", args.name))
    for path, content in diff.plan.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.replace(path, content)


def loaded(name):
    """Is the module in the running kernel, loaded or built in?"""
    word = name.replace("-", "_")
    try:
        with open("/proc/modules") as stream:
            if any(line.split(" ", 1)[0] == word for line in stream):
                return True
    except FileNotFoundError:
        pass  # a kernel without loadable modules
    try:
        with open("/lib/modules/%s/modules.builtin" % os.uname().release) as stream:
            return any(os.path.basename(line.strip()).split(".ko")[0].replace("-", "_") == word for line in stream)
    except FileNotFoundError:
        return False


def boot_files(args, load_folder=LOADED_AT_BOOT, options_folder=OPTIONS):
    """The files that must change for the module at boot, and their new content."""
    if args.persistent == "disabled":
        return {}
    load_line = re.compile(r"^\s*%s\s*$" % _pattern(args.name))
    options_line = re.compile(r"^\s*options\s+%s\s+(?P<params>.+?)\s*$" % _pattern(args.name))
    if args.persistent == "absent":
        return dict(_commented(load_folder, load_line), **_commented(options_folder, options_line))
    changed = {}
    if not any(load_line.match(line) for _, lines in _lines(load_folder) for line in lines):
        path = os.path.join(load_folder, args.name + ".conf")
        changed[path] = (content_of(path) or b"") + ("%s\n" % args.name).encode()
    given = [match.group("params") for _, lines in _lines(options_folder) for match in map(options_line.match, lines) if match]
    if args.params and given != [args.params]:
        changed.update(_commented(options_folder, options_line))
        path = os.path.join(options_folder, args.name + ".conf")
        changed[path] = changed.get(path, content_of(path) or b"") + ("options %s %s\n" % (args.name, args.params)).encode()
    return changed


def _pattern(name):
    """modprobe takes - and _ for the same."""
    return re.sub("[-_]", "[-_]", re.escape(name).replace("\\-", "-").replace("\\_", "_"))


def _lines(folder):
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith(".conf") and os.path.isfile(path):
            yield path, content_of(path).decode("utf-8", "surrogateescape").splitlines()


def _commented(folder, pattern):
    """The files of a folder in which a line matches, with those lines made comments."""
    changed = {}
    for path, lines in _lines(folder):
        if any(pattern.match(line) for line in lines):
            after = ["#" + line if pattern.match(line) else line for line in lines]
            changed[path] = "".join(line + "\n" for line in after).encode("utf-8", "surrogateescape")
    return changed
