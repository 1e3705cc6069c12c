"""What is at a path."""

import fcntl
import os
import stat
import struct

from .. import files
from ..arguments import Arguments, option
from ..failure import ModuleFailure

FS_IOC_GETFLAGS = 0x80086601
FS_IOC_GETVERSION = 0x80087601
#: letters of lsattr. Source: e2fsprogs lib/e2p/pf.c and linux/fs.h
ATTRIBUTES = (
    ("s", 0x00000001, "secure-deletion"),
    ("u", 0x00000002, "undeletable"),
    ("S", 0x00000008, "synchronous"),
    ("D", 0x00010000, "synchronous-directory-updates"),
    ("i", 0x00000010, "immutable"),
    ("a", 0x00000020, "append-only"),
    ("d", 0x00000040, "no-dump"),
    ("A", 0x00000080, "no-atime"),
    ("c", 0x00000004, "compressed"),
    ("E", 0x00000800, "encrypted"),
    ("j", 0x00004000, "journaled-data"),
    ("t", 0x00008000, "no-tailmerging"),
    ("T", 0x00020000, "top-of-directory-tree"),
    ("e", 0x00080000, "extents"),
    ("I", 0x00001000, "indexed"),
    ("C", 0x00800000, "no-copy-on-write"),
)
PERMISSIONS = (
    ("rusr", stat.S_IRUSR),
    ("wusr", stat.S_IWUSR),
    ("xusr", stat.S_IXUSR),
    ("rgrp", stat.S_IRGRP),
    ("wgrp", stat.S_IWGRP),
    ("xgrp", stat.S_IXGRP),
    ("roth", stat.S_IROTH),
    ("woth", stat.S_IWOTH),
    ("xoth", stat.S_IXOTH),
    ("isuid", stat.S_ISUID),
    ("isgid", stat.S_ISGID),
)


class Args(Arguments):
    """Tell whether a path exists and what is there: kind, owner, mode, times, checksum."""

    path = option("path", required=True, aliases=("dest", "name"), help="the path to look at")
    follow = option("bool", default=False, help="look at what a symbolic link leads to")
    get_checksum = option("bool", default=True, help="digest the content of a regular file")
    get_mime = option("bool", default=True, aliases=("mime", "mime_type", "mime-type"), help="ask `file` for type and charset")
    get_attributes = option(
        "bool", default=True, aliases=("attr", "attributes"), help="attributes of the file system, as lsattr shows them"
    )
    checksum_algorithm = option(
        "str",
        default="sha1",
        choices=("md5", "sha1", "sha224", "sha256", "sha384", "sha512"),
        aliases=("checksum", "checksum_algo"),
        help="digest to use",
    )


def read(args, host):
    try:
        now = os.stat(args.path) if args.follow else os.lstat(args.path)
    except (FileNotFoundError, NotADirectoryError):
        return {"stat": {"exists": False}}
    except OSError as error:
        raise ModuleFailure(error.strerror, hint="the path is '%s'" % args.path)
    found = plain_values(args.path, now)
    if found["isreg"] and found["readable"] and args.get_checksum:
        found["checksum"] = files.checksum(args.path, args.checksum_algorithm)
    if args.get_mime:
        found.update(mime_values(args.path, host))
    if args.get_attributes:
        found.update(attribute_values(args.path, now))
    return {"stat": found}


def plain_values(path, now):
    """What the inode says, by Ansible's names."""
    mode = now.st_mode
    found = {
        "exists": True,
        "path": path,
        "mode": "%04o" % stat.S_IMODE(mode),
        "isdir": stat.S_ISDIR(mode),
        "ischr": stat.S_ISCHR(mode),
        "isblk": stat.S_ISBLK(mode),
        "isreg": stat.S_ISREG(mode),
        "isfifo": stat.S_ISFIFO(mode),
        "islnk": stat.S_ISLNK(mode),
        "issock": stat.S_ISSOCK(mode),
        "uid": now.st_uid,
        "gid": now.st_gid,
        "pw_name": files.owner_name(now.st_uid),
        "gr_name": files.group_name(now.st_gid),
        "size": now.st_size,
        "inode": now.st_ino,
        "dev": now.st_dev,
        "nlink": now.st_nlink,
        "atime": now.st_atime,
        "mtime": now.st_mtime,
        "ctime": now.st_ctime,
        "blocks": now.st_blocks,
        "block_size": now.st_blksize,
        "device_type": now.st_rdev,
    }
    found.update((name, bool(mode & bit)) for name, bit in PERMISSIONS)
    found.update((name, os.access(path, bit)) for name, bit in (("readable", os.R_OK), ("writeable", os.W_OK), ("executable", os.X_OK)))
    if found["islnk"]:
        found["lnk_source"] = os.path.realpath(path)
        found["lnk_target"] = os.readlink(path)
    return found


def mime_values(path, host):
    """Type and charset as `file` guesses them; `unknown` where that program is missing."""
    try:
        result = host.run(["file", "--brief", "--mime-type", "--mime-encoding", "--", path])
    except ModuleFailure:
        result = None
    if result is None or result.rc != 0 or "; charset=" not in result.stdout:
        return {"mimetype": "unknown", "charset": "unknown"}
    kind, charset = result.stdout.strip().split("; charset=", 1)
    return {"mimetype": kind, "charset": charset}


def attribute_values(path, now):
    """What lsattr would say, asked from the kernel; empty where the file system has no attributes."""
    flags = version = None
    if stat.S_ISREG(now.st_mode) or stat.S_ISDIR(now.st_mode):
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            handle = None
        if handle is not None:
            flags, version = _asked(handle, FS_IOC_GETFLAGS), _asked(handle, FS_IOC_GETVERSION)
            os.close(handle)
    present = [(letter, word) for letter, bit, word in ATTRIBUTES if (flags or 0) & bit]
    return {
        "attr_flags": "".join(letter for letter, _ in present),
        "attributes": [word for _, word in present],
        "version": None if version is None else str(version),
    }


def _asked(handle, request):
    try:
        return struct.unpack("i", fcntl.ioctl(handle, request, struct.pack("l", 0))[:4])[0]
    except OSError:
        return None
