"""A file whose content is to become other bytes: how that is shown, and how it is written with its validation and backup."""

import os
import shlex
import stat

from . import files
from .arguments import Arguments, FileAttributes, option
from .diff import Diff, shown_content
from .failure import ModuleFailure
from .modes import current_umask, parse_mode


class Validated(Arguments):
    """Options of modules that write a file's whole content."""

    backup = option("bool", default=False, help="keep a copy of the file as it was beside it, with a date in its name")
    validate = option("str", help="command that must succeed on the new file before it is put in place; %s is its path")


class EditedFile(Validated, FileAttributes):
    """Options of modules that edit a file in place."""

    path = option("path", required=True, aliases=("dest", "destfile", "name"), help="the file to edit")


def content_of(path):
    """A file's bytes; None when it does not exist."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def editable(args, create):
    """The bytes of the file that an edit starts from; None when it is to be created.

    Raises:
        ModuleFailure: it is a folder, or it does not exist and may not be created.
    """
    if os.path.isdir(args.path):
        raise ModuleFailure("Path %s is a directory !" % args.path, hint="name the file in it", rc=256)
    before = content_of(args.path)
    if before is None and not create:
        raise ModuleFailure("Destination %s does not exist !" % args.path, hint="set create: true to make it", rc=257)
    return before


def edited(args, before, after, values=None):
    """The Diff of an edit: its content and its attributes; `apply` is `write`."""
    check_validate(args)
    diff = Diff(values=values, plan=after)
    if before != after:
        diff.add("%s (content)" % args.path, shown_content(before), shown_content(after))
    files.attribute_changes(args.path, args, diff)
    return diff


def write(args, before, after, host):
    """Bring the file to its new content, attributes and all; gives the name of the backup, or None."""
    kept = None
    if before != after:
        if before is None:
            os.makedirs(os.path.dirname(args.path) or ".", exist_ok=True)
        kept = put(args.path, after, args, host)
    files.apply_attributes(args.path, args)
    return kept


def put(path, content, args, host, follow=True):
    """`files.replace` with the attributes, the validation and the backup that the arguments ask for; gives the backup's name, or None."""
    kept = []

    def ready(temporary):
        _validate(args, host, temporary)
        if args.backup and os.path.exists(path):
            kept.append(files.backup(path))

    files.replace(
        path,
        content,
        mode=_wanted_mode(path, args, follow),
        uid=files.uid_of(args.owner) if args.owner is not None else None,
        gid=files.gid_of(args.group) if args.group is not None else None,
        ready=ready,
        follow=follow,
    )
    return kept[0] if kept else None


def _wanted_mode(path, args, follow):
    """Permission bits for the file that is about to be written; None to keep what is there."""
    if args.mode in (None, "preserve"):
        return None
    current = 0o666 & ~current_umask()
    if os.path.exists(path) and (follow or not os.path.islink(path)):
        current = stat.S_IMODE(os.stat(path).st_mode)
    return parse_mode(args.mode, current, is_folder=False)


def check_validate(args):
    if args.validate is not None and "%s" not in args.validate:
        raise ModuleFailure("validate must contain %%s: %s" % args.validate, hint="%s stands for the new file's path")


def _validate(args, host, path):
    """Let the operator's command judge the complete file before it is put in place."""
    if args.validate is None:
        return
    result = host.run([word.replace("%s", path) for word in shlex.split(args.validate)])
    if result.rc != 0:
        words = (result.stderr.strip() or result.stdout.strip()).splitlines()
        raise ModuleFailure(
            "failed to validate: %s (exit code %d)" % (words[-1] if words else "no output", result.rc),
            hint="the file on the host is as it was; '%s' refused the new one" % args.validate,
            rc=result.rc,
            stdout=result.stdout,
            stderr=result.stderr,
        )
