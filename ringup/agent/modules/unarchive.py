"""What is in an archive, unpacked."""

import glob
import os

from .. import files
from ..archives import opened
from ..arguments import ArgumentError, FileAttributes, option
from ..diff import Diff
from ..failure import ModuleFailure


class Args(FileAttributes):
    """Ensure that the content of a tar or zip archive is unpacked in a folder."""

    mutually_exclusive = (("include", "exclude"),)

    src = option("path", required=True, help="the archive; a path of the host with remote_src")
    dest = option("path", required=True, help="the folder to unpack into; it must exist")
    remote_src = option("bool", default=False, help="the archive is on the host, not on the controller")
    creates = option("path", help="do nothing when this path (a glob pattern) exists")
    exclude = option("list", elements="str", default=(), help="members that are left out (names or globs)")
    include = option("list", elements="str", default=(), help="only these members (names or globs)")
    keep_newer = option("bool", default=False, help="files that are newer than the archive's stay")
    list_files = option("bool", default=False, help="tell the members in the result as files")
    extra_opts = option("list", elements="str", default=(), help="more options for tar, as in --strip-components=1")
    upload = option("str", help="internal: name of the upload that is the archive")


def check(args, host):
    if args.creates is not None and glob.glob(args.creates):
        return Diff(values={"skipped": True, "dest": args.dest, "src": args.src, "msg": "skipped, since %s exists" % args.creates})
    if "://" in args.src:
        raise ArgumentError("src is a URL", "load it first with get_url, which verifies it")
    path = host.uploads.get(args.upload) if args.upload else args.src
    if path is None or not os.path.exists(path):
        raise ModuleFailure("Source '%s' does not exist" % args.src, hint="with remote_src the path is one of this host")
    if not os.path.isdir(args.dest):
        raise ModuleFailure("Destination '%s' is not a directory" % args.dest, hint="create it first with file: state: directory")
    if args.mode == "preserve":
        raise ArgumentError("mode: preserve means nothing here", "without mode, members keep the modes of the archive")
    archive = opened(path, args, host)
    diff = Diff(values=dict(files.path_values(args.dest), dest=args.dest, src=args.src, handler=archive.handler))
    members = archive.members()
    if args.list_files:
        diff.values["files"] = members
    differences = archive.differences()
    diff.plan = (archive, members, bool(differences))
    for line in differences:
        diff.add(args.dest, "%s\n" % line, "as in the archive\n")
    for member in members:
        files.attribute_changes(os.path.join(args.dest, member), args, diff, follow=False)
    return diff


def apply(args, diff, host):
    archive, members, differs = diff.plan
    if differs:
        archive.extract()
    for member in members:
        path = os.path.join(args.dest, member)
        if os.path.lexists(path):
            files.apply_attributes(path, args, follow=False)
    left = archive.differences()
    if left:
        raise ModuleFailure("after unpacking %s, %s" % (args.src, left[0]), hint="is the file system full, or the archive damaged?")
    return files.path_values(args.dest)
