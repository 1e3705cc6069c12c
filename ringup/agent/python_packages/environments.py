"""Virtual environments: made by uv, by the command of the task, by virtualenv, or by the venv module, whichever there is."""

import os
import re
import shlex
import shutil
import sys

from ..failure import ModuleFailure


def python_of(virtualenv):
    return os.path.join(virtualenv, "bin", "python")


def works(virtualenv):
    """Is there an environment whose Python is still on the host? An upgraded distribution takes it away."""
    return os.path.exists(python_of(virtualenv))


def make(host, virtualenv, command=None, python=None, site_packages=False, uv=None, umask=None):
    """Make an environment; gives the finished program.

    Args:
        command: the task's own command, as `python3 -m venv`.
        python: Python of the environment; default: the agent's.
        uv: the uv program, or None.
    Raises:
        ModuleFailure: it cannot be made; says which package is missing.
    """
    _drop_dangling(virtualenv)
    argv = _argv(virtualenv, command, python or sys.executable, site_packages, uv)
    env = {"UV_NO_CONFIG": "1", "UV_NO_PROGRESS": "1"} if uv and command is None else {}
    result = host.run(argv, umask=umask, env=env, live=True)
    if result.rc == 0 and works(virtualenv):
        return result
    said = result.stdout + result.stderr
    hint = "the host's own words are in stderr"
    if "ensurepip is not" in said or "No module named venv" in said:
        package = re.search(r"apt(?:-get)? install (\S+)", said)
        hint = "install %s with apt first, or put uv on the host and set uv to its path" % (package.group(1) if package else "python3-venv")
        shutil.rmtree(virtualenv, ignore_errors=True)  # venv leaves an environment without pip behind
    raise ModuleFailure(
        "the virtual environment %s cannot be made" % virtualenv,
        hint=hint,
        rc=result.rc,
        stdout=result.stdout,
        stderr=result.stderr,
        cmd=argv,
    )


def _drop_dangling(virtualenv):
    """Remove links to a Python that is gone: venv would keep them as they are."""
    folder = os.path.join(virtualenv, "bin")
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        if name.startswith("python") and os.path.islink(path) and not os.path.exists(path):
            os.unlink(path)


def _argv(virtualenv, command, python, site_packages, uv):
    shared = ["--system-site-packages"] if site_packages else []
    if command is not None:
        words = shlex.split(command)
        words[0] = os.path.expanduser(words[0])
        chooses_itself = "venv" in words[1:] or os.path.basename(words[0]).startswith("pyvenv")
        return words + shared + ([] if chooses_itself else ["-p%s" % python]) + [virtualenv]
    if uv is not None:
        return [uv, "venv", "--allow-existing", "--python", python] + shared + [virtualenv]
    program = shutil.which("virtualenv")
    if program is not None:
        return [program] + shared + ["-p%s" % python, virtualenv]
    return [python, "-m", "venv"] + shared + [virtualenv]
