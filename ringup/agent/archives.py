"""Archives compared with a folder, and unpacked into it: tar by the host's tar, zip by Python."""

import fnmatch
import os
import re
import stat
import time
import zipfile
import zlib

from .failure import ModuleFailure

#: what `tar --diff` says of a member; those of owner, group and mode do not count when the task gives its own
DIFFERENCE = re.compile(r"^(?P<member>.*): (?P<what>(Uid|Gid|Mode|Mod time|Size|Contents|File type|Symlink|Device number) differs?)$")
MISSING = re.compile(r"^tar: (?P<member>.*): Warning: Cannot stat: No such file or directory$")
UNLINKED = re.compile(r"^(?P<member>.*): Not linked to .*$")


def opened(path, args, host):
    """The archive at a path, whichever it is.

    Raises:
        ModuleFailure: it is no archive, or a member would leave the folder.
    """
    archive = Zip(path, args) if zipfile.is_zipfile(path) else Tar(path, args, host)
    for member in archive.named():
        if member.startswith("/") or ".." in member.split("/"):
            raise ModuleFailure("member '%s' of %s would leave %s" % (member, args.src, args.dest), hint="do not trust this archive")
    return archive


class Tar:
    """A tar archive, compressed in whatever way the host's tar understands."""

    handler = "TarArchive"

    def __init__(self, path, args, host):
        self._path = path
        self._args = args
        self._host = host

    def _tar(self, action, *options):
        args = self._args
        argv = ["tar", action, "--file", self._path, "--directory", args.dest] + list(options) + list(args.extra_opts)
        argv += ["--exclude=%s" % name for name in args.exclude]
        if args.include:
            argv += ["--wildcards", "--"] + list(args.include)
        return argv

    def _must(self, argv, what, live=False):
        result = self._host.run(argv, live=live)
        if result.rc != 0:
            # tar's last line only says that there were lines before
            words = (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()
            raise ModuleFailure("%s failed: %s" % (what, words[0]), hint="is it an archive?", rc=result.rc, stderr=result.stderr)
        return result.stdout

    def named(self):
        """Names as they stand in the archive."""
        argv = ["tar", "--list", "--absolute-names", "--quoting-style=literal", "--file", self._path]
        return self._must(argv, "reading the archive %s" % self._args.src).splitlines()

    def members(self):
        """Names as they come to lie below the folder: --strip-components counts."""
        argv = self._tar("--list", "--show-transformed-names", "--quoting-style=literal")
        names = self._must(argv, "reading the archive %s" % self._args.src).splitlines()
        return [name for name in names if name.strip("./")]

    def differences(self):
        """One line for each thing in the folder that is not as in the archive."""
        result = self._host.run(self._tar("--diff"))
        if result.rc not in (0, 1, 2):
            raise ModuleFailure("comparing with %s failed: %s" % (self._args.src, result.stderr.strip()), rc=result.rc)
        lines = result.stdout.splitlines() + result.stderr.splitlines()
        found = [self._difference(line) for line in lines]
        return [line for line in found if line]

    def _difference(self, line):
        missing = MISSING.match(line) or UNLINKED.match(line)
        if missing:
            # a folder that --strip-components leaves without a name is no member
            return missing.group("member") and "%s is missing" % missing.group("member")
        match = DIFFERENCE.match(line)
        if not match or self._is_ours(match.group("what"), match.group("member")):
            return None
        return line

    def _is_ours(self, what, member):
        """Is it a difference that the task's own options make, or that is to be left?"""
        args, root = self._args, os.getuid() == 0
        if what.startswith("Uid"):
            return args.owner is not None or not root
        if what.startswith("Gid"):
            return args.group is not None or not root
        if what.startswith("Mode"):
            return args.mode is not None
        if what.startswith("Mod time") and os.path.isdir(os.path.join(args.dest, member)):
            # whoever makes a file in a folder changes the folder's time
            return True
        return args.keep_newer

    def extract(self):
        options = ["--keep-newer-files"] if self._args.keep_newer else []
        # members that a symbolic link of the archive would lead out of the folder are written as files by tar itself
        self._must(self._tar("--extract", *options), "unpacking %s" % self._args.src, live=True)


class Zip:
    """A zip archive."""

    handler = "ZipArchive"

    def __init__(self, path, args):
        if args.extra_opts:
            raise ModuleFailure("extra_opts are options of tar, and %s is a zip archive" % args.src, hint="leave extra_opts out")
        self._path = path
        self._args = args

    def _entries(self):
        args = self._args
        with zipfile.ZipFile(self._path) as archive:
            for entry in archive.infolist():
                if args.include and not any(fnmatch.fnmatchcase(entry.filename, name) for name in args.include):
                    continue
                if not any(fnmatch.fnmatchcase(entry.filename, name) for name in args.exclude):
                    yield archive, entry

    def named(self):
        """Names as they stand in the archive."""
        with zipfile.ZipFile(self._path) as archive:
            return archive.namelist()

    def members(self):
        """Names as they come to lie below the folder."""
        return [entry.filename for _, entry in self._entries()]

    def differences(self):
        """One line for each member that is missing or differs in kind, size, content or mode."""
        found = [self._difference(entry) for _, entry in self._entries()]
        return [line for line in found if line]

    def _difference(self, entry):
        path = os.path.join(self._args.dest, entry.filename)
        try:
            now = os.lstat(path)
        except FileNotFoundError:
            return "%s is missing" % entry.filename
        if entry.filename.endswith("/"):
            return None if stat.S_ISDIR(now.st_mode) else "%s: File type differs" % entry.filename
        if self._args.keep_newer and now.st_mtime > _moment(entry):
            return None
        if not _is_link(entry) and (now.st_size != entry.file_size or _crc(path) != entry.CRC):
            return "%s: Contents differ" % entry.filename
        if _is_link(entry) and not stat.S_ISLNK(now.st_mode):
            return "%s: File type differs" % entry.filename
        mode = entry.external_attr >> 16 & 0o777
        if self._args.mode is None and mode and not _is_link(entry) and stat.S_IMODE(now.st_mode) != mode:
            return "%s: Mode differs" % entry.filename
        return None

    def extract(self):
        for archive, entry in self._entries():
            if self._difference(entry):
                self._extract_one(archive, entry)

    def _extract_one(self, archive, entry):
        path = os.path.join(self._args.dest, entry.filename)
        folder = path if entry.filename.endswith("/") else os.path.dirname(path)
        inside = os.path.realpath(self._args.dest)
        if not (os.path.realpath(folder) + "/").startswith(inside.rstrip("/") + "/"):
            raise ModuleFailure("member '%s' would leave %s through a link" % (entry.filename, inside), hint="do not trust this archive")
        os.makedirs(folder, exist_ok=True)
        if entry.filename.endswith("/"):
            return
        if os.path.lexists(path):
            os.unlink(path)
        if _is_link(entry):
            os.symlink(archive.read(entry).decode("utf-8", "surrogateescape"), path)
            return
        archive.extract(entry, self._args.dest)
        mode = entry.external_attr >> 16 & 0o777
        if mode:
            os.chmod(path, mode)
        os.utime(path, (_moment(entry), _moment(entry)))


def _is_link(entry):
    return stat.S_ISLNK(entry.external_attr >> 16)


def _moment(entry):
    return time.mktime(entry.date_time + (0, 0, -1))


def _crc(path):
    value = 0
    with open(path, "rb") as stream:
        for chunk in iter(lambda: stream.read(1 << 20), b""):
            value = zlib.crc32(chunk, value)
    return value & 0xFFFFFFFF
