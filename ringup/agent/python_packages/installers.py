"""Who installs: uv where there is one, else pip. Both give the same answers."""

import json
import os
import re
import shutil
import sys

from ..failure import ModuleFailure
from . import settings

#: uv's lines of what it does or would do: ` + idna==3.10`, with `(from file:///...)` behind it
UV_STEP = re.compile(r"^\s*([+~-]) (\S+?)==(\S+)")
#: words of extra_args that only pip knows
PIP_ONLY = frozenset(("--user", "--root", "--prefix", "--egg", "--proxy", "--root-user-action"))
#: the first pip that can tell what it would do. Source: pip's release notes, 22.2
DRY_RUN_SINCE = (22, 2)
HINTS = (
    (
        r"externally[- ]managed",
        "set virtualenv, or break_system_packages: true to change the distribution's own Python",
    ),
    (
        r"No matching distribution|no versions? of|not found in the (package registry|provided package locations)",
        "is the name right, and does the index (index_url, find_links, pip.conf) have this version for the host's Python and architecture?",
    ),
    (
        r"Temporary failure in name resolution|Network is unreachable|[Cc]onnection (refused|error)|ConnectTimeout|dns error",
        "the host does not reach the index: set index_url or find_links to one that it reaches, or use install_wheels",
    ),
    (
        r"No space left",
        "the disk is full: free some space, or set TMPDIR and the virtualenv to another disk",
    ),
)


class Target:
    """Where packages go.

    Attributes:
        python: the interpreter; None when only a pip program is known.
        virtualenv: its folder, or None.
        pip: an explicit pip program, or None.
    """

    def __init__(self, python=None, virtualenv=None, pip=None):
        self.python = python
        self.virtualenv = virtualenv
        self.pip = pip


def find_uv(wished):
    """The uv program of an option `uv` (auto, never or a path); None when pip is to be used.

    Raises:
        ModuleFailure: the path is no program.
    """
    if wished == "never":
        return None
    if wished == "auto":
        beside = os.path.join(os.path.dirname(sys.executable or ""), "uv")
        return shutil.which("uv") or (beside if os.access(beside, os.X_OK) else None)
    path = os.path.expanduser(wished)
    if not os.access(path, os.X_OK):
        raise ModuleFailure("there is no uv at %s" % path, hint="correct uv, or say never to use pip")
    return path


def choose(host, target, wished, extra_args):
    """The installer of a target.

    Raises:
        ModuleFailure: neither uv nor pip is on the host.
    """
    if target.pip is not None:
        return Pip(host, target, [target.pip])
    uv = find_uv("never" if wished == "auto" and PIP_ONLY.intersection(extra_args) else wished)
    if uv is not None:
        return Uv(host, target, uv)
    pip = [target.python, "-m", "pip"]
    if not os.path.exists(target.python) or host.run(pip + ["--version"]).rc == 0:
        return Pip(host, target, pip)
    raise ModuleFailure(
        "neither uv nor pip is there for %s" % target.python,
        hint="install python3-pip (and python3-venv) with apt, or put uv on the host and set uv to its path",
    )


class Installer:
    """What both share. `environment`: variables of the task."""

    def __init__(self, host, target):
        self.host = host
        self.target = target
        self.environment = dict(os.environ, **{name: str(value) for name, value in host.environment.items()})

    def perform(self, argv, cwd, umask, env):
        """Run it; its failure says the reason and what to do about it."""
        result = self.host.run(argv, cwd=cwd, umask=umask, env=env, live=True)
        if result.rc != 0:
            raise failure(argv, result)
        return result


def failure(argv, result):
    said = result.stderr + result.stdout
    lines = [line.strip() for line in (result.stderr.strip() or result.stdout.strip()).splitlines()]
    lines = [line for line in lines if line and not line.startswith(("[notice]", "WARNING", "hint:"))]
    errors = [number for number, line in enumerate(lines) if re.match(r"^(ERROR|error):", line)]
    # pip's last error is the telling one; uv's has its cause on the lines below
    telling = re.sub(r"^(ERROR|error):\s*", "", " ".join(lines[errors[-1] :][:4] if errors else lines[-4:]))
    hint = next((words for pattern, words in HINTS if re.search(pattern, said)), None)
    return ModuleFailure(
        "%s failed (exit code %d): %s" % (os.path.basename(argv[0]), result.rc, telling or "no output"),
        hint=hint,
        rc=result.rc,
        stdout=result.stdout,
        stderr=result.stderr,
        cmd=argv,
    )


class Pip(Installer):
    """pip, for targets that have one."""

    name = "pip"

    def __init__(self, host, target, argv):
        super(Pip, self).__init__(host, target)
        self.argv = argv + ["--disable-pip-version-check", "--no-input"]

    def command(self, verb, flags, breaks_system):
        env = {"PIP_BREAK_SYSTEM_PACKAGES": "1"} if breaks_system else {}
        return self.argv + [verb] + (["--yes"] if verb == "uninstall" else []) + flags, env

    def dry_run(self, flags, breaks_system, cwd):
        """{name: (before unknown, version)} of what would be installed; None when this pip cannot tell."""
        argv, env = self.command("install", ["--dry-run", "--quiet", "--report", "-"] + flags, breaks_system)
        if self.version() < DRY_RUN_SINCE:
            return None
        result = self.perform(argv, cwd, None, env)
        report = json.loads(result.stdout[result.stdout.index("{") :])
        return {row["metadata"]["name"]: row["metadata"]["version"] for row in report.get("install") or ()}

    def version(self):
        match = re.search(r"pip (\d+)\.(\d+)", self.host.run(self.argv + ["--version"]).stdout)
        return (int(match.group(1)), int(match.group(2))) if match else (0, 0)


class Uv(Installer):
    """uv, which needs no pip in the environment and reads its own settings: it gets those of pip."""

    name = "uv"

    def __init__(self, host, target, program):
        super(Uv, self).__init__(host, target)
        self.program = program

    def command(self, verb, flags, breaks_system):
        env = dict({"UV_NO_PROGRESS": "1"}, **settings.uv_environment(self.environment, self.target.virtualenv))
        argv = [self.program, "pip", verb, "--python", self.target.python]
        if verb == "install":
            # the host's own configuration is that of its login, not of whatever project lies in the working folder
            env["UV_NO_CONFIG"] = "1"
            argv += [] if _chooses_index(flags) else settings.uv_flags(self.environment, self.target.virtualenv)
        if breaks_system:
            argv.append("--break-system-packages")
        return argv + flags, env

    def dry_run(self, flags, breaks_system, cwd):
        argv, env = self.command("install", ["--dry-run"] + flags, breaks_system)
        result = self.perform(argv, cwd, None, env)
        steps = (UV_STEP.match(line) for line in (result.stdout + result.stderr).splitlines())
        return {step.group(2): step.group(3) for step in steps if step and step.group(1) in "+~"}


def _chooses_index(flags):
    return any(flag.split("=")[0] in ("-i", "--index-url", "--default-index", "--no-index", "--index") for flag in flags)
