"""Where a copy's content comes from and where it goes."""

import base64
import hashlib
import os
import stat

from . import files
from .diff import shown_content, shown_file
from .failure import ModuleFailure


class Source:
    """The content that a file must have: bytes in the message, a file on this host, or only its checksum.

    Attributes:
        name: the file's own name, for a `dest` that is a folder; None when it has none.
        data: the content, or None.
        path: the file that holds it (an upload or `src`), or None.
        checksum: sha1 of the content.
    """

    def __init__(self, name, data=None, path=None, checksum=None):
        self.name = name
        self.data = data
        self.path = path
        if data is not None:
            checksum = hashlib.sha1(data).hexdigest()
        elif path is not None:
            checksum = files.checksum(path)
        self.checksum = checksum

    def differs_from(self, path):
        """Is the content of the file at `path` another one? Sizes are compared before digests."""
        if self.data is not None and os.path.getsize(path) != len(self.data):
            return True
        if self.path is not None and os.path.getsize(path) != os.path.getsize(self.path):
            return True
        return files.checksum(path) != self.checksum

    def content(self):
        """What `files.replace` takes.

        Raises:
            ModuleFailure: only the checksum came.
        """
        if self.data is None and self.path is None:
            raise ModuleFailure("the content of %s did not come with the task" % (self.name or "the file"), hint="send it as an upload")
        return self.data if self.data is not None else self.path

    def shown(self):
        """The content for a diff."""
        if self.data is not None:
            return shown_content(self.data)
        if self.path is not None:
            return shown_file(self.path)
        return "(sha1 %s)\n" % self.checksum


def source_of(args, uploads):
    """The source that copy's arguments name.

    Raises:
        ModuleFailure: there is none, it cannot be read, or it is not what `checksum` says.
    """
    name = args.original_basename or (os.path.basename(args.src) if args.src else None)
    if args.content is not None:
        source = Source(name, data=args.content.encode("utf-8", "surrogateescape"))
    elif args.content_b64 is not None:
        source = Source(name, data=base64.b64decode(args.content_b64))
    elif args.upload is not None and args.upload in uploads:
        source = Source(name, path=uploads[args.upload])
    elif args.src is not None and args.remote_src:
        source = Source(name, path=_readable(args.src))
    elif args.checksum is not None:
        source = Source(name, checksum=args.checksum)
    else:
        raise ModuleFailure("nothing says what the content is", hint="give content, or src")
    if args.checksum is not None and source.checksum != args.checksum:
        raise ModuleFailure(
            "Copied file does not match the expected checksum. Transfer failed.",
            hint="the content changed on the way, or checksum is not its sha1",
            checksum=source.checksum,
            expected_checksum=args.checksum,
        )
    return source


def _readable(src):
    if not os.path.exists(src):
        raise ModuleFailure("Source %s not found" % src, hint="with remote_src the path is one of this host")
    if not os.access(src, os.R_OK):
        raise ModuleFailure("Source %s not readable" % src, hint="set become: true")
    if not os.path.isfile(src):
        raise ModuleFailure("Cannot copy invalid source '%s': not a file" % src)
    return src


def destination(dest, name, foreseen):
    """The path that is written, and the folders that have to be made for it.

    Args:
        dest: as written; a folder, or a path that ends with /, takes the file under its own name.
        name: the file's own name, or None.
        foreseen: check mode: a folder that is not there yet may be the doing of an earlier task.
    Raises:
        ModuleFailure: the folder does not exist, or dest is a folder and the content has no name.
    """
    folders = files.missing_folders(dest.rstrip("/")) if dest.endswith("/") and dest.strip("/") else []
    if dest.endswith("/") or os.path.isdir(dest):
        if name is None:
            raise ModuleFailure("can not use content with a dir as dest: %s" % dest, hint="write the file's name after the folder")
        dest = os.path.join(dest, name)
    folder = os.path.dirname(dest) or "."
    if not folders and not os.path.isdir(folder) and not foreseen:
        raise ModuleFailure("Destination directory %s does not exist" % folder, hint="create it first with file: state: directory")
    if os.path.exists(dest) and not stat.S_ISREG(os.stat(dest).st_mode):
        raise ModuleFailure("%s exists and is no regular file" % dest, hint="name another path, or remove it first")
    return dest, folders


def tree_changes(args, diff):
    """Compare a folder of the host with its copy; add what is missing or differs, and give the steps that make it so.

    As in Ansible, `src` without a slash at its end is copied with its own folder, and files that only dest has are left alone.
    """
    src, dest = args.src, args.dest
    if not src.endswith("/"):
        dest = os.path.join(dest, os.path.basename(src))
    steps = []  # type: list
    for root, folders, names in os.walk(src, followlinks=args.local_follow):
        target = os.path.normpath(os.path.join(dest, os.path.relpath(root, src)))
        _decide_folder(args, target, diff, steps)
        links = [] if args.local_follow else [name for name in folders + names if os.path.islink(os.path.join(root, name))]
        for name in links:
            _decide_link(os.path.join(root, name), os.path.join(target, name), diff, steps)
        for name in sorted(set(names) - set(links)):
            _decide_file(args, os.path.join(root, name), os.path.join(target, name), diff, steps)
    return steps


def _decide_folder(args, target, diff, steps):
    missing = files.missing_folders(target) if not diff.changes else [] if os.path.isdir(target) else [target]
    for folder in missing:
        diff.add(folder, "absent", "directory")
        steps.append(lambda folder=folder: files.make_folder(folder, args, args.directory_mode))


def _decide_link(source, target, diff, steps):
    wanted = os.readlink(source)
    if os.path.islink(target) and os.readlink(target) == wanted:
        return
    diff.add(target, files.state_of(target), "link to %s" % wanted)
    if os.path.lexists(target):
        steps.append(lambda: os.unlink(target))
    steps.append(lambda: os.symlink(wanted, target))


def _decide_file(args, source, target, diff, steps):
    if os.path.lexists(target) and not args.force:
        return
    # a new file takes the mode of its source when none is asked for, as in Ansible's recursive copies
    preserved = args.mode == "preserve" or (args.mode is None and not os.path.exists(target))
    wanted = with_mode(args, "%04o" % stat.S_IMODE(os.stat(source).st_mode) if preserved else args.mode)
    if not os.path.isfile(target) or Source(None, path=source).differs_from(target):
        diff.add(target, shown_file(target), shown_file(source))
        steps.append(lambda: files.replace(target, source))
    files.attribute_changes(target, wanted, diff)
    steps.append(lambda: files.apply_attributes(target, wanted))


def with_mode(args, mode):
    """The same arguments with another mode."""
    values = {name: getattr(args, name) for name in type(args).options()}
    values["mode"] = mode
    return type(args)(values)
