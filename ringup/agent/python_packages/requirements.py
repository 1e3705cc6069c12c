"""What a task asks for: names with specifiers, wheels, paths, addresses, requirements files; and whether it is there."""

import os
import re

from ..failure import ModuleFailure
from .versions import satisfies, split_specifiers

NAMED = re.compile(
    r"^(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[(?P<extras>[^\]]*)\])?\s*"
    r"(?:\(?(?P<specifiers>[^();@]*)\)?|@\s*(?P<url>[^;]+?))\s*(?:;\s*(?P<marker>.+))?$"
)
LOCATION = re.compile(r"^(?:[a-z]+\+)?(?:https?|ftp|file|git|ssh)://|^(?:git|hg|svn|bzr)\+", re.IGNORECASE)
WHEEL = re.compile(r"^(?P<name>[A-Za-z0-9._]+)-(?P<version>[A-Za-z0-9.!+_]+)(?:-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl$")
OPTION = re.compile(r"^(-[A-Za-z]|--[A-Za-z-]+)[=\s]*(.*)$")
FILE_OPTIONS = {"-r": "-r", "--requirement": "-r", "-c": "-c", "--constraint": "-c", "-e": "-e", "--editable": "-e"}


def normalised(name):
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Requirement:
    """One thing to be installed.

    Attributes:
        text: as it is given to the installer, a path as an absolute one.
        name: normalised, or None for a path or address that does not tell.
        specifiers: [(operator, version)].
        extras, marker, url: as in PEP 508; url also holds a bare path or address.
        editable: to be installed in place.
    """

    def __init__(self, text, name=None, specifiers=(), extras=(), marker=None, url=None, editable=False):
        self.text = text
        self.name = name
        self.specifiers = list(specifiers)
        self.extras = list(extras)
        self.marker = marker
        self.url = url
        self.editable = editable

    @property
    def shown(self):
        return self.name or self.text

    @property
    def wish(self):
        """The version part as an operator would write it; of a pin the version alone."""
        if len(self.specifiers) == 1 and self.specifiers[0][0] == "==":
            return self.specifiers[0][1]
        return ",".join("%s%s" % clause for clause in self.specifiers) or (self.url or "any version")


def parse(text, folder=None, editable=False):
    """One requirement.

    Args:
        folder: where relative paths begin.
    Raises:
        ModuleFailure: it is none.
    """
    text = text.strip()
    if editable or LOCATION.match(text) or _is_path(text, folder):
        return _located(text, folder, editable)
    match = NAMED.match(text)
    if match is None:
        raise ModuleFailure("'%s' is no requirement" % text, hint="write it as in 'name>=1.2,<2', a path, or an address")
    try:
        specifiers = split_specifiers(match.group("specifiers") or "")
    except ValueError as error:
        raise ModuleFailure("'%s' is no requirement: %s" % (text, error), hint="write it as in 'name>=1.2,<2'")
    extras = [part.strip() for part in (match.group("extras") or "").split(",") if part.strip()]
    url = match.group("url")
    return Requirement(text, normalised(match.group("name")), specifiers, extras, match.group("marker"), url and url.strip())


def _is_path(text, folder):
    if text.startswith(("/", "./", "../", "~")) or text == ".":
        return True
    return text.endswith((".whl", ".tar.gz", ".zip")) and os.path.exists(os.path.join(folder or "", text))


def _located(text, folder, editable):
    url = text if LOCATION.match(text) else os.path.abspath(os.path.join(folder or os.getcwd(), os.path.expanduser(text)))
    wheel = WHEEL.match(os.path.basename(url.split("#")[0]))
    if wheel and not editable:
        version = wheel.group("version").replace("_", "-")
        return Requirement(url, normalised(wheel.group("name")), [("==", version)], url=url)
    egg = re.search(r"[#&]egg=([A-Za-z0-9._-]+)", url)
    return Requirement(url, normalised(egg.group(1)) if egg else None, url=url, editable=editable)


def joined(parts):
    """A list of names whose specifiers and extras a comma has cut apart, whole again: `['a>1', '<2']` is `a>1,<2`."""
    found = []
    for part in parts:
        open_extras = bool(found) and found[-1].count("[") > found[-1].count("]")
        if found and (open_extras or re.match(r"^\s*(===|==|~=|!=|<=|>=|<|>)", part)):
            found[-1] += "," + part
        elif part.strip():
            found.append(part.strip())
    return found


class RequirementsFile:
    """A requirements file with those it includes.

    Attributes:
        wanted: what must be there.
        constraints: what must hold for whatever is there.
    """

    def __init__(self):
        self.wanted = []
        self.constraints = []


def read_file(path, into=None, constraint=False):
    """Read a requirements file.

    Raises:
        ModuleFailure: it cannot be read, or a line is no requirement; names the line.
    """
    found = into if into is not None else RequirementsFile()
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError as error:
        raise ModuleFailure("the requirements file %s cannot be read: %s" % (path, error.strerror), hint="copy it to the host first")
    for number, line in _logical_lines(text):
        try:
            _add_line(line, path, found, constraint)
        except ModuleFailure as failure:
            raise ModuleFailure("%s:%d: %s" % (path, number, failure.message), hint=failure.hint)
    return found


def _logical_lines(text):
    """(number, line) without comments, with continued lines joined."""
    waiting, begin = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        begin = begin if waiting else number
        if line.endswith("\\"):
            waiting += line[:-1] + " "
            continue
        whole = re.sub(r"(^|\s)#.*$", "", waiting + line).strip()
        waiting = ""
        if whole:
            yield begin, whole


def _add_line(line, path, found, constraint):
    folder = os.path.dirname(os.path.abspath(path))
    match = OPTION.match(line)
    if match is None:
        # `--hash` and other options of one requirement are the installer's business
        wanted = parse(re.split(r"\s+--", line)[0], folder)
        (found.constraints if constraint else found.wanted).append(wanted)
        return
    word = FILE_OPTIONS.get(match.group(1))
    if word == "-e":
        found.wanted.append(parse(match.group(2), folder, editable=True))
    elif word is not None:
        read_file(os.path.join(folder, match.group(2)), found, constraint or word == "-c")


def there(requirement, installed):
    """Is a requirement fulfilled by what is installed? None when only the installer can tell (markers, mutable sources).

    Args:
        installed: normalised name -> Distribution.
    """
    if requirement.name is None:
        return any(one.comes_from(requirement.url, requirement.editable) for one in installed.values())
    have = installed.get(requirement.name)
    if have is None:
        return None if requirement.marker else False
    try:
        if not satisfies(have.version, requirement.specifiers):
            return None if requirement.marker else False
    except ValueError:
        return None  # a version from before PEP 440
    if requirement.url is not None and not have.may_come_from(requirement.url):
        return False
    return _extras_there(requirement, have, installed)


def _extras_there(requirement, have, installed):
    for extra in requirement.extras:
        for text in have.needs_for(extra):
            try:
                needed = parse(text)
            except ModuleFailure:
                return None
            answer = there(needed, installed)
            if not answer:
                return answer
    return True
