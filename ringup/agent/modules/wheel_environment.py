"""A virtual environment with exactly these wheels: made by uv, from the controller's shelf, checked by hash."""

import os
import re
import shutil
import tempfile
import urllib.request

from .. import files
from ..arguments import Arguments, option
from ..diff import Diff
from ..failure import ModuleFailure

PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)")
FETCH_LIMIT_S = 600.0


class Args(Arguments):
    """Make a virtual environment hold pinned wheels (used by install_wheels)."""

    virtualenv = option("path", required=True, help="folder of the environment")
    requirements = option("list", elements="str", required=True, help="what must be there, each pinned with ==")
    python = option("str", required=True, help="Python of the environment, such as 3.11")
    probe = option("bool", default=False, help="only say what is missing")
    url = option("str", help="where the wheels are")
    pins = option("list", elements="str", help="every wheel with its hash, as pip reads them")
    uv = option("path", help="where the installer is put")
    uv_url = option("str", help="where the installer is fetched from")


def installed(virtualenv):
    """Distribution name -> version of an environment, read from its files; names normalised (PEP 503)."""
    found = {}
    library = os.path.join(virtualenv, "lib")
    for python in sorted(os.listdir(library)) if os.path.isdir(library) else ():
        folder = os.path.join(library, python, "site-packages")
        for entry in os.listdir(folder) if os.path.isdir(folder) else ():
            if entry.endswith(".dist-info") and "-" in entry:
                name, version = entry[: -len(".dist-info")].rsplit("-", 1)
                found[normalised(name)] = version
    return found


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def satisfies(version, wanted):
    """A pin without a local label takes any build of that version (PEP 440)."""
    return version == wanted or ("+" not in wanted and version.split("+")[0] == wanted)


def check_environment(args):
    """What is not as wanted, as a Diff."""
    diff = Diff(values={"virtualenv": args.virtualenv})
    if not os.path.exists(os.path.join(args.virtualenv, "bin", "python")):
        diff.add("virtual environment %s" % args.virtualenv, None, "Python %s" % args.python)
    have = installed(args.virtualenv)
    for requirement in args.requirements:
        match = PIN.match(requirement)
        if not match:
            raise ModuleFailure("'%s' is not pinned" % requirement, hint="write name==version")
        name, wanted = normalised(match.group(1)), match.group(2)
        if not satisfies(have.get(name, ""), wanted):
            diff.add("package %s" % name, have.get(name), wanted)
    return diff


def check(args, host):
    return check_environment(args)


def apply(args, diff, host):
    if args.probe:
        return {}
    uv = fetch_uv(args, host)
    environment = {"UV_CACHE_DIR": tempfile.mkdtemp(prefix="uv-cache-", dir=parent_of(args.virtualenv)), "UV_NO_PROGRESS": "1"}
    try:
        if not os.path.exists(os.path.join(args.virtualenv, "bin", "python")):
            host.must(
                [uv, "venv", "--no-config", "--offline", "--python", args.python, args.virtualenv],
                "making the environment",
                env=environment,
            )
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as pins:
            pins.write("\n".join(args.pins) + "\n")
            pins.flush()
            argv = [
                uv,
                "pip",
                "install",
                "--no-config",
                "--no-index",
                "--find-links",
                args.url,
                "--require-hashes",
                "--link-mode",
                "hardlink",
            ]
            argv += ["--python", os.path.join(args.virtualenv, "bin", "python"), "--requirement", pins.name]
            result = host.must(argv, "installing the wheels", env=environment, live=True)
    finally:
        shutil.rmtree(environment["UV_CACHE_DIR"], ignore_errors=True)
    return {"stdout": result.stdout, "stderr": result.stderr}


def parent_of(folder):
    """The folder that will hold the environment: the cache lies beside it, so that files are linked and not copied."""
    parent = os.path.dirname(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    return parent


def fetch_uv(args, host):
    """The installer at its place; fetched again only when it does not run."""
    if os.access(args.uv, os.X_OK) and host.run([args.uv, "--version"]).rc == 0:
        return args.uv
    host.progress("fetching the installer")
    folder = parent_of(args.uv)
    handle, temporary = tempfile.mkstemp(prefix=".ringup-", dir=folder)
    try:
        with urllib.request.urlopen(args.uv_url, timeout=FETCH_LIMIT_S) as answer, os.fdopen(handle, "wb") as stream:
            shutil.copyfileobj(answer, stream)
        files.replace(args.uv, temporary, mode=0o755)
    except OSError as error:
        raise ModuleFailure(
            "the controller's shelf cannot be reached: %s" % error, hint="does a firewall stand between host and controller?"
        )
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return args.uv
