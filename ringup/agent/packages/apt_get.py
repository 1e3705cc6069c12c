"""apt-get: running it when its locks are free, what it would change, and what its errors mean."""

import re
import time

from ..failure import ModuleFailure
from . import locks

QUIET = {"DEBIAN_FRONTEND": "noninteractive", "DEBIAN_PRIORITY": "critical", "LC_ALL": "C.UTF-8", "LANGUAGE": None}
QUIET["APT_LISTCHANGES_FRONTEND"] = "none"
QUIET["NEEDRESTART_SUSPEND"] = "1"

STEP = re.compile(r"^(?P<verb>Inst|Remv|Purg) (?P<name>\S+)(?: \[(?P<before>[^\]]+)\])?(?: \((?P<after>\S+))?")
UNKNOWN = (
    re.compile(r"E: Unable to locate package (?P<name>\S+)"),
    re.compile(r"E: Package '(?P<name>[^']+)' has no installation candidate"),
    re.compile(r"E: Unable to find a source package for (?P<name>\S+)"),
    re.compile(r"E: Couldn't find any package by (?:glob|regex) '(?P<name>[^']+)'"),
)
NO_VERSION = re.compile(r"E: Version '(?P<version>[^']+)' for '(?P<name>[^']+)' was not found")
LOCKED = re.compile(r"Could not get lock|Unable to lock|Unable to acquire the dpkg frontend lock|is another process using it")

#: words of apt-get's errors, what they mean here, and what to do
ADVICE = (
    ("--allow-downgrades", "a package would get an older version", "set allow_downgrade: true, or ask for a newer version"),
    ("--allow-change-held-packages", "a held package would change", "set allow_change_held_packages: true, or release it: dpkg_selections"),
    ("without --allow-remove-essential", "an essential package would be removed", "leave it; the host would not start without it"),
    ("Packages need to be removed but remove is disabled", "packages would be removed", "set fail_on_autoremove: false if they may go"),
    ("There were unauthenticated packages", "the packages are not signed by a known key", "give the repository its key: deb822_repository"),
    ("is not signed", "a repository is not signed by a known key", "give the repository its key: deb822_repository, signed_by"),
    ("NO_PUBKEY", "a repository is signed by a key that is not known here", "give the repository its key: deb822_repository, signed_by"),
    ("enough free space", "the disk is full", "free space on the host: df -h /var /; clean: true empties apt's cache"),
    ("No space left on device", "the disk is full", "free space on the host: df -h /var /; clean: true empties apt's cache"),
    ("Temporary failure resolving", "the host cannot resolve a repository's name", "look at /etc/resolv.conf on the host, or set a proxy"),
    ("Failed to fetch", "a repository does not answer", "can the host reach it? update_cache: true helps when lists are old"),
    ("held broken packages", "dependencies contradict each other", "look at the packages named; a hold or a pin is the usual cause"),
    ("Unmet dependencies", "dependencies are broken", "run apt with state: fixed first"),
)


class Step:
    """One package of a simulated run: versions before and after, None for none."""

    def __init__(self, name, before, after):
        self.name = name
        self.before = before
        self.after = after


def steps_of(simulated):
    """What `apt-get -s` says that it would install, change or remove; a package that is removed and installed is one step."""
    found = {}
    for line in simulated.splitlines():
        match = STEP.match(line)
        if not match:
            continue
        name = match.group("name")
        before, after = match.group("before"), match.group("after")
        if name in found:
            before = found[name].before or before
        found[name] = Step(name, before, after if match.group("verb") == "Inst" else None)
    return list(found.values())


def simulate(host, arguments):
    """The steps of an apt-get command, without its locks and without changing anything; raises ModuleFailure as the run would."""
    result = host.run(["apt-get", "--simulate", "--assume-yes"] + arguments, env=QUIET)
    if result.rc != 0:
        raise failure(result)
    return steps_of(result.stdout)


def run(host, arguments, lock_timeout_s, program="apt-get"):
    """Run apt-get (or dpkg) once its locks are free; another process that takes them in between is waited for again.

    Raises:
        ModuleFailure: it failed; the message is its own, with what it means.
    """
    argv = ["apt-get", "--assume-yes"] + arguments if program == "apt-get" else [program] + arguments
    deadline = time.monotonic() + lock_timeout_s
    while True:
        locks.wait(host, max(0.0, deadline - time.monotonic()))
        result = host.run(argv, env=QUIET, live=True)
        if result.rc == 0:
            return result
        if not LOCKED.search(result.stderr) or time.monotonic() >= deadline:
            raise failure(result)


def failure(result):
    """A failed run in the operator's words."""
    values = {"rc": result.rc, "stdout": result.stdout, "stderr": result.stderr, "cmd": result.argv}
    for pattern in UNKNOWN:
        names = sorted(set(pattern.findall(result.stderr)))
        if names:
            hint = "set update_cache: true if the lists are old, or add the repository that has it: deb822_repository"
            return ModuleFailure("No package matching '%s' is available" % "', '".join(names), hint=hint, **values)
    match = NO_VERSION.search(result.stderr)
    if match:
        message = "no available installation candidate for %s=%s" % (match.group("name"), match.group("version"))
        return ModuleFailure(message, hint="'apt-cache madison %s' on the host lists what there is" % match.group("name"), **values)
    said = result.stderr + result.stdout
    meaning, hint = next(((why, what) for words, why, what in ADVICE if words in said), (None, "look at stderr of this result"))
    message = "%s failed (exit code %d): %s" % (result.argv[0], result.rc, _last_error(result))
    return ModuleFailure(message + (" (%s)" % meaning if meaning else ""), hint=hint, **values)


def _last_error(result):
    lines = [line for line in result.stderr.splitlines() + result.stdout.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E:", "dpkg: error"))]
    return (errors or lines or ["no output"])[0].strip()
