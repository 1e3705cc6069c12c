"""Folders, links, absence, and the owner, group, mode and times of what is there."""

import os
import shutil
import tempfile

from .. import files
from ..arguments import ArgumentError, FileAttributes, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..timestamps import set_times, time_changes, wanted_times

#: paths of a folder about to go that are listed in its diff
LISTED = 100


class Args(FileAttributes):
    """Ensure a folder, a link, an empty file or the absence of a path, with its owner, group and mode."""

    path = option("path", required=True, aliases=("dest", "name"), help="the path")
    state = option(
        "str",
        choices=("absent", "directory", "file", "hard", "link", "touch"),
        help="what must be there; without it: what is there now (directory with recurse, else file)",
    )
    src = option("path", help="what a link or hard link leads to; relative to the link")
    recurse = option("bool", default=False, help="owner, group and mode for everything in the folder, too")
    force = option("bool", default=False, help="make a link to nothing, and put a link in the place of a file or an empty folder")
    follow = option("bool", default=True, help="owner, group and mode are those of what a link leads to")
    modification_time = option("str", help="now, preserve, or a time in modification_time_format")
    modification_time_format = option("str", default="%Y%m%d%H%M.%S", help="format of modification_time (strftime)")
    access_time = option("str", help="now, preserve, or a time in access_time_format")
    access_time_format = option("str", default="%Y%m%d%H%M.%S", help="format of access_time (strftime)")


def AT_ONCE(args):  # noqa: N802 - the name that ringup.agent.task asks for
    """A tree may be large: what walks it must not stand in the way of the agent's heartbeat."""
    return not args.recurse


def check(args, host):
    state, path = resolved(args)
    diff = Diff(values={"path" if state in ("absent", "directory", "file") else "dest": path})
    diff.plan = DECIDERS[state](args, path, diff)
    if state == "absent":
        diff.values["state"] = "absent"
    else:
        diff.values.update(files.path_values(path))
    return diff


def apply(args, diff, host):
    for step in diff.plan:
        step()
    path = diff.values.get("path") or diff.values["dest"]
    return files.path_values(path) or {"state": "absent"}


def resolved(args):
    """The state that is meant and the path that it is about.

    Raises:
        ArgumentError: options that contradict each other.
    """
    state, path = args.state, args.path
    if state not in ("link", "absent") and args.src and os.path.isdir(path):
        path = os.path.join(path, os.path.basename(args.src))
    current = files.state_of(path)
    if state is None:
        state = current if current != "absent" else "directory" if args.recurse else "file"
    if args.recurse and state != "directory":
        raise ArgumentError("recurse option requires state to be 'directory'", "add state: directory")
    if args.src and state not in ("link", "hard"):
        raise ArgumentError("src option requires state to be 'link' or 'hard'", "add state: link, or use the copy module")
    return state, path


def _settled(args, path, diff, default="preserve"):
    """Compare attributes and times of an existing path; gives the steps that set them."""
    times = wanted_times(args, default)
    if not os.path.exists(path) and args.follow:
        # a link to nothing has no attributes to set, and its target none yet
        return []
    files.attribute_changes(path, args, diff, follow=args.follow)
    time_changes(path, times, diff)
    return [lambda: files.apply_attributes(path, args, follow=args.follow), lambda: set_times(path, times)]


def _decide_file(args, path, diff):
    current = files.state_of(path)
    if args.follow and current == "link":
        path = os.path.realpath(path)
        current = files.state_of(path)
        diff.values["path"] = path
    if current not in ("file", "hard"):
        raise ModuleFailure(
            "file (%s) is %s, cannot continue" % (path, current),
            hint="use state: touch or the copy module to create a file, state: directory for a folder",
            path=path,
            state=current,
        )
    return _settled(args, path, diff)


def _decide_directory(args, path, diff):
    current = files.state_of(path)
    if args.follow and current == "link":
        path = os.path.realpath(path)
        current = files.state_of(path)
        diff.values["path"] = path
    if current == "absent":
        missing = files.missing_folders(path)
        for folder in missing:
            diff.add(folder, "absent", "directory")
        times = wanted_times(args, "preserve")
        return [_maker(folder, args) for folder in missing] + [lambda: set_times(path, times)]
    if current != "directory":
        raise ModuleFailure("%s already exists as a %s" % (path, current), hint="remove it first with state: absent", path=path)
    steps = _settled(args, path, diff)
    return steps + _decide_tree(args, path, diff, {os.path.realpath(path)}) if args.recurse else steps


def _maker(folder, args):
    return lambda: files.make_folder(folder, args, args.mode)


def _decide_tree(args, top, diff, seen):
    """Compare everything below a folder; links are followed once each, so that a circle of links ends."""
    steps = []  # type: list
    for root, folders, names in os.walk(top):
        for name in folders + names:
            path = os.path.join(root, name)
            link = os.path.islink(path)
            _decide_member(args, path, diff, steps, follow=not link)
            if link and args.follow and os.path.exists(path) and os.path.realpath(path) not in seen:
                target = os.path.realpath(path)
                seen.add(target)
                _decide_member(args, target, diff, steps, follow=True)
                if os.path.isdir(target):
                    steps.extend(_decide_tree(args, target, diff, seen))
    return steps


