"""Python packages, in a virtual environment or beside the system's own."""

import os
import shlex
import sys
import tempfile

from ..arguments import Arguments, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..python_packages import environments, installers, requirements
from ..python_packages.installed import installed, listed


class Args(Arguments):
    """Ensure that Python packages are installed, newest, or gone."""

    name = option("list", elements="str", help="packages, with specifiers (name>=1.2,<2), paths of wheels, or addresses")
    version = option("str", help="version of the one package in name")
    requirements = option("str", help="path of a requirements file on the host")
    state = option(
        "str", choices=("present", "absent", "latest", "forcereinstall"), default="present", help="forcereinstall acts every time"
    )
    virtualenv = option("path", help="folder of a virtual environment, made when it is missing")
    virtualenv_command = option("str", help="program that makes it; default: uv, virtualenv or `python -m venv`, whichever there is")
    virtualenv_python = option("str", help="its Python, as python3.11")
    virtualenv_site_packages = option("bool", default=False, help="it sees the system's packages too; decided when it is made")
    executable = option("str", help="a pip program of another Python, as pip3.11")
    extra_args = option("str", help="more arguments for the installer")
    editable = option("bool", default=False, help="install in place")
    chdir = option("path", help="folder to work in, for relative paths")
    umask = option("str", help="umask meanwhile, octal: '0022'")
    break_system_packages = option("bool", default=False, help="change a Python that the distribution manages")
    uv = option("str", default="auto", help="auto: uv when it is on the host, else pip; never; or the path of uv")
    index_url = option("str", help="package index to use instead of the host's own setting")
    find_links = option("list", elements="str", help="folders or pages with packages, besides the index")
    no_index = option("bool", default=False, help="only find_links, no index")

    required_one_of = (("name", "requirements"),)
    mutually_exclusive = (("name", "requirements"), ("executable", "virtualenv"))


class Plan:
    """What `apply` does: make the environment first, and the installer's verb with its flags, None for nothing."""

    def __init__(self, makes_environment, verb=None, flags=()):
        self.makes_environment = makes_environment
        self.verb = verb
        self.flags = list(flags)


def check(args, host):
    _umask(args)
    target = _target(args, host)
    missing = args.virtualenv is not None and not environments.works(args.virtualenv)
    diff = Diff(values=_values(args), plan=Plan(missing))
    if missing and args.state != "absent":
        diff.add("virtual environment %s" % args.virtualenv, None, args.virtualenv_python or sys.executable)
    have = {} if missing else _installed(host, target)
    if args.state == "absent":
        _decide_absent(args, have, diff)
    else:
        _decide_present(args, host, target, have, diff)
    if diff.plan.verb is not None and host.check and not missing:
        # a host on which nothing could install says so before it is changed
        _foretell(args, have, installers.choose(host, target, args.uv, _extra(args)), diff)
    return diff


def _foretell(args, have, installer, diff):
    """In check mode, name every package that would come; an index that an earlier task would have brought may be missing yet."""
    if diff.plan.verb != "install" or _acts_anyway(args):
        return
    try:
        exact = Diff()
        _add_steps(installer.dry_run(diff.plan.flags, args.break_system_packages, args.chdir), have, exact)
        diff.changes[:] = exact.changes or diff.changes
    except ModuleFailure:
        diff.values["msg"] = "check mode could not ask %s: what is shown are the wishes of the task" % installer.name


def apply(args, diff, host):
    target, plan = _target(args, host), diff.plan
    values = {"stdout": "", "stderr": ""}
    before = {}
    if plan.makes_environment and args.state != "absent":
        uv = installers.find_uv(args.uv)
        made = environments.make(
            host, args.virtualenv, args.virtualenv_command, args.virtualenv_python, args.virtualenv_site_packages, uv, _umask(args)
        )
        values.update(stdout=made.stdout, stderr=made.stderr)
    else:
        before = _installed(host, target)
    if plan.verb is None:
        return values
    installer = installers.choose(host, target, args.uv, _extra(args))
    argv, env = installer.command(plan.verb, plan.flags, args.break_system_packages)
    with tempfile.TemporaryDirectory(prefix="ringup-pip-") as folder:
        result = installer.perform(argv, args.chdir or folder, _umask(args), env)
    values.update(cmd=argv, stdout=values["stdout"] + result.stdout, stderr=values["stderr"] + result.stderr, installer=installer.name)
    _tell_what_happened(args, diff, before, _installed(host, target), values)
    return values


