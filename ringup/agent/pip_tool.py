"""pip as the host has it: which one, what it has installed, which requirements that fulfils."""

import json
import os
import shlex
import shutil
import sys

from .failure import ModuleFailure

#: run by the Python that pip belongs to, whose own reading of requirements is the one that counts.
#: Standard input: {"wanted": [...], "installed": {name: version}}; answers for each whether it is fulfilled.
JUDGE = """
import json, sys
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
asked = json.load(sys.stdin)
installed = {canonicalize_name(name): version for name, version in asked["installed"].items()}
answers = []
for text in asked["wanted"]:
    wanted = Requirement(text)
    version = installed.get(canonicalize_name(wanted.name))
    if wanted.marker is not None and not wanted.marker.evaluate():
        answers.append([wanted.name, version, True])
        continue
    fits = version is not None and wanted.url is None and wanted.specifier.contains(version, prereleases=True)
    answers.append([wanted.name, version, fits])
json.dump(answers, sys.stdout)
"""
DRY_RUN_SINCE = (22, 2)


class Pip:
    """pip of one Python.

    Attributes:
        argv: the command.
        python: the interpreter that it installs for.
        first_on_path: folder that goes before the others of PATH while it runs; builds look for their tools there.
    """

    def __init__(self, host, argv, python, first_on_path=None, cwd=None, break_system_packages=False):
        self.host = host
        self.argv = argv
        self.python = python
        self.cwd = cwd
        self.env = {"LC_ALL": "C.UTF-8", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PYTHONUNBUFFERED": "1"}
        if break_system_packages:
            self.env["PIP_BREAK_SYSTEM_PACKAGES"] = "1"
        if first_on_path:
            self.env["PATH"] = "%s:%s" % (first_on_path, os.environ.get("PATH", "/usr/bin:/bin"))

    def installed(self):
        """Versions by name."""
        result = self.host.run(self.argv + ["list", "--format", "json"], env=self.env, cwd=self.cwd)
        if result.rc != 0:
            raise self.failure(result)
        return {row["name"]: row["version"] for row in json.loads(result.stdout.strip().splitlines()[-1])}

    def judged(self, wanted, installed):
        """(name, installed version or None, fulfilled) of each requirement; raises ModuleFailure for one that is none."""
        asked = json.dumps({"wanted": wanted, "installed": installed}).encode("utf-8")
        result = self.host.run([self.python, "-c", JUDGE], stdin=asked, env=self.env)
        if result.rc != 0:
            last = (result.stderr.strip().splitlines() or ["no output"])[-1]
            raise ModuleFailure("'%s' cannot be read: %s" % (", ".join(wanted), last), hint="write name, name==1.2 or name>=1.2,<2")
        return json.loads(result.stdout)

    def version(self):
        """pip's own version as numbers; (0,) when it does not say."""
        words = self.host.run(self.argv + ["--version"], env=self.env, cwd=self.cwd).stdout.split()
        numbers = words[1].split(".") if len(words) > 1 else []
        return tuple(int(number) for number in numbers if number.isdigit()) or (0,)

    def would_install(self, arguments):
        """Versions by name that an install would bring, or None when this pip is too old to say."""
        if self.version() < DRY_RUN_SINCE:
            return None
        argv = self.argv + ["install", "--dry-run", "--quiet", "--report", "-"] + arguments
        result = self.host.run(argv, env=self.env, cwd=self.cwd)
        if result.rc != 0:
            raise self.failure(result)
        report = json.loads(result.stdout[result.stdout.index("{") :])
        return {entry["metadata"]["name"]: entry["metadata"]["version"] for entry in report["install"]}

    def run(self, arguments, umask=None):
        result = self.host.run(self.argv + arguments, env=self.env, cwd=self.cwd, live=True, umask=umask)
        if result.rc != 0:
            raise self.failure(result)
        return result

    def failure(self, result):
        """pip's refusal in the operator's words."""
        values = {"rc": result.rc, "stdout": result.stdout, "stderr": result.stderr, "cmd": result.argv}
        said = result.stderr + result.stdout
        for words, message, hint in (
            ("No module named pip", "pip is not installed for %s" % self.python, "install python3-pip with apt first, or set virtualenv"),
            (
                "externally-managed-environment",
                "this Python belongs to the operating system, and pip may not change it",
                "set virtualenv: to a folder of your own (break_system_packages: true installs all the same)",
            ),
            ("No space left on device", "the disk is full", "free space on the host, or set TMPDIR in environment: to another disk"),
        ):
            if words in said:
                return ModuleFailure(message, hint=hint, **values)
        errors = [line for line in said.splitlines() if line.startswith("ERROR:")]
        last = errors[-1] if errors else (said.strip().splitlines() or ["no output"])[-1]
        advice = "is it spelt right, and for this Python? can the host reach the index?" if "No matching distribution" in said else None
        return ModuleFailure("pip failed (exit code %d): %s" % (result.rc, last), hint=advice, **values)


def in_virtualenv(host, folder, **how):
    python = os.path.join(folder, "bin", "python")
    return Pip(host, [python, "-m", "pip"], python, first_on_path=os.path.join(folder, "bin"), **how)


def of_host(host, executable, **how):
    """pip by its own name or path, or that of the Python that this agent runs on."""
    if executable is None:
        return Pip(host, [sys.executable, "-m", "pip"], sys.executable, **how)
    path = shutil.which(executable)
    if path is None:
        raise ModuleFailure("there is no %s on the host" % executable, hint="install it first, or write its full path")
    return Pip(host, [path], _python_of(path), **how)


def _python_of(path):
    """The interpreter that a script's first line names."""
    with open(path, "rb") as stream:
        first = stream.readline(512).decode("utf-8", "replace")
    words = shlex.split(first[2:]) if first.startswith("#!") else []
    if not words:
        return sys.executable
    return words[0] if os.path.basename(words[0]) != "env" else shutil.which(words[-1]) or sys.executable
