"""A file with a given content: the host's side of the actions copy and template, and copies within the host."""

import os
import stat

from .. import editing, files
from ..arguments import ArgumentError, FileAttributes, option
from ..copying import destination, source_of, tree_changes, with_mode
from ..diff import Diff, shown_file
from ..failure import ModuleFailure


class Args(editing.Validated, FileAttributes):
    """Ensure a file with a given content, owner and mode."""

    mutually_exclusive = (("content", "content_b64", "upload", "src"),)

    dest = option("path", required=True, help="where the file must be; a folder, or a path that ends with /, takes it under its own name")
    content = option("str", secret=True, help="the content itself")
    src = option("path", help="path on the host of what is copied (with remote_src)")
    remote_src = option("bool", default=False, help="src is on the host, not on the controller")
    force = option("bool", default=True, help="false: a file that exists stays as it is")
    directory_mode = option("mode", help="mode of the folders that are created on the way to dest")
    checksum = option("str", help="sha1 that the content must have")
    follow = option("bool", default=False, help="write what a symbolic link at dest leads to")
    local_follow = option("bool", default=True, help="copy what symbolic links in a source folder lead to, not the links")
    upload = option("str", help="internal: name of the upload that brings the content")
    original_basename = option("str", help="internal: name of the file on the controller")
    content_b64 = option("str", secret=True, help="internal: small content that is not text, in base64")
    probe = option("bool", default=False, help="internal: answer needed: true when the content must be sent, else do the whole task")


def AT_ONCE(args):  # noqa: N802 - the name that ringup.agent.task asks for
    """Small content is compared at once; digests of large files, and whole trees, take a fork."""
    return args.content is not None or args.content_b64 is not None


def check(args, host):
    editing.check_validate(args)
    if args.remote_src and args.src is not None and os.path.isdir(args.src):
        for name in ("validate", "backup", "checksum"):
            if getattr(args, name):
                raise ArgumentError("%s is for one file, and %s is a folder" % (name, args.src), "leave %s out" % name)
        diff = Diff(values={"dest": args.dest, "src": args.src})
        diff.plan = tree_changes(args, diff)
        return diff
    source = source_of(args, host.uploads)
    dest, folders = destination(args.dest, source.name, foreseen=host.check)
    if os.path.islink(dest) and args.follow:
        dest = os.path.realpath(dest)
    kept = os.path.lexists(dest) and not args.force
    needed = not kept and content_differs(dest, source)
    if args.probe and needed and source.data is None and source.path is None:
        return Diff(values={"needed": True, "dest": dest})
    wanted = with_mode(args, _mode_of(args))
    diff = Diff(values=_values(args, dest, source, kept), plan=(dest, source, folders, needed, wanted))
    for folder in folders:
        diff.add(folder, "absent", "directory")
    if needed:
        diff.add(dest, *((shown_file(dest), source.shown()) if host.diff else ()))
    if not kept and not (needed and os.path.islink(dest)):
        files.attribute_changes(dest, wanted, diff)
    return diff


def apply(args, diff, host):
    if isinstance(diff.plan, list):
        for step in diff.plan:
            step()
        return files.path_values(args.dest)
    dest, source, folders, needed, wanted = diff.plan
    values = {}
    for folder in folders:
        files.make_folder(folder, args, args.directory_mode)
    if needed:
        kept = editing.put(dest, source.content(), wanted, host, follow=False)
        if kept is not None:
            values["backup_file"] = kept
    files.apply_attributes(dest, wanted)
    return dict(files.path_values(dest), **values)


def content_differs(dest, source):
    """Must the content be written? A symbolic link that is not followed is replaced by a file."""
    return os.path.islink(dest) or not os.path.exists(dest) or source.differs_from(dest)


def _mode_of(args):
    """The mode that is asked for; `preserve` is that of the source on this host."""
    if args.mode != "preserve":
        return args.mode
    if args.src is None or not args.remote_src:
        raise ModuleFailure("mode: preserve needs a source file", hint="write the mode itself, as in mode: '0644'")
    return "%04o" % stat.S_IMODE(os.stat(args.src).st_mode)


def _values(args, dest, source, kept):
    values = {"dest": dest, "src": args.src or args.original_basename, "checksum": source.checksum}
    if args.probe:
        values["needed"] = False
    if kept:
        values["msg"] = "file already exists"
    values.update(files.path_values(dest))
    return values
