"""The host's accounts: users, groups, and what /etc/shadow says about their passwords."""

import grp
import pwd

from .failure import ModuleFailure


class Shadow:
    """A row of /etc/shadow.

    Attributes:
        password: the hash, with a leading `!` when it is locked.
        minimum, maximum, warning, inactive: days, None when not set.
        expires: day since the epoch on which the account ends, None for never.
    """

    def __init__(self, password="", minimum=None, maximum=None, warning=None, inactive=None, expires=None):
        self.password = password
        self.minimum = minimum
        self.maximum = maximum
        self.warning = warning
        self.inactive = inactive
        self.expires = expires

    @property
    def locked(self):
        return self.password.startswith("!")


def user(name, local=False):
    """The user's row of passwd, or None; `local` looks in /etc/passwd only."""
    if local:
        return next((pwd.struct_passwd(_numbers(row)) for row in _rows("/etc/passwd") if row[0] == name), None)
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _numbers(row):
    return row[:2] + [int(row[2]), int(row[3])] + row[4:7]


def group(name, local=False):
    """The group's row, by name or by number, or None; `local` looks in /etc/group only."""
    if local:
        rows = [grp.struct_group((row[0], row[1], int(row[2]), row[3].split(","))) for row in _rows("/etc/group")]
        return next((row for row in rows if name in (row.gr_name, str(row.gr_gid))), None)
    try:
        return grp.getgrnam(str(name))
    except KeyError:
        pass
    try:
        return grp.getgrgid(int(name))
    except (KeyError, ValueError):
        return None


def shadow(name):
    """What /etc/shadow says about a user; an empty row when it says nothing, or only root may read it."""
    try:
        rows = _rows("/etc/shadow")
    except PermissionError:
        return Shadow()
    for row in rows:
        if row[0] == name:
            # name, password, last change, minimum, maximum, warning, inactive, expires (shadow(5))
            minimum, maximum, warning, inactive, expires = [int(field) if field else None for field in row[3:8]]
            return Shadow(row[1], minimum, maximum, warning, inactive, expires)
    return Shadow()


def _rows(path):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return [line.rstrip("\n").split(":") for line in stream if ":" in line]
    except FileNotFoundError:
        return []


def groups_of(name, primary):
    """Names of the groups that list a user as a member, without the primary one (a group id)."""
    return sorted(row.gr_name for row in grp.getgrall() if name in row.gr_mem and row.gr_gid != primary)


def existing(names, host):
    """Canonical names of groups given by name or number.

    Raises:
        ModuleFailure: one does not exist; in check mode it is taken as it is, an earlier task may be about to make it.
    """
    found = []
    for name in names:
        row = group(name)
        if row is None and not host.check:
            raise ModuleFailure("Group %s does not exist" % name, hint="make it first with the group module")
        found.append(row.gr_name if row is not None else name)
    return found
