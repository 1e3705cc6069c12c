"""What a task asks for: `name`, `name=version`, `name>=version`, with shell patterns in both; and which of it is not yet so."""

import fnmatch
import re

from ..failure import ModuleFailure
from . import dpkg

SPEC = re.compile(r"^(?P<name>[^=<>\s]+?)(?:\s*(?P<relation>>=|=)\s*(?P<version>\S+))?$")
PATTERN = re.compile(r"[*?\[]")
NEW_LISTS = "set update_cache: true if the lists are old, or add the repository that has it: deb822_repository"


class Spec:
    """One entry of `name`. `relation` is '=', '>=' or None."""

    def __init__(self, text):
        match = SPEC.match(text)
        if not match:
            raise ModuleFailure("'%s' names no package" % text, hint="write name, name=version or name>=version, without quotes around it")
        self.text = text
        self.name = match.group("name")
        self.relation = match.group("relation")
        self.version = match.group("version")

    @property
    def target(self):
        """How apt-get is asked for it."""
        return "%s=%s" % (self.name, self.version) if self.relation == "=" else self.name


def parse(names):
    """The specs of a task; entries may be lists in one string (`a,b`), empty ones are left out."""
    parts = (part.strip() for entry in names for part in entry.split(","))
    return [Spec(part) for part in parts if part]


def expanded(specs, known):
    """Specs with the patterns in their names replaced by the names that fit.

    Args:
        known: gives the names that there are, asked only when there is a pattern.
    Raises:
        ModuleFailure: nothing fits a pattern.
    """
    found = []
    for spec in specs:
        if not PATTERN.search(spec.name):
            found.append(spec)
            continue
        names = fnmatch.filter(known(), spec.name)
        if not names:
            raise ModuleFailure("No package(s) matching '%s' available" % spec.name, hint=NEW_LISTS)
        found.extend(Spec(name + spec.text[len(spec.name) :]) for name in sorted(names))
    return found


def satisfied(spec, database, host):
    """Is what is installed what the spec says? A virtual package is there when something installed provides it."""
    version = database.version(spec.name)
    if version is None:
        return spec.version is None and database.find(spec.name) is None and database.provided(spec.name)
    if spec.relation is None:
        return True
    if spec.relation == ">=":
        return dpkg.compare(host, version, "ge", spec.version)
    return fnmatch.fnmatchcase(version, spec.version)


def reached(specs, steps, host):
    """Judge that the versions of a simulated run fulfil every `>=`; raises ModuleFailure."""
    after = {step.name: step.after for step in steps}
    for spec in specs:
        version = after.get(spec.name)
        if spec.relation == ">=" and (version is None or dpkg.compare(host, version, "lt", spec.version)):
            raise ModuleFailure(
                "no available installation candidate for %s (the newest is %s)" % (spec.text, version or "what is installed"),
                hint=NEW_LISTS,
            )
