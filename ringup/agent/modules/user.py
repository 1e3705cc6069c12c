"""A user's account: its numbers, groups, home folder, shell, password and key."""

import os
import shutil
import time

from .. import accounts, user_keys
from ..arguments import option
from ..diff import Diff
from ..failure import ModuleFailure

DAY_S = 86400
#: what ansible-core shows in place of a password
HIDDEN = "NOT_LOGGING_PASSWORD"


class Args(user_keys.KeyOptions):
    """Ensure a user's account, or its absence."""

    name = option("str", required=True, aliases=("user",), help="the user")
    state = option("str", choices=("present", "absent"), default="present", help="whether it must be there")
    uid = option("int", help="its number")
    non_unique = option("bool", default=False, help="the number may be another user's too")
    group = option("str", help="primary group, name or number")
    groups = option("list", elements="str", help="more groups; an empty list takes it out of all")
    append = option("bool", default=False, help="keep the groups that are not listed")
    comment = option("str", help="its full name, or what it is for")
    home = option("path", help="its home folder")
    create_home = option("bool", default=True, aliases=("createhome",), help="make the home folder when it is missing")
    move_home = option("bool", default=False, help="with another home: move the folder's content there")
    skeleton = option("str", help="folder whose content a new home starts with; /etc/skel without it")
    shell = option("path", help="its login shell")
    system = option("bool", default=False, help="number a new account as one of the system's")
    password = option("str", secret=True, help="the hash of its password, as crypt(5); '!' or '*' for none")
    update_password = option(
        "str", choices=("always", "on_create"), default="always", help="whether an existing account's password changes"
    )
    password_lock = option("bool", help="lock or unlock the password")
    password_expire_max = option("int", help="days until the password must be changed")
    password_expire_min = option("int", help="days until the password may be changed")
    password_expire_warn = option("int", help="days of warning before that")
    password_expire_account_disable = option("int", help="days after that until the account ends")
    expires = option("float", help="when the account ends, in seconds since the epoch; negative for never")
    remove = option("bool", default=False, help="with absent: the home folder and mail too")
    force = option("bool", default=False, help="with absent: even if logged in; with generate_ssh_key: replace the key")
    local = option("bool", default=False, help="look in /etc/passwd only, not in a directory of the network")
    uid_min = option("int", help="lowest number for a new account")
    uid_max = option("int", help="highest number for a new account")
    umask = option("str", help="umask for a new home folder")
    seuser = option("str", help="its SELinux user")


def check(args, host):
    diff = Diff(values={"name": args.name, "state": args.state}, plan=[])
    now = accounts.user(args.name, args.local)
    if args.state == "absent":
        diff.values.update(force=args.force, remove=args.remove)
        if now is not None:
            diff.add("user %s" % args.name, "present", "absent")
            flags = [flag for flag, wanted in (("--force", args.force), ("--remove", args.remove)) if wanted]
            diff.plan.append((["userdel"] + flags + [args.name], None))
        return diff
    if args.password is not None:
        diff.values["password"] = HIDDEN
    if now is None:
        _decide_new(args, host, diff)
    else:
        _decide_changes(args, now, host, diff)
        diff.values.update(_values(args, now))
    user_keys.compare(args, now.pw_dir if now else args.home or "/home/%s" % args.name, diff)
    return diff


def apply(args, diff, host):
    for argv, stdin in diff.plan:
        host.must(argv, "%s for user %s" % (argv[0], args.name), stdin=stdin)
    if args.state == "absent":
        return {}
    now = accounts.user(args.name, args.local)
    if args.create_home and not os.path.exists(now.pw_dir):
        make_home(now, args.skeleton)
    values = _values(args, now)
    values.update(user_keys.apply(args, now, host))
    return values


def _values(args, now):
    values = {"uid": now.pw_uid, "group": now.pw_gid, "comment": now.pw_gecos, "home": now.pw_dir, "shell": now.pw_shell}
    values.update(append=args.append, move_home=args.move_home)
    if args.groups is not None:
        values["groups"] = ",".join(name for name in args.groups if name)
    return values


def _decide_new(args, host, diff):
    argv = ["useradd"] + _number(args)
    if args.group is not None:
        argv += ["--gid", accounts.existing([args.group], host)[0]]
    elif accounts.group(args.name, args.local) is not None:
        # useradd would want to make a group of that name
        argv.append("--no-user-group")
    groups = accounts.existing([name for name in args.groups or () if name], host)
    if groups:
        argv += ["--groups", ",".join(groups)]
    for flag, value in (("--comment", args.comment), ("--home-dir", args.home), ("--shell", args.shell), ("--selinux-user", args.seuser)):
        argv += [] if value is None else [flag, value]
    if args.expires is not None:
        argv += ["--expiredate", _date(args.expires)]
    if args.password_expire_account_disable is not None:
        argv += ["--inactive", str(args.password_expire_account_disable)]
    argv += (["--create-home"] + (["--skel", args.skeleton] if args.skeleton else [])) if args.create_home else ["--no-create-home"]
    for key, value in (("UID_MIN", args.uid_min), ("UID_MAX", args.uid_max), ("UMASK", args.umask)):
        argv += [] if value is None else ["--key", "%s=%s" % (key, value)]
    if args.system:
        argv.append("--system")
    diff.values.update(create_home=args.create_home, system=args.system)
    diff.add("user %s" % args.name, "absent", "present")
    diff.plan.append((argv + [args.name], None))
    if args.password is not None:
        diff.plan.append(_password_step(args))
    if args.password_lock and not (args.password or "").startswith("!"):
        diff.plan.append((["usermod", "--lock", args.name], None))
    _decide_ageing(args, accounts.Shadow(), diff, shown=False)


