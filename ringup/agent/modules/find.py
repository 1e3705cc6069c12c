"""Paths below folders, by name, kind, age, size, mode and content."""

import fnmatch
import os
import re
import stat
import time

from .. import files
from ..arguments import ArgumentError, Arguments, option
from ..failure import ModuleFailure
from ..modes import parse_mode
from .stat import plain_values

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
BYTES = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
IS_KIND = {"file": stat.S_ISREG, "directory": stat.S_ISDIR, "link": stat.S_ISLNK, "any": lambda mode: True}
#: what `stat` tells and `find` does not
NOT_TOLD = ("exists", "readable", "writeable", "executable", "blocks", "block_size", "device_type", "lnk_source", "lnk_target")


class Args(Arguments):
    """Find files, folders or links below folders of the host."""

    paths = option("list", elements="path", required=True, aliases=("name", "path"), help="folders to look in")
    patterns = option("list", elements="str", default=(), aliases=("pattern",), help="names: globs, or regular expressions with use_regex")
    excludes = option("list", elements="str", default=(), aliases=("exclude",), help="names that are left out, written like patterns")
    use_regex = option("bool", default=False, help="patterns and excludes are regular expressions, matched from the start of the name")
    contains = option("str", help="regular expression that a line of the file must match from its start (file_type: file only)")
    read_whole_file = option("bool", default=False, help="search contains in the whole content, not line by line")
    encoding = option("str", help="encoding of the files that contains looks into; without it utf-8")
    file_type = option("str", choices=("file", "directory", "link", "any"), default="file", help="kind of what is found")
    age = option("str", help="at least this old (1d), or with a minus at most; units s, m, h, d, w")
    age_stamp = option("str", choices=("mtime", "atime", "ctime"), default="mtime", help="time that age is measured by")
    size = option("str", help="at least this large (1g), or with a minus at most; units b, k, m, g, t")
    mode = option("mode", help="permissions that are wanted, octal or symbolic")
    exact_mode = option("bool", default=True, help="false: one of the bits of mode is enough")
    recurse = option("bool", default=False, help="look into folders of folders, too")
    depth = option("int", help="how many levels to go down with recurse")
    follow = option("bool", default=False, help="go into folders that symbolic links lead to")
    hidden = option("bool", default=False, help="find what begins with a dot, too")
    get_checksum = option("bool", default=False, help="digest every file that is found")
    checksum_algorithm = option(
        "str",
        default="sha1",
        choices=("md5", "sha1", "sha224", "sha256", "sha384", "sha512"),
        aliases=("checksum", "checksum_algo"),
        help="digest to use",
    )
    limit = option("int", help="stop after this many")


def read(args, host):
    search = _Search(args)
    for folder in args.paths:
        if not os.path.isdir(folder):
            search.skipped[folder] = "'%s' is not a directory" % folder
            continue
        search.look_into(folder)
    message = "Not all paths examined, check warnings for details" if search.skipped else "All paths examined"
    if search.full():
        message = "Limit of matches reached"
    found = search.found
    return {"files": found, "matched": len(found), "examined": search.examined, "skipped_paths": search.skipped, "msg": message}


def measured(text, units, what):
    """`10m` in seconds or bytes; None without a text."""
    if text is None:
        return None
    match = re.match(r"^(-?\d+)([%s])?$" % "".join(units), text.lower())
    if not match:
        raise ArgumentError("failed to process %s '%s'" % (what, text), "write a whole number and one of %s" % ", ".join(units))
    return int(match.group(1)) * units.get(match.group(2), 1)


def at_least(value, bound):
    """Is the value as large as the bound, or, for a negative bound, as small?"""
    return bound is None or (value >= bound if bound >= 0 else value <= -bound)


class _Search:
    def __init__(self, args):
        self.args = args
        self.age = measured(args.age, SECONDS, "age")
        self.size = measured(args.size, BYTES, "size")
        self.mode = None if args.mode is None else parse_mode(args.mode, 0, is_folder=False)
        if args.limit is not None and args.limit <= 0:
            raise ArgumentError("limit cannot be %d" % args.limit, "leave it out for no limit")
        try:
            self.wanted = [self._expression(text) for text in args.patterns or (".*" if args.use_regex else "*",)]
            self.unwanted = [self._expression(text) for text in args.excludes]
            self.contains = None if args.contains is None else re.compile(args.contains)
        except re.error as error:
            raise ModuleFailure("not a regular expression: %s" % error, hint="without use_regex, patterns are globs")
        self.now = time.time()
        self.found = []  # type: list
        self.skipped = {}  # type: dict
        self.examined = 0

    def _expression(self, text):
        return re.compile(text if self.args.use_regex else fnmatch.translate(text)).match

    def full(self):
        return self.args.limit is not None and len(self.found) >= self.args.limit

    def look_into(self, top):
        for root, folders, names in os.walk(top, onerror=self._refused, followlinks=self.args.follow):
            self.examined += len(folders) + len(names)
            level = os.path.relpath(root, top).count(os.sep) + (2 if os.path.relpath(root, top) != os.curdir else 1)
            if self.args.depth and level > self.args.depth:
                del folders[:]
                continue
            for name in names + folders:
                if not self.full() and (self.args.hidden or not name.startswith(".")):
                    self._judge(os.path.normpath(os.path.join(root, name)), name)
            if not self.args.recurse or self.full():
                return

    def _refused(self, error):
        self.skipped[error.filename] = error.strerror

    def _judge(self, path, name):
        try:
            now = os.lstat(path)
            if self._named(name) and self._fits(now) and self._holds(path, now):
                self._keep(path, now)
        except OSError as error:
            self.skipped[path] = error.strerror

    def _named(self, name):
        return any(match(name) for match in self.wanted) and not any(match(name) for match in self.unwanted)

    def _fits(self, now):
        if not IS_KIND[self.args.file_type](now.st_mode):
            return False
        if stat.S_ISREG(now.st_mode) and not at_least(now.st_size, self.size):
            return False
        if not at_least(self.now - getattr(now, "st_" + self.args.age_stamp), self.age):
            return False
        bits = stat.S_IMODE(now.st_mode)
        return self.mode is None or (bits == self.mode if self.args.exact_mode else bool(bits & self.mode))

    def _holds(self, path, now):
        if self.contains is None or self.args.file_type != "file":
            return True
        with open(path, encoding=self.args.encoding or "utf-8", errors="surrogateescape") as stream:
            if self.args.read_whole_file:
                return bool(self.contains.search(stream.read()))
            return any(self.contains.match(line) for line in stream)

    def _keep(self, path, now):
        values = {name: value for name, value in plain_values(path, now).items() if name not in NOT_TOLD}
        if self.args.get_checksum and stat.S_ISREG(now.st_mode):
            values["checksum"] = files.checksum(path, self.args.checksum_algorithm)
        self.found.append(values)