def _tell_what_happened(args, diff, before, after, values):
    """Put what has really changed in the place of what was expected: dependencies belong to it, and a marker may have said no."""
    real = Diff()
    for name in sorted(set(before) | set(after)):
        old, new = before.get(name), after.get(name)
        if (old and old.version) != (new and new.version):
            real.add(new.name if new else old.name, old and old.version, new and new.version)
    if real or not _acts_anyway(args):
        made = [change for change in diff.changes if change.what.startswith("virtual environment ")]
        diff.changes[:] = made + real.changes
    values["changed"] = bool(diff.changes)


def _acts_anyway(args):
    """Does the installer replace things by the same version? Then what was expected has happened, whatever versions say."""
    return args.state == "forcereinstall" or any(one.url is not None for one in _wanted(args).wanted)


def _values(args):
    return {
        "name": args.name,
        "version": args.version,
        "state": args.state,
        "requirements": args.requirements,
        "virtualenv": args.virtualenv,
    }


def _umask(args):
    try:
        return int(args.umask, 8) if args.umask is not None else None
    except ValueError:
        raise ModuleFailure("umask must be an octal integer", hint="write it in quotes: '0022'")


def _target(args, host):
    if args.virtualenv is not None:
        python = environments.python_of(os.path.abspath(args.virtualenv))
        return installers.Target(python=python, virtualenv=os.path.abspath(args.virtualenv))
    if args.executable is not None:
        return installers.Target(pip=args.executable)
    return installers.Target(python=sys.executable)


def _installed(host, target):
    return listed(host, [target.pip]) if target.pip is not None else installed(host, target.python)


def _extra(args):
    return shlex.split(args.extra_args or "")


def _wanted(args):
    """What is asked for, as a RequirementsFile."""
    if args.requirements is not None:
        return requirements.read_file(os.path.join(args.chdir or "", os.path.expanduser(args.requirements)))
    names = requirements.joined(args.name or [])
    if args.version is not None:
        if len(names) != 1:
            raise ModuleFailure(
                "'version' argument is ambiguous when installing multiple package distributions",
                hint="write each version beside its package: name==1.2",
            )
        names = [names[0] + ("==" if args.version.strip()[:1].isdigit() else "") + args.version.strip()]
    found = requirements.RequirementsFile()
    found.wanted = [requirements.parse(name, args.chdir, args.editable) for name in names]
    return found


def _decide_absent(args, have, diff):
    names = [one.name for one in _wanted(args).wanted if one.name in have]
    for name in names:
        diff.add(have[name].name, have[name].version, None)
    if names:
        diff.plan.verb, diff.plan.flags = "uninstall", names + _extra(args)


def _decide_present(args, host, target, have, diff):
    wanted = _wanted(args)
    answers = [(one, requirements.there(one, have)) for one in wanted.wanted]
    broken = [one for one in wanted.constraints if one.name in have and requirements.there(one, have) is False]
    again = args.state == "forcereinstall"
    for one, fulfilled in answers + [(one, False) for one in broken]:
        if fulfilled is False or again:
            old = have.get(one.name)
            diff.add(one.shown, old.version if old else None, one.wish)
    unsure = args.state == "latest" or any(fulfilled is None for _, fulfilled in answers)
    if unsure and not diff:
        _ask_installer(args, host, target, have, wanted, diff)
    if diff or (diff.plan.makes_environment and wanted.wanted):
        diff.plan.verb, diff.plan.flags = "install", _flags(args, wanted)


def _ask_installer(args, host, target, have, wanted, diff):
    """Only the installer can tell: a dry run. One that cannot do that counts as a change, until it has happened."""
    installer = installers.choose(host, target, args.uv, _extra(args))
    steps = installer.dry_run(_flags(args, wanted), args.break_system_packages, args.chdir)
    if steps is None:
        diff.add("packages", None, "as %s decides" % installer.name)
    _add_steps(steps, have, diff)


def _add_steps(steps, have, diff):
    """What a dry run told, as changes; nothing when the installer could not tell."""
    for name, version in sorted((steps or {}).items()):
        old = have.get(requirements.normalised(name))
        if old is None or old.version != version:
            diff.add(name, old.version if old else None, version)


def _flags(args, wanted):
    flags = {"latest": ["--upgrade"], "forcereinstall": ["--force-reinstall"]}.get(args.state, [])
    if args.index_url is not None:
        flags = flags + ["--index-url", args.index_url]
    for place in args.find_links or ():
        flags = flags + ["--find-links", place]
    if args.no_index:
        flags = flags + ["--no-index"]
    flags = flags + _extra(args)
    if args.requirements is not None:
        return flags + ["--requirement", os.path.abspath(os.path.join(args.chdir or "", os.path.expanduser(args.requirements)))]
    for one in wanted.wanted:
        flags = flags + (["--editable"] if one.editable else []) + [one.text]
    return flags
