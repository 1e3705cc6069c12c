"""What rpm has installed, and which of a task's names that already fulfils."""

import fnmatch
import re

QUERY = "%{NAME}\t%{EPOCHNUM}\t%{VERSION}\t%{RELEASE}\t%{ARCH}\n"
#: `name >= 1.2` and `name = 1.2-3`, as dnf takes them
RELATION = re.compile(r"^(?P<name>\S+)\s*(?P<relation>>=|<=|=|<|>)\s*(?P<version>\S+)$")
#: what only dnf can tell: groups, modules, files, addresses, virtual provides
OPAQUE = re.compile(r"^(@|/|https?://|ftp://|file://)|\.rpm$|[(:]")
PATTERN = re.compile(r"[*?\[]")
#: what a version is compared by; whatever lies between is only a separator
SEGMENT = re.compile(r"(\d+|[a-zA-Z]+|~|\^)")


class Package:
    """An installed package."""

    def __init__(self, name, epoch, version, release, architecture):
        self.name = name
        self.epoch = epoch
        self.version = version
        self.release = release
        self.architecture = architecture

    @property
    def full(self):
        return "%s-%s" % (self.version, self.release)

    def spellings(self):
        """Every way in which dnf lets this package be named (dnf(8), specifying packages)."""
        with_epoch = ["%s:%s" % (self.epoch, self.full), self.full, self.version, "%s:%s" % (self.epoch, self.version)]
        names = [self.name] + ["%s-%s" % (self.name, version) for version in with_epoch]
        names.append("%s-%s:%s" % (self.name, self.epoch, self.full))
        return names + ["%s.%s" % (name, self.architecture) for name in names]


def installed(host, root="/"):
    """All packages, in one program."""
    argv = ["rpm"] + (["--root", root] if root != "/" else []) + ["--query", "--all", "--queryformat", QUERY]
    rows = host.must(argv, "reading rpm's database").stdout.splitlines()
    return [Package(*row.split("\t")) for row in rows if row.count("\t") == 4]


def named(spec, packages):
    """The installed packages that a name, a pattern or a relation means."""
    match = RELATION.match(spec)
    if match:
        own = [one for one in packages if one.name == match.group("name")]
        return [one for one in own if holds(one, match.group("relation"), match.group("version"))]
    if PATTERN.search(spec):
        return [one for one in packages if any(fnmatch.fnmatchcase(word, spec) for word in one.spellings())]
    return [one for one in packages if spec in one.spellings()]


def holds(package, relation, wanted):
    """Does an installed version stand in a relation to another one? A wanted one without release leaves the release out."""
    epoch, colon, rest = wanted.rpartition(":")
    version, dash, release = rest.partition("-")
    order = (int(package.epoch) > int(epoch)) - (int(package.epoch) < int(epoch)) if colon else 0
    order = order or compare(package.version, version) or (compare(package.release, release) if dash else 0)
    return {"=": order == 0, ">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0}[relation]


def compare(one, other):
    """-1, 0 or 1, by rpm's order of versions: numbers as numbers, words as words, `~` before everything, `^` after the end."""
    left, right = SEGMENT.findall(one), SEGMENT.findall(other)
    for index in range(min(len(left), len(right))):
        order = _segments(left[index], right[index])
        if order:
            return order
    if len(left) == len(right):
        return 0
    longer = 1 if len(left) > len(right) else -1
    following = (left if longer == 1 else right)[min(len(left), len(right))]
    return -longer if following == "~" else longer


def _segments(a, b):
    if a == b:
        return 0
    for sign in ("~", "^"):
        if sign in (a, b):
            return -1 if a == sign else 1
    if a.isdigit() and b.isdigit():
        return (int(a) > int(b)) - (int(a) < int(b))
    if a.isdigit() != b.isdigit():
        return 1 if a.isdigit() else -1
    return (a > b) - (a < b)
