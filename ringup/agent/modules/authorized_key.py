"""The keys that may log in as a user."""

import os
import pwd
import stat

from .. import files
from ..arguments import ArgumentError, Arguments, option
from ..diff import Diff, shown_content
from ..editing import content_of
from ..failure import ModuleFailure
from ..public_keys import PublicKey, parse_keys

AT_ONCE = True


class Args(Arguments):
    """Ensure that keys may log in as a user, or that they may not."""

    user = option("str", required=True, help="the user")
    key = option("str", required=True, help="one or more public keys, one a line")
    state = option("str", choices=("present", "absent"), default="present", help="whether they may log in")
    exclusive = option("bool", default=False, help="all other keys of the file go; not meaningful in a loop over keys")
    path = option("path", help="the file; without it ~user/.ssh/authorized_keys")
    manage_dir = option("bool", default=True, help="create the folder, and see to it that sshd accepts its owner and mode")
    key_options = option("str", help='options in front of the key, as in no-port-forwarding,from="198.18.0.0/15"')
    comment = option("str", help="the comment of the key, in place of the one it brings")
    follow = option("bool", default=False, help="write what a symbolic link at path leads to")


def check(args, host):
    wanted = wanted_keys(args)
    try:
        user = pwd.getpwnam(args.user)
    except KeyError:
        if not host.check:
            raise ModuleFailure("user '%s' does not exist on this host" % args.user, hint="create it with the user module first")
        # an earlier task of the play is about to make the user
        diff = Diff(values={"user": args.user})
        if args.state == "present":
            diff.add("keys of %s" % args.user, "", "".join(key.line() + "\n" for key in wanted))
        return diff
    path = args.path or os.path.join(user.pw_dir, ".ssh", "authorized_keys")
    before = content_of(path)
    lines = (before or b"").decode("utf-8", "surrogateescape").splitlines()
    after = without(lines, wanted) if args.state == "absent" else with_keys(lines, wanted, args)
    diff = Diff(values={"user": args.user, "keyfile": path, "key": args.key, "exclusive": args.exclusive, "unique": False})
    content = before
    if after != lines:
        content = "".join(line + "\n" for line in after).encode("utf-8", "surrogateescape")
        diff.add(path, shown_content(before), shown_content(content))
    if args.manage_dir and content is not None:
        folder_changes(os.path.dirname(path), user, diff)
    diff.plan = (user, path, before, content)
    return diff


def apply(args, diff, host):
    user, path, before, content = diff.plan
    if args.manage_dir:
        settle_folder(os.path.dirname(path), user)
    if content != before:
        new = not os.path.exists(path)
        uid, gid = (user.pw_uid, user.pw_gid) if new else (None, None)
        files.replace(path, content, 0o600 if new else None, uid, gid, follow=args.follow)


def wanted_keys(args):
    """The keys that were given, with the options and the comment that are asked for."""
    if args.key.strip().startswith(("http://", "https://")):
        raise ArgumentError("a URL is no key", "use key: \"{{ lookup('url', ...) }}\"")
    keys = parse_keys(args.key)
    if not keys:
        raise ArgumentError("invalid key specified: %s" % args.key[:60], "write the line of an .pub file: type, key, comment")
    for key in keys:
        if args.key_options is not None:
            key.options = args.key_options
        if args.comment is not None:
            key.comment = args.comment
    return keys


def without(lines, unwanted):
    """The lines without those of the keys."""
    gone = {key.identity for key in unwanted}
    return [line for line in lines if _identity(line) not in gone]


def with_keys(lines, wanted, args):
    """The lines with the keys, each once, in its old place when it had one; other keys go when the list is exclusive."""
    missing = {key.identity: key for key in wanted}
    known = set(missing)
    after = []
    for line in lines:
        identity = _identity(line)
        if identity in missing:
            new = missing.pop(identity)
            after.append(line if _says(line, new, args) else new.line())
        elif identity is None or not (args.exclusive or identity in known):
            after.append(line)
    return after + [key.line() for key in missing.values()]


def _identity(line):
    key = PublicKey.of(line)
    return None if key is None else key.identity


def _says(line, new, args):
    """Does the line of a key in the file say what is wanted? A comment that nobody gave is nobody's concern."""
    old = PublicKey.of(line)
    return old.options == new.options and (old.comment == new.comment or not new.comment)


def folder_changes(folder, user, diff):
    """sshd (StrictModes) ignores keys in a folder that others may write, or that belongs to somebody else."""
    try:
        now = os.stat(folder)
    except FileNotFoundError:
        diff.add(folder, "absent", "directory")
        return
    if now.st_uid not in (user.pw_uid, 0):
        diff.add("owner of %s" % folder, files.owner_name(now.st_uid), user.pw_name)
    if now.st_mode & 0o022:
        diff.add("mode of %s" % folder, "%04o" % stat.S_IMODE(now.st_mode), "0700")


def settle_folder(folder, user):
    for missing in files.missing_folders(folder):
        os.mkdir(missing, 0o700)
        os.chown(missing, user.pw_uid, user.pw_gid)
    now = os.stat(folder)
    if now.st_uid not in (user.pw_uid, 0):
        os.chown(folder, user.pw_uid, user.pw_gid)
    if now.st_mode & 0o022:
        os.chmod(folder, 0o700)