def _decide_member(args, path, diff, steps, follow):
    before = len(diff.changes)
    files.attribute_changes(path, args, diff, follow=follow)
    if len(diff.changes) > before:
        steps.append(lambda: files.apply_attributes(path, args, follow=follow))


def _decide_absent(args, path, diff):
    current = files.state_of(path)
    if current == "absent":
        return []
    if os.path.realpath(path) == "/" and current == "directory":
        raise ModuleFailure("refusing to remove %s: it is the root of the file system" % path, hint="check the variables of the path")
    diff.add(path, _listed(path) if current == "directory" else current, "absent")
    return [lambda: shutil.rmtree(path) if current == "directory" else os.unlink(path)]


def _listed(path):
    """The folder and what is in it, for the diff."""
    lines = ["directory"]
    for root, folders, names in os.walk(path):
        lines.extend(os.path.join(root, name) for name in sorted(folders + names))
        if len(lines) > LISTED:
            return "\n".join(lines[:LISTED] + ["..."]) + "\n"
    return "\n".join(lines) + "\n"


def _decide_touch(args, path, diff):
    if files.state_of(path) != "absent":
        return _settled(args, path, diff, default="now")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ModuleFailure("could not touch %s: the folder %s does not exist" % (path, folder), hint="create it with state: directory")
    diff.add(path, "absent", "file")
    times = wanted_times(args, "now")
    return [lambda: open(path, "ab").close(), lambda: files.apply_attributes(path, args), lambda: set_times(path, times)]


def _decide_link(args, path, diff):
    current = files.state_of(path)
    src = args.src
    if src is None and current == "link":
        src = os.readlink(path)
    diff.values["src"] = src
    if src is None:
        raise ModuleFailure("src is required for creating new symlinks", hint="say with src where the link leads", path=path)
    base = path if current == "directory" else os.path.dirname(path)
    if not args.force and args.src is not None and not os.path.exists(os.path.join(base, src)):
        raise ModuleFailure(
            "src file does not exist, use 'force=yes' if you really want to create the link: %s" % os.path.join(base, src),
            hint="create it first, or set force: true",
            path=path,
            src=src,
        )
    if current == "directory" and args.force and os.listdir(path):
        raise ModuleFailure("the directory %s is not empty, refusing to convert it" % path, hint="remove it first with state: absent")
    if current not in ("absent", "link") and not args.force:
        raise ModuleFailure("refusing to convert from %s to symlink for %s" % (current, path), hint="set force: true, or remove it first")
    steps = []
    if current != "link" or os.readlink(path) != src:
        diff.add(path, "link to %s" % os.readlink(path) if current == "link" else current, "link to %s" % src)
        steps.append(lambda: _replaced(path, current, lambda temporary: os.symlink(src, temporary)))
    target = path if not args.follow else os.path.realpath(os.path.join(os.path.dirname(path), src))
    if args.follow or not steps:
        return steps + (_settled(args, target, diff) if os.path.lexists(target) else [])
    return steps + [lambda: files.apply_attributes(path, args, follow=False)]


def _decide_hard(args, path, diff):
    current = files.state_of(path)
    src = args.src
    diff.values["src"] = src
    if src is None and current != "hard":
        raise ModuleFailure("src is required for creating new hardlinks", hint="say with src which file", path=path)
    if src is not None and not os.path.exists(src):
        raise ModuleFailure("src does not exist", hint="create %s first" % src, dest=path, src=src)
    same = src is None or (current != "absent" and os.path.exists(path) and os.path.samefile(path, src))
    steps = []
    if not same or current == "link":
        if current not in ("absent", "link") and not args.force:
            kind = "different hard link" if current == "hard" else current
            raise ModuleFailure("Cannot link, %s exists at destination" % kind, hint="set force: true", dest=path, src=src)
        if current == "directory":
            raise ModuleFailure("Cannot link, directory exists at destination", hint="remove it with state: absent", dest=path, src=src)
        diff.add(path, current, "hard link to %s" % src)
        origin = os.path.realpath(src) if args.follow else src
        steps.append(lambda: _replaced(path, current, lambda temporary: os.link(origin, temporary, follow_symlinks=False)))
    return steps + _settled(args, path if same else src, diff)


def _replaced(path, current, make):
    """Make something under a private name in the same folder and rename it into place."""
    private = tempfile.mkdtemp(prefix=".ringup-", dir=os.path.dirname(path) or ".")
    try:
        temporary = os.path.join(private, "new")
        make(temporary)
        if current == "directory":
            os.rmdir(path)
        os.rename(temporary, path)
    finally:
        shutil.rmtree(private)


DECIDERS = {
    "absent": _decide_absent,
    "directory": _decide_directory,
    "file": _decide_file,
    "hard": _decide_hard,
    "link": _decide_link,
    "touch": _decide_touch,
}
