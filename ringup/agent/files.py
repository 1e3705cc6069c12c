"""Files on the host: written whole or not at all, with their owner and mode from the first moment."""

import grp
import hashlib
import os
import pwd
import shutil
import stat
import tempfile
import time

from .failure import ModuleFailure
from .modes import current_umask, parse_mode


def replace(path, content, mode=None, uid=None, gid=None, ready=None, follow=True):
    """Write a file atomically: a temporary file in the same folder, fsynced, given owner and mode, renamed.

    Args:
        content: bytes, an open binary stream, or the path of a file to copy in (`os.PathLike` or str).
        mode: permission bits; None keeps those of the file that is replaced, or 0o666 less the umask.
        uid, gid: owner; None keeps that of the file that is replaced, or this process's.
        ready: called with the temporary file's path when it is complete, before it is put in place; raises to refuse it.
        follow: write the file that a symbolic link leads to; else the link itself is replaced.
    """
    path = os.path.realpath(path) if follow and os.path.islink(path) else path
    folder = os.path.dirname(path) or "."
    try:
        before = os.stat(path) if follow else os.lstat(path)
    except FileNotFoundError:
        before = None
    if before is not None and stat.S_ISLNK(before.st_mode):
        before = None
    handle, temporary = tempfile.mkstemp(prefix=".ringup-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            _fill(stream, content)
            wanted_uid = uid if uid is not None else (before.st_uid if before else -1)
            wanted_gid = gid if gid is not None else (before.st_gid if before else -1)
            if (wanted_uid, wanted_gid) != (-1, -1):
                os.fchown(stream.fileno(), wanted_uid, wanted_gid)
            os.fchmod(stream.fileno(), _permissions(mode, before))
            os.fsync(stream.fileno())
        if ready is not None:
            ready(temporary)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _fill(stream, content):
    if isinstance(content, bytes):
        stream.write(content)
    elif hasattr(content, "read"):
        shutil.copyfileobj(content, stream, 1 << 20)
    else:
        with open(content, "rb") as source:
            shutil.copyfileobj(source, stream, 1 << 20)
    stream.flush()


def _permissions(mode, before):
    if mode is not None:
        return mode
    if before is not None:
        return stat.S_IMODE(before.st_mode)
    return 0o666 & ~current_umask()


def _sync_folder(folder):
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems refuse fsync on a folder; the rename is atomic all the same
    finally:
        os.close(handle)


def backup(path):
    """Copy a file beside itself, attributes kept, under Ansible's name for backups; gives that name."""
    kept = "%s.%d.%s" % (path, os.getpid(), time.strftime("%Y-%m-%d@%H:%M:%S~"))
    now = os.stat(path)
    shutil.copy2(path, kept)
    try:
        os.chown(kept, now.st_uid, now.st_gid)
    except PermissionError:
        pass  # not root: the copy belongs to who made it
    return kept


def missing_folders(path):
    """The folders on the way to (and with) `path` that do not exist, the outermost first."""
    missing = []
    while path and not os.path.isdir(path):
        missing.append(path)
        parent = os.path.dirname(path.rstrip("/"))
        if parent == path:
            break
        path = parent
    return missing[::-1]


def make_folder(path, args, mode):
    """Create one folder with the owner and group of `FileAttributes`, and a mode (None: 0o777 less the umask)."""
    bits = 0o777 & ~current_umask()
    if mode is not None:
        bits = parse_mode(mode, bits, is_folder=True)
    uid = uid_of(args.owner) if args.owner is not None else -1
    gid = gid_of(args.group) if args.group is not None else -1
    # closed until it has its owner and mode
    os.mkdir(path, 0o700)
    if (uid, gid) != (-1, -1):
        os.chown(path, uid, gid)
    os.chmod(path, bits)


def uid_of(owner):
    """The user id of a name or number; raises ModuleFailure for an unknown name."""
    if str(owner).isdigit():
        return int(owner)
    try:
        return pwd.getpwnam(owner).pw_uid
    except KeyError:
        raise ModuleFailure("user '%s' does not exist on this host" % owner, hint="create it with the user module first")


def gid_of(group):
    """The group id of a name or number; raises ModuleFailure for an unknown name."""
    if str(group).isdigit():
        return int(group)
    try:
        return grp.getgrnam(group).gr_gid
    except KeyError:
        raise ModuleFailure("group '%s' does not exist on this host" % group, hint="create it with the group module first")


def checksum(path, algorithm="sha1"):
    """The hex digest of a file's content, read in constant memory; Ansible's own default is sha1."""
    digest = hashlib.new(algorithm)
    with open(path, "rb") as stream:
        for chunk in iter(lambda: stream.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


def attribute_changes(path, args, diff, follow=True):
    """Compare a path's owner, group and mode with `FileAttributes`; add what differs to the diff.

    A path that does not exist yet (check mode) adds nothing: its creation is the change. A user or group that does not exist yet
    is a difference too: an earlier task of the play may be about to create it, and `apply_attributes` is where it must exist.
    """
    if not os.path.lexists(path):
        return
    now = os.stat(path) if follow else os.lstat(path)
    if args.owner is not None and not _is_user(args.owner, now.st_uid):
        diff.add("owner of %s" % path, owner_name(now.st_uid), args.owner)
    if args.group is not None and not _is_group(args.group, now.st_gid):
        diff.add("group of %s" % path, group_name(now.st_gid), args.group)
    if args.mode not in (None, "preserve") and not stat.S_ISLNK(now.st_mode):
        wanted = parse_mode(args.mode, stat.S_IMODE(now.st_mode), stat.S_ISDIR(now.st_mode))
        if wanted != stat.S_IMODE(now.st_mode):
            diff.add("mode of %s" % path, "%04o" % stat.S_IMODE(now.st_mode), "%04o" % wanted)


def _is_user(owner, uid):
    try:
        return uid_of(owner) == uid
    except ModuleFailure:
        return False


def _is_group(group, gid):
    try:
        return gid_of(group) == gid
    except ModuleFailure:
        return False


def apply_attributes(path, args, follow=True):
    """Give a path the owner, group and mode of `FileAttributes`. A symbolic link that is not followed has no mode on Linux."""
    now = os.stat(path) if follow else os.lstat(path)
    uid = uid_of(args.owner) if args.owner is not None else -1
    gid = gid_of(args.group) if args.group is not None else -1
    if (uid not in (-1, now.st_uid)) or (gid not in (-1, now.st_gid)):
        os.chown(path, uid, gid, follow_symlinks=follow)
    if args.mode not in (None, "preserve") and not stat.S_ISLNK(now.st_mode):
        wanted = parse_mode(args.mode, stat.S_IMODE(now.st_mode), stat.S_ISDIR(now.st_mode))
        # a change of owner clears setuid and setgid: look again
        if wanted != stat.S_IMODE(os.stat(path).st_mode):
            os.chmod(path, wanted)


def state_of(path):
    """What is at a path, in the words of the file module: absent, link, directory, hard (several names) or file."""
    try:
        now = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    if stat.S_ISLNK(now.st_mode):
        return "link"
    if stat.S_ISDIR(now.st_mode):
        return "directory"
    return "hard" if now.st_nlink > 1 else "file"


def path_values(path):
    """Result values about a path that every file module gives; empty when there is nothing."""
    state = state_of(path)
    if state == "absent":
        return {}
    now = os.lstat(path)
    return {
        "uid": now.st_uid,
        "gid": now.st_gid,
        "owner": owner_name(now.st_uid),
        "group": group_name(now.st_gid),
        "mode": "%04o" % stat.S_IMODE(now.st_mode),
        "state": state,
        "size": now.st_size,
    }


def owner_name(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_name(gid):
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
