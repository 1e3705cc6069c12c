"""Files on the host: written whole or not at all, with their owner and mode from the first moment."""

import grp
import hashlib
import os
import pwd
import re
import stat
import tempfile

from .failure import ModuleFailure


def replace(path, content, mode=None, uid=None, gid=None):
    """Write a file atomically: a temporary file in the same folder, fsynced, given owner and mode, renamed.

    Args:
        content: bytes, or the path of an upload to move in (`os.PathLike` or str is a path; bytes are content).
        mode: permission bits; None keeps those of the file that is replaced, or 0o666 less the umask.
        uid, gid: owner; None keeps that of the file that is replaced, or this process's.
    """
    path = os.path.realpath(path) if os.path.islink(path) else path
    folder = os.path.dirname(path) or "."
    try:
        before = os.stat(path)
    except FileNotFoundError:
        before = None
    handle, temporary = tempfile.mkstemp(prefix=".ringup-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            if isinstance(content, bytes):
                stream.write(content)
            else:
                with open(content, "rb") as source:
                    for chunk in iter(lambda: source.read(1 << 20), b""):
                        stream.write(chunk)
            stream.flush()
            wanted_uid = uid if uid is not None else (before.st_uid if before else -1)
            wanted_gid = gid if gid is not None else (before.st_gid if before else -1)
            if (wanted_uid, wanted_gid) != (-1, -1):
                os.fchown(stream.fileno(), wanted_uid, wanted_gid)
            os.fchmod(stream.fileno(), _permissions(mode, before))
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(folder)


def _permissions(mode, before):
    if mode is not None:
        return mode
    if before is not None:
        return stat.S_IMODE(before.st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder):
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems refuse fsync on a folder; the rename is atomic all the same
    finally:
        os.close(handle)


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


CLAUSE = re.compile(r"^([ugoa]*)([-+=])([rwxXst]*)$")


def parse_mode(text, current, is_folder):
    """Permission bits of an octal ('0644') or symbolic ('u=rw,g=r,o-x') mode, applied to the current bits.

    Raises:
        ModuleFailure: it is neither.
    """
    text = str(text).strip()
    if re.match(r"^0?o?[0-7]{3,4}$", text):
        return int(text.replace("o", ""), 8)
    bits = current
    for clause in text.split(","):
        match = CLAUSE.match(clause)
        if not match:
            raise ModuleFailure("'%s' is not a file mode" % text, hint="quote octal modes ('0644'), or write u=rw,g=r,o=r")
        who, operator, letters = match.groups()
        bits = _apply_clause(bits, who.replace("a", "ugo") or "ugo", operator, letters, is_folder)
    return bits


def _apply_clause(bits, who, operator, letters, is_folder):
    shifts = {"u": 6, "g": 3, "o": 0}
    value = 0
    clear = 0
    for person in who:
        granted = 0
        for letter, bit in (("r", 4), ("w", 2), ("x", 1)):
            if letter in letters:
                granted |= bit
        if "X" in letters and (is_folder or bits & 0o111):
            granted |= 1
        value |= granted << shifts[person]
        clear |= 7 << shifts[person]
    if "s" in letters:
        value |= (stat.S_ISUID if "u" in who else 0) | (stat.S_ISGID if "g" in who else 0)
    if "t" in letters:
        value |= stat.S_ISVTX
    if operator == "+":
        return bits | value
    if operator == "-":
        return bits & ~value
    return (bits & ~clear) | value


def checksum(path, algorithm="sha1"):
    """The hex digest of a file's content, read in constant memory; Ansible's own default is sha1."""
    digest = hashlib.new(algorithm)
    with open(path, "rb") as stream:
        for chunk in iter(lambda: stream.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


def attribute_changes(path, args, diff):
    """Compare a path's owner, group and mode with `FileAttributes`; add what differs to the diff.

    A path that does not exist yet (check mode) adds nothing: its creation is the change.
    """
    if not os.path.lexists(path):
        return
    now = os.stat(path)
    if args.owner is not None and uid_of(args.owner) != now.st_uid:
        diff.add("owner of %s" % path, owner_name(now.st_uid), args.owner)
    if args.group is not None and gid_of(args.group) != now.st_gid:
        diff.add("group of %s" % path, group_name(now.st_gid), args.group)
    if args.mode not in (None, "preserve"):
        wanted = parse_mode(args.mode, stat.S_IMODE(now.st_mode), os.path.isdir(path))
        if wanted != stat.S_IMODE(now.st_mode):
            diff.add("mode of %s" % path, "%04o" % stat.S_IMODE(now.st_mode), "%04o" % wanted)


def apply_attributes(path, args):
    """Give a path the owner, group and mode of `FileAttributes`."""
    now = os.stat(path)
    uid = uid_of(args.owner) if args.owner is not None else -1
    gid = gid_of(args.group) if args.group is not None else -1
    if (uid not in (-1, now.st_uid)) or (gid not in (-1, now.st_gid)):
        os.chown(path, uid, gid)
    if args.mode not in (None, "preserve"):
        wanted = parse_mode(args.mode, stat.S_IMODE(now.st_mode), os.path.isdir(path))
        if wanted != stat.S_IMODE(os.stat(path).st_mode):
            os.chmod(path, wanted)


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