def _number(args):
    return [] if args.uid is None else ["--uid", str(args.uid)] + (["--non-unique"] if args.non_unique else [])


def _date(seconds):
    """Seconds as useradd and usermod take a date; empty for never."""
    return "" if seconds < 0 else time.strftime("%Y-%m-%d", time.gmtime(seconds))


def _password_step(args):
    # through standard input: other users of the host can read a command's arguments
    return (["chpasswd", "--encrypted"], ("%s:%s\n" % (args.name, args.password)).encode("utf-8"))


def _decide_changes(args, now, host, diff):
    flags = []  # type: list[str]

    def change(what, before, after, given):
        diff.add("%s of user %s" % (what, args.name), before, after)
        flags.extend(given)

    if args.uid not in (None, now.pw_uid):
        change("number", now.pw_uid, args.uid, _number(args))
    if args.group is not None:
        row = accounts.group(args.group)
        if row is None or row.gr_gid != now.pw_gid:
            change("primary group", now.pw_gid, args.group, ["--gid", accounts.existing([args.group], host)[0]])
    for what, before, after, flag in (
        ("comment", now.pw_gecos, args.comment, "--comment"),
        ("home", now.pw_dir, args.home, "--home"),
        ("shell", now.pw_shell, args.shell, "--shell"),
    ):
        if after not in (None, before):
            change(what, before, after, [flag, after] + (["--move-home"] if what == "home" and args.move_home else []))
    _decide_groups(args, now, host, change)
    row = accounts.shadow(args.name)
    _decide_account(args, row, change)
    if flags:
        diff.plan.append((["usermod"] + flags + [args.name], None))
    _decide_password(args, row, diff)
    _decide_ageing(args, row, diff)
    home = args.home or now.pw_dir
    if args.create_home and not os.path.exists(home) and not (args.home not in (None, now.pw_dir) and args.move_home):
        diff.add("home folder %s" % home, "absent", "directory")


def _decide_groups(args, now, host, change):
    if args.groups is None:
        return
    primary = accounts.group(args.group) if args.group is not None else accounts.group(now.pw_gid)
    wanted = set(accounts.existing([name for name in args.groups if name], host)) - {primary.gr_name if primary else None}
    current = set(accounts.groups_of(args.name, now.pw_gid))
    after = current | wanted if args.append else wanted
    if after != current:
        flags = ["--append", "--groups", ",".join(sorted(wanted))] if args.append else ["--groups", ",".join(sorted(wanted))]
        change("groups", ",".join(sorted(current)), ",".join(sorted(after)), flags)


def _decide_account(args, row, change):
    if args.expires is not None:
        wanted = None if args.expires < 0 else int(args.expires // DAY_S)
        if wanted != row.expires:
            before = "never" if row.expires is None else _date(row.expires * DAY_S)
            change("end", before, _date(args.expires) or "never", ["--expiredate", _date(args.expires)])
    if args.password_expire_account_disable not in (None, row.inactive):
        disable = str(args.password_expire_account_disable)
        change("days after the password's end", row.inactive, disable, ["--inactive", disable])


def _decide_password(args, row, diff):
    locked = row.locked
    follows = args.password is not None and args.update_password != "on_create"  # noqa: S105 - a choice, no password
    if follows and row.password.lstrip("!") != args.password.lstrip("!"):
        diff.add("password of user %s" % args.name, secret=True)
        diff.plan.append(_password_step(args))
        locked = args.password.startswith("!")
    if args.password_lock is not None and args.password_lock != locked:
        diff.add("password of user %s" % args.name, "locked" if locked else "unlocked", "locked" if args.password_lock else "unlocked")
        diff.plan.append((["usermod", "--lock" if args.password_lock else "--unlock", args.name], None))


def _decide_ageing(args, row, diff, shown=True):
    flags = []
    for what, before, after, flag in (
        ("longest days of the password", row.maximum, args.password_expire_max, "--maxdays"),
        ("fewest days of the password", row.minimum, args.password_expire_min, "--mindays"),
        ("days of warning", row.warning, args.password_expire_warn, "--warndays"),
    ):
        if after in (None, before):
            continue
        flags += [flag, str(after)]
        if shown:
            diff.add("%s of user %s" % (what, args.name), before, after)
    if flags:
        diff.plan.append((["chage"] + flags + [args.name], None))


def make_home(now, skeleton):
    """A home folder as useradd makes it: a copy of the skeleton that belongs to the user, closed to others."""
    source = skeleton or "/etc/skel"
    if skeleton is not None and not os.path.isdir(skeleton):
        raise ModuleFailure("the skeleton %s does not exist on the host" % skeleton, hint="copy it there first")
    os.makedirs(os.path.dirname(now.pw_dir.rstrip("/")), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, now.pw_dir, symlinks=True)
    else:
        os.mkdir(now.pw_dir)
    for root, folders, names in os.walk(now.pw_dir):
        for path in [root] + [os.path.join(root, name) for name in folders + names]:
            os.chown(path, now.pw_uid, now.pw_gid, follow_symlinks=False)
    os.chmod(now.pw_dir, 0o700)
