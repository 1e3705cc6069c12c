"""One host's keys in a known_hosts file."""

import base64
import fnmatch
import hashlib
import hmac
import os

from .. import files
from ..arguments import ArgumentError, Arguments, option
from ..diff import Diff, shown_content
from ..editing import content_of

AT_ONCE = True


class Args(Arguments):
    """Ensure a host's key in a known_hosts file, or the absence of its keys."""

    required_if = (("state", "present", ("key",)),)

    name = option("str", required=True, aliases=("host",), help="the host as clients call it: example.org, or [example.org]:2222")
    key = option("str", help="the line as known_hosts holds it: names, type of key, key")
    path = option("path", default="~/.ssh/known_hosts", help="the file")
    hash_host = option("bool", default=False, help="write the host's name hashed")
    state = option("str", choices=("present", "absent"), default="present", help="absent without key: all keys of the host go")


class Entry:
    """A line of known_hosts. `names` is empty for comments, empty lines and what cannot be read."""

    def __init__(self, line):
        fields = line.split()
        self.line = line
        self.marker = fields.pop(0) if fields and fields[0].startswith("@") else None
        self.names, self.kind, self.key = fields[:3] if len(fields) >= 3 and not line.lstrip().startswith("#") else ("", None, None)

    def means(self, host):
        """Is it about this host? Names may be hashed, patterns, or negated."""
        if self.names.startswith("|1|"):
            _, _, salt, digest = self.names.split("|")
            return hashed(host, base64.b64decode(salt)) == "|1|%s|%s" % (salt, digest)
        found = False
        for name in self.names.lower().split(","):
            if name.startswith("!") and fnmatch.fnmatchcase(host, name[1:]):
                return False
            # a port's brackets are no character class
            found = found or host == name or fnmatch.fnmatchcase(host, name.replace("[", "[[]"))
        return found


def hashed(host, salt):
    """A host's name as `ssh-keygen -H` writes it."""
    digest = hmac.new(salt, host.encode("utf-8"), hashlib.sha1).digest()
    return "|1|%s|%s" % (base64.b64encode(salt).decode("ascii"), base64.b64encode(digest).decode("ascii"))


def check(args, host):
    path = os.path.expanduser(args.path)
    before = content_of(path)
    lines = (before or b"").decode("utf-8", "surrogateescape").splitlines()
    after = kept(lines, args) if args.state == "absent" else with_key(lines, args)
    diff = Diff(values=dict(files.path_values(path), name=args.name, path=path, key=args.key, hash_host=args.hash_host))
    if after != lines:
        diff.plan = "".join(line + "\n" for line in after).encode("utf-8", "surrogateescape")
        diff.add(path, shown_content(before), shown_content(diff.plan))
    return diff


def apply(args, diff, host):
    path = diff.values["path"]
    for folder in files.missing_folders(os.path.dirname(path)):
        os.mkdir(folder, 0o700)
    files.replace(path, diff.plan, mode=None if os.path.exists(path) else 0o600)
    return files.path_values(path)


def kept(lines, args):
    """The lines without the host's keys, or without the one that is named."""
    host = args.name.lower()
    key = wanted_entry(args) if args.key else None

    def goes(line):
        entry = Entry(line)
        return bool(entry.names) and entry.means(host) and (key is None or (entry.kind, entry.key) == (key.kind, key.key))

    return [line for line in lines if not goes(line)]


def with_key(lines, args):
    """The lines with the host's key; another key of the same type is replaced, as a re-imaged host needs it."""
    host = args.name.lower()
    wanted = wanted_entry(args)
    entries = [Entry(line) for line in lines]
    same = [entry for entry in entries if entry.kind == wanted.kind and entry.marker == wanted.marker and entry.means(host)]
    for entry in same:
        spelt_alike = entry.names == wanted.names or (args.hash_host and entry.names.startswith("|1|"))
        if entry.key == wanted.key and spelt_alike:
            return [each.line for each in entries if each is entry or each not in same]
    line = args.key.strip()
    if args.hash_host:
        line = " ".join(filter(None, (wanted.marker, hashed(host, os.urandom(20)), wanted.kind, wanted.key)))
    return [each.line for each in entries if each not in same] + [line]


def wanted_entry(args):
    """The key that was given, read.

    Raises:
        ArgumentError: it is no line of known_hosts, or is not about the host.
    """
    entry = Entry(args.key.strip())
    if not entry.names or "\n" in args.key.strip():
        raise ArgumentError("the key is no line of known_hosts", "write names, type and key, as ssh-keyscan prints them")
    if not entry.means(args.name.lower()):
        raise ArgumentError("Host parameter does not match hashed host field in supplied key", "the key is about %s" % entry.names)
    return entry
