"""One file made of the fragments in a folder."""

import codecs
import os
import re

from .. import editing, files
from ..arguments import FileAttributes, option
from ..copying import destination
from ..diff import Diff, shown_content
from ..failure import ModuleFailure


class Args(editing.Validated, FileAttributes):
    """Ensure that a file is the fragments of a folder of the host, in the order of their names, put together."""

    src = option("path", required=True, help="folder of the fragments, on the host")
    dest = option("path", required=True, help="the file to make of them")
    remote_src = option("bool", default=True, choices=(True,), help="the fragments are on the host; bring them there with copy first")
    regexp = option("str", help="only fragments whose names match")
    delimiter = option("str", help="text between fragments; escapes like \\n are understood")
    ignore_hidden = option("bool", default=False, help="leave out fragments whose names begin with a dot")


def check(args, host):
    editing.check_validate(args)
    if not os.path.isdir(args.src):
        raise ModuleFailure("Source (%s) is not a directory" % args.src, hint="name the folder that holds the fragments")
    content = assembled([editing.content_of(path) for path in fragments(args)], args.delimiter)
    dest, _ = destination(args.dest, None, foreseen=host.check)
    before = editing.content_of(dest)
    diff = Diff(values=dict(files.path_values(dest), src=args.src, dest=dest, msg="OK"), plan=(dest, before, content))
    if before != content:
        diff.add(dest, shown_content(before), shown_content(content))
    files.attribute_changes(dest, args, diff)
    if before == content:
        diff.values["checksum"] = files.checksum(dest)
    return diff


def apply(args, diff, host):
    dest, before, content = diff.plan
    kept = editing.put(dest, content, args, host) if before != content else None
    files.apply_attributes(dest, args)
    values = dict(files.path_values(dest), checksum=files.checksum(dest))
    return dict(values, backup_file=kept) if kept else values


def fragments(args):
    """The paths of the fragments, in order."""
    try:
        wanted = re.compile(args.regexp or "")
    except re.error as error:
        raise ModuleFailure('Invalid Regexp (%s) in "%s"' % (error, args.regexp), hint="escape what is meant as plain text")
    names = [name for name in sorted(os.listdir(args.src)) if wanted.search(name)]
    paths = [os.path.join(args.src, name) for name in names if not (args.ignore_hidden and name.startswith("."))]
    return [path for path in paths if os.path.isfile(path)]


def assembled(contents, delimiter):
    """The contents put together: each begins on its own line, the delimiter (on lines of its own) between two. Pure."""
    between = codecs.escape_decode(delimiter.encode("utf-8"))[0] if delimiter else b""
    whole = b""
    for number, content in enumerate(contents):
        if number:
            whole = _ended(_ended(whole if contents[number - 1] else whole + b"\n") + between)
        whole += content
    return whole


def _ended(text):
    return text if not text or text.endswith(b"\n") else text + b"\n"
