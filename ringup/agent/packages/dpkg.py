"""The dpkg database: what is installed, what is held, what an interrupted run has left half done."""

import fnmatch
import os
import re

UPDATES = "/var/lib/dpkg/updates"
QUERY = "${Package}\t${Architecture}\t${Version}\t${db:Status-Abbrev}\t${Provides}\t${source:Package}\n"
#: second letter of a status: half-installed, unpacked, half-configured (deb-status, dpkg-query(1))
HALF_DONE = frozenset("HUF")


class Package:
    """A row of the database.

    Attributes:
        status: three letters of dpkg-query: what is wanted, what is there, whether it must be installed again.
        provides: names of the virtual packages that it stands for.
    """

    def __init__(self, name, architecture, version, status, provides="", source=""):
        self.name = name
        self.architecture = architecture
        self.version = version
        self.status = status.ljust(3)
        self.provides = {part.split()[0].split(":")[0] for part in provides.split(",") if part.strip()}
        self.source = source

    @property
    def installed(self):
        return self.status[1] in "iWtFU"

    @property
    def held(self):
        return self.status[0] == "h"

    @property
    def half_done(self):
        return self.status[1] in HALF_DONE or self.status[2] == "R"


class Database:
    """All rows, by name; a name may be there for several architectures."""

    def __init__(self, rows):
        self.rows = list(rows)
        self._by_name = {}
        for row in self.rows:
            self._by_name.setdefault(row.name, []).append(row)

    def find(self, name):
        """The row of `name` or `name:architecture` that is installed, else one that left something behind, else None."""
        name, _, architecture = name.partition(":")
        rows = [row for row in self._by_name.get(name, ()) if architecture in ("", "any", row.architecture)]
        return next((row for row in rows if row.installed), rows[0] if rows else None)

    def version(self, name):
        """The installed version, or None."""
        row = self.find(name)
        return row.version if row is not None and row.installed else None

    def provided(self, name):
        """Is a virtual package of this name provided by something installed?"""
        return any(row.installed and name in row.provides for row in self.rows)

    def matching(self, pattern, leftovers=False):
        """Names that a shell pattern fits: installed, and with `leftovers` those whose configuration files are still there."""
        rows = (row for row in self.rows if row.installed or (leftovers and row.status[1] == "c"))
        return sorted({row.name for row in rows if fnmatch.fnmatchcase(row.name, pattern)})

    def half_done(self):
        return [row for row in self.rows if row.half_done]


def database(host):
    """Read all of it, in one program of some ten milliseconds."""
    result = host.must(["dpkg-query", "--show", "--showformat", QUERY], "reading the package database", env={"LC_ALL": "C.UTF-8"})
    return Database(Package(*line.split("\t")) for line in result.stdout.splitlines() if line.count("\t") == 5)


def interrupted(found):
    """Names of packages that a killed dpkg left half done; a journal that it has not merged counts as `dpkg`."""
    names = [row.name for row in found.half_done()]
    journal = os.listdir(UPDATES) if os.path.isdir(UPDATES) else []
    if any(re.match(r"^\d+$", name) for name in journal):
        names.append("dpkg")
    return names


def compare(host, one, relation, other):
    """Does `one` stand in a relation (lt, le, eq, ge, gt) to another version, by Debian's order?"""
    return host.run(["dpkg", "--compare-versions", one, relation, other]).rc == 0
