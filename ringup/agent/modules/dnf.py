"""Packages of Red Hat's family, by dnf (or yum, its older name)."""

import os

from ..arguments import Arguments, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..packages import dnf, rpm

STATES = {"installed": "present", "removed": "absent", None: "present"}


class Args(Arguments):
    """Ensure that rpm packages are installed, newest, or gone."""

    name = option(
        "list",
        elements="str",
        default=(),
        aliases=("pkg",),
        help="packages, with versions (name-1.2), `name >= 1.2`, patterns, paths, @groups; '*' with latest",
    )
    state = option("str", choices=("present", "installed", "latest", "absent", "removed"), help="what must be true; default present")
    update_cache = option("bool", default=False, aliases=("expire-cache",), help="read the repositories' lists again first")
    update_only = option("bool", default=False, help="with latest: leave what is not installed alone")
    autoremove = option("bool", default=False, help="remove dependencies that nothing needs any more")
    enablerepo = option("list", elements="str", default=(), help="repositories to enable meanwhile")
    disablerepo = option("list", elements="str", default=(), help="repositories to disable meanwhile")
    exclude = option("list", elements="str", default=(), help="packages to leave as they are")
    disable_excludes = option("str", help="all, main or a repository: forget exclusions of the configuration")
    disable_gpg_check = option("bool", default=False, help="take packages without a signature")
    allow_downgrade = option("bool", default=False, help="an older version may replace a newer")
    allowerasing = option("bool", default=False, help="packages that are in the way may be removed")
    best = option("bool", help="fail rather than take a version that is not the newest")
    nobest = option("bool", help="the opposite of best")
    skip_broken = option("bool", default=False, help="leave out what cannot be installed")
    install_weak_deps = option("bool", default=True, help="install recommended packages too")
    security = option("bool", default=False, help="with latest: only security updates")
    bugfix = option("bool", default=False, help="with latest: only fixes")
    cacheonly = option("bool", default=False, help="do not ask the repositories")
    conf_file = option("str", help="another configuration file")
    installroot = option("str", default="/", help="another root folder")
    releasever = option("str", help="another release")
    disable_plugin = option("list", elements="str", default=(), help="plug-ins to disable")
    enable_plugin = option("list", elements="str", default=(), help="plug-ins to enable")
    validate_certs = option("bool", default=True, help="check certificates of packages' addresses")
    sslverify = option("bool", default=True, help="check certificates of repositories")
    download_only = option("bool", default=False, help="fetch packages without installing them; acts every time")
    download_dir = option("str", help="where download_only puts them")
    install_repoquery = option("bool", default=True, help="accepted: nothing has to be installed first")
    lock_timeout = option("int", default=60, help="how long to wait for rpm's lock, in seconds")
    use_backend = option("str", default="auto", choices=("auto", "dnf", "dnf4", "dnf5", "yum", "yum4"), help="which program")

    mutually_exclusive = (("best", "nobest"),)


def check(args, host):
    if os.geteuid() != 0 and not host.check:
        raise ModuleFailure("This command has to be run under the root user.", hint="set become: true on the task or the play")
    program = dnf.program(args.use_backend)
    diff = Diff(values={"results": [], "rc": 0, "msg": "Nothing to do"}, plan=[])
    packages = rpm.installed(host, args.installroot)
    before = {(one.name, one.architecture): one.full for one in packages}
    for command in commands(args, packages):
        argv = [program] + flags(args, command[0]) + command
        steps = dnf.simulate(host, argv)
        _refuse_downgrade(steps, args)
        for step in steps:
            old = before.get((step.name, step.architecture))
            diff.add(step.name, old, None if step.verb == "removed" else step.version)
        if steps:
            diff.plan.append(argv + (["--downloadonly"] if args.download_only else []))
            diff.values["results"] += [str(step) for step in steps]
    if args.update_cache and not args.name and not host.check:
        diff.add("lists of packages", None, "fetched now")
        diff.plan.insert(0, [program] + flags(args, "makecache") + ["makecache", "--refresh"])
    if diff:
        diff.values["msg"] = ""
    return diff


def apply(args, diff, host):
    said = [dnf.perform(host, argv, args.lock_timeout) for argv in diff.plan]
    return {"stdout": "".join(result.stdout for result in said), "stderr": "".join(result.stderr for result in said)}


def commands(args, packages):
    """dnf's verbs with names, for what is not as wanted."""
    state = STATES.get(args.state, args.state)
    names = [name.strip() for name in args.name if name.strip()]
    if state == "absent":
        there = [name for name in names if rpm.OPAQUE.search(name) or rpm.named(name, packages)]
        found = [["remove"] + there] if there else []
    elif state == "latest" and names == ["*"]:
        found = [["upgrade"]]
    elif state == "latest":
        found = _newest(names, packages, args.update_only)
    else:
        missing = [name for name in names if rpm.OPAQUE.search(name) or not rpm.named(name, packages)]
        found = [["install"] + missing] if missing else []
    if args.autoremove and not names:
        found.append(["autoremove"])
    return found


def _newest(names, packages, update_only):
    """Installed ones are upgraded, the others installed: `dnf5 install` leaves an installed package as it is."""
    there = [name for name in names if rpm.named(name, packages)]
    missing = [name for name in names if name not in there and not update_only]
    return [[verb] + chosen for verb, chosen in (("upgrade", there), ("install", missing)) if chosen]


def _refuse_downgrade(steps, args):
    older = sorted(step.name for step in steps if step.verb == "downgraded")
    if older and not args.allow_downgrade:
        raise ModuleFailure(
            "an older version would replace a newer one: %s" % ", ".join(older), hint="set allow_downgrade: true if that is meant"
        )


def flags(args, verb):
    """dnf's options that the task's stand for."""
    words = ["--quiet"] if verb == "makecache" else []
    for option_name, flag in (("enablerepo", "--enablerepo"), ("disablerepo", "--disablerepo"), ("exclude", "--exclude")):
        words += ["%s=%s" % (flag, value) for value in getattr(args, option_name)]
    words += ["--disableplugin=%s" % name for name in args.disable_plugin] + ["--enableplugin=%s" % name for name in args.enable_plugin]
    switches = (
        ("--nogpgcheck", args.disable_gpg_check),
        ("--allowerasing", args.allowerasing),
        ("--skip-broken", args.skip_broken),
        ("--best", args.best or args.nobest is False),
        ("--nobest", args.nobest or args.best is False),
        ("--security", args.security and verb == "upgrade"),
        ("--bugfix", args.bugfix and verb == "upgrade"),
        ("--cacheonly", args.cacheonly),
        ("--refresh", args.update_cache and verb != "makecache"),
        ("--setopt=install_weak_deps=False", not args.install_weak_deps),
        ("--setopt=sslverify=False", not (args.sslverify and args.validate_certs)),
    )
    words += [flag for flag, wanted in switches if wanted]
    settings = (
        ("--config", args.conf_file),
        ("--releasever", args.releasever),
        ("--disableexcludes", args.disable_excludes),
        ("--downloaddir", args.download_dir if args.download_only else None),
        ("--installroot", args.installroot if args.installroot != "/" else None),
    )
    return words + ["%s=%s" % (flag, value) for flag, value in settings if value]
