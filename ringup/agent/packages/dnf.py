"""dnf's command line: what it would do, read from its own table; waiting for whoever works with rpm; doing it."""

import os
import re
import shutil
import time

from ..failure import ModuleFailure
from .locks import holder_of

PROGRAMS = ("dnf5", "dnf", "dnf-3", "yum")
#: heading of a table of `dnf --assumeno` -> what happens to the packages below it
HEADINGS = (
    (re.compile(r"^Installing( (weak )?dependencies| group/module packages| groups?)?:$"), "installed"),
    (re.compile(r"^Reinstalling:$"), "reinstalled"),
    (re.compile(r"^Upgrading( dependencies)?:$"), "upgraded"),
    (re.compile(r"^Downgrading( dependencies)?:$"), "downgraded"),
    (re.compile(r"^Removing( (unused|dependent) (dependencies|packages))?:$"), "removed"),
)
ROW = re.compile(r"^ (?P<name>\S+)\s+(?P<architecture>noarch|x86_64|aarch64|i[3-6]86|ppc64le|s390x|src)\s+(?P<version>\S+)\s+\S+")
RPM_LOCK = "/var/lib/rpm/.rpm.lock"
PID_FILES = ("/var/lib/dnf/rpmdb_lock.pid", "/var/cache/dnf/metadata_lock.pid", "/var/cache/dnf/download_lock.pid", "/var/run/yum.pid")
POLL_S = 0.5
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "COLUMNS": "400"}
NOTHING = re.compile(r"^Nothing to do\.?$", re.MULTILINE)
UNKNOWN = re.compile(r"^(?:Error: )?(?:Unable to find a match|No match for argument|No package .* available)[: ]+(.+)$", re.MULTILINE)


class Step:
    """One package of a transaction: `verb` is installed, upgraded, downgraded, reinstalled or removed."""

    def __init__(self, name, architecture, version, verb):
        self.name = name
        self.architecture = architecture
        self.version = version
        self.verb = verb

    def __str__(self):
        return "%s: %s-%s.%s" % (self.verb.capitalize(), self.name, self.version, self.architecture)


def program(wished="auto"):
    """The dnf of this host; raises ModuleFailure when there is none."""
    names = (
        PROGRAMS if wished == "auto" else {"dnf4": ("dnf-3", "dnf"), "yum4": ("yum", "dnf"), "yum": ("yum", "dnf")}.get(wished, (wished,))
    )
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise ModuleFailure("dnf is not on this host", hint="a Debian or Ubuntu host takes apt; package takes whichever there is")
    return found


def simulate(host, argv):
    """The steps that a command would take.

    Raises:
        ModuleFailure: dnf cannot do it; names what it does not know.
    """
    result = host.run(argv + ["--assumeno"], env=ENVIRONMENT)
    steps = parse(result.stdout)
    if steps or result.rc == 0 or NOTHING.search(result.stdout + result.stderr):
        return steps
    raise failure(result, argv)


def parse(told):
    """Steps of dnf's table; what a package replaces, and rows cut in two for their long names, belong to it."""
    steps, verb = [], None
    lines = re.sub(r"\n {6,}(?=\S)", " ", told).splitlines()
    for line in lines:
        heading = next((word for pattern, word in HEADINGS if pattern.match(line.strip())), None)
        if heading is not None and not line.startswith("  "):
            verb = heading
            continue
        if not line.startswith(" "):
            verb = None
            continue
        row = ROW.match(line)
        if row and verb:
            version = re.sub(r"^0:", "", row.group("version"))
            steps.append(Step(row.group("name"), row.group("architecture"), version, verb))
    return steps


def failure(result, argv):
    said = result.stdout + result.stderr
    unknown = UNKNOWN.findall(said)
    if unknown:
        names = ", ".join(sorted({name.strip() for name in unknown}))
        return ModuleFailure(
            "Failed to install some of the specified packages: no package %s is available" % names,
            hint="is its repository there and enabled (enablerepo)? update_cache: true reads its list again",
            rc=result.rc,
            stdout=result.stdout,
            stderr=result.stderr,
            failures=["No package %s available." % name.strip() for name in unknown],
        )
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    begin = next((number for number, line in enumerate(lines) if re.match(r"^(Error|Failed)\b", line)), max(0, len(lines) - 3))
    return ModuleFailure(
        "dnf failed (exit code %d): %s" % (result.rc, " ".join(lines[begin : begin + 4]) or "no output"),
        hint=_hint(said),
        rc=result.rc,
        stdout=result.stdout,
        stderr=result.stderr,
        cmd=argv,
    )


def _hint(said):
    if re.search(r"GPG|not signed|public key", said):
        return "import the repository's key, or set gpgkey in its file; disable_gpg_check: true takes packages unsigned"
    if re.search(r"Could not resolve host|Cannot download|Failed to download|Curl error", said):
        return "the host does not reach the repository: look at its baseurl and at proxy in /etc/dnf/dnf.conf"
    if "conflict" in said:
        return "allowerasing: true lets dnf remove what is in the way"
    return None


def perform(host, argv, lock_timeout):
    """Run it, live, once nobody else works with rpm; its failure says why."""
    wait(host, lock_timeout)
    result = host.run(argv + ["--assumeyes"], env=ENVIRONMENT, live=True)
    if result.rc != 0:
        raise failure(result, argv)
    return result


def holder():
    """(pid, name) of who works with rpm now, or None."""
    locked = holder_of(RPM_LOCK)
    if locked is not None:
        return locked.pid, locked.name
    for path in PID_FILES:
        try:
            with open(path) as stream:
                pid = int(stream.read())
            with open("/proc/%d/comm" % pid) as stream:
                return pid, stream.read().strip()
        except (OSError, ValueError):
            continue  # nobody, or one that is gone
    return None


def wait(host, limit_s):
    """Wait until nobody else works with rpm, and tell the operator who does.

    Raises:
        ModuleFailure: somebody still does after `limit_s` seconds.
    """
    begin = time.monotonic()
    while True:
        found = holder()
        if found is None or found[0] == os.getpid():
            return
        waited_s = time.monotonic() - begin
        if waited_s >= limit_s:
            raise ModuleFailure(
                "rpm's lock is still held by PID %d %s after %d s" % (found[0], found[1], limit_s),
                hint="let it finish (often dnf-automatic or PackageKit), or raise lock_timeout",
                lock_pid=found[0],
                lock_holder=found[1],
            )
        host.progress("waiting for rpm's lock, held by PID %d %s, since %d s" % (found[0], found[1], waited_s))
        time.sleep(POLL_S)
