"""Debian packages: exactly what would change is known before anything does."""

import os
import shutil
import tempfile
import time
from contextlib import contextmanager

from .. import files
from ..arguments import Arguments, option
from ..diff import Change, Diff
from ..failure import ModuleFailure
from ..packages import apt_get, archive, dpkg, lists, locks, repair, specs

POLICY = "/usr/sbin/policy-rc.d"


class Args(Arguments):
    """Ensure that Debian packages are installed, newest, or gone."""

    name = option(
        "list", elements="str", aliases=("package", "pkg"), help="packages: name, name=version, name>=version; patterns as in 'lib*'"
    )
    state = option(
        "str",
        choices=("present", "absent", "latest", "fixed", "build-dep"),
        default="present",
        help="what must be true; fixed mends broken dependencies, build-dep installs what building needs",
    )
    update_cache = option("bool", aliases=("update-cache",), help="fetch the lists of packages first")
    cache_valid_time = option("int", default=0, help="seconds for which fetched lists are new enough; sets update_cache")
    update_cache_retries = option("int", default=5, help="how often a failed fetch is tried again")
    update_cache_retry_max_delay = option("int", default=12, help="longest pause between two tries, in seconds")
    install_recommends = option(
        "bool", aliases=("install-recommends",), help="install recommended packages too; default: as the host is set"
    )
    default_release = option("str", aliases=("default-release",), help="release to take packages from, as apt-get -t")
    only_upgrade = option("bool", default=False, help="leave packages that are not installed alone")
    upgrade = option(
        "str", choices=("no", "yes", "safe", "full", "dist"), default="no", help="upgrade everything; full and dist may remove"
    )
    deb = option("path", help="a .deb file on the host, or its URL")
    purge = option("bool", default=False, help="with absent and autoremove: configuration files too")
    autoremove = option("bool", default=False, help="remove dependencies that nothing needs any more")
    autoclean = option("bool", default=False, help="delete archives that can no longer be fetched")
    clean = option("bool", default=False, help="delete all fetched archives")
    allow_downgrade = option(
        "bool",
        default=False,
        aliases=("allow-downgrade", "allow_downgrades", "allow-downgrades"),
        help="an older version may replace a newer",
    )
    allow_change_held_packages = option("bool", default=False, help="held packages may change")
    allow_unauthenticated = option("bool", default=False, aliases=("allow-unauthenticated",), help="install what is not signed")
    fail_on_autoremove = option("bool", default=False, help="fail rather than remove any package")
    force = option("bool", default=False, help="all of apt-get's permissions at once; dangerous")
    force_apt_get = option("bool", default=False, help="accepted: apt-get is always used")
    auto_install_module_deps = option("bool", default=True, help="accepted: nothing has to be installed first")
    dpkg_options = option("str", default="force-confdef,force-confold", help="dpkg's options, separated by commas")
    lock_timeout = option("int", default=60, help="how long to wait for apt's locks, in seconds")
    policy_rc_d = option("int", help="exit code of policy-rc.d meanwhile; 101 keeps new services from starting")

    required_one_of = (("autoclean", "autoremove", "clean", "deb", "name", "update_cache", "cache_valid_time", "upgrade", "state"),)
    mutually_exclusive = (("deb", "name", "upgrade"),)


def check(args, host):
    if os.geteuid() != 0 and not host.check:
        raise ModuleFailure("apt needs root", hint="set become: true on the task or the play")
    update = lists.due(args.update_cache, args.cache_valid_time)
    database = dpkg.database(host)
    # while somebody holds a lock, half done means under way
    half_done = dpkg.interrupted(database) if locks.holder() is None else []
    diff = Diff(values={"cache_updated": False, "cache_update_time": lists.updated_at()}, plan=Plan(update, half_done))
    if half_done:
        diff.changes.append(_mending(half_done))
    if update and not (host.check and _asks_packages(args)):
        diff.add("lists of packages", "fetched %s" % _moment(lists.updated_at()), "fetched now")
    if host.check or not diff:
        # what is decided before the lists are fetched, or before a half-done package is whole, would be decided again
        try:
            decide(args, host, database, diff)
        except ModuleFailure as failure:
            archive.forget()
            raise _in_check_mode(failure, host, update)
    if host.check or not diff:
        archive.forget()
    return diff


class Plan:
    """What `apply` does, in this order.

    Attributes:
        update: fetch the lists.
        half_done: packages to mend first.
        commands: argument lists of apt-get.
    """

    def __init__(self, update, half_done):
        self.update = update
        self.half_done = half_done
        self.commands = []


def apply(args, diff, host):
    try:
        return _applied(args, diff, host)
    finally:
        archive.forget()


def _applied(args, diff, host):
    plan, values = diff.plan, {}
    again = bool(plan.half_done or plan.update)
    if locks.holder() is not None:
        locks.wait(host, args.lock_timeout)
        # whoever held it may have changed what we have seen
        plan.half_done = dpkg.interrupted(dpkg.database(host))
        again = True
    if plan.half_done:
        repair.mend(host, _dpkg_options(args), args.lock_timeout, archive.local(args.deb, host) if args.deb else None)
        values["mended"] = plan.half_done
        values["msg"] = "an interrupted run of dpkg was mended first: %s" % ", ".join(plan.half_done)
    if plan.update:
        lists.update(host, args.lock_timeout, args.update_cache_retries, args.update_cache_retry_max_delay)
        values["cache_updated"] = True
        values["cache_update_time"] = lists.updated_at()
    if again:
        decided = Diff(plan=plan)
        plan.commands = []
        decide(args, host, dpkg.database(host), decided)
        if decided or _asks_packages(args):
            diff.changes[:] = ([_mending(plan.half_done)] if plan.half_done else []) + decided.changes
        values["changed"] = bool(diff.changes)
    with policy(args.policy_rc_d):
        said = [apt_get.run(host, command, args.lock_timeout) for command in plan.commands]
    values["stdout"] = "".join(result.stdout for result in said)
    values["stderr"] = "".join(result.stderr for result in said)
    return values


def _mending(half_done):
    return Change("packages left half done: %s" % ", ".join(half_done), "interrupted", "mended")


def _asks_packages(args):
    return bool(args.name or args.deb or args.autoremove or args.upgrade != "no" or args.state == "fixed")


def _moment(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds)) if seconds else "never"


def _in_check_mode(failure, host, update):
    """Say that the lists were not fetched, when that may be why a package is unknown."""
    if not (host.check and update and failure.message.startswith(("No package", "no available"))):
        return failure
    hint = "check mode does not fetch the lists (update_cache): a real run may find it; fetch them with update_cache alone first"
    return ModuleFailure(failure.message, hint=hint, **failure.values)


def decide(args, host, database, diff):
    """Find the commands that are needed, simulate each, and add every package that would change to the diff."""
    for arguments, judge in _commands(args, host, database):
        full = _options(args) + arguments
        steps = apt_get.simulate(host, full)
        judge(steps)
        for step in steps:
            diff.add(step.name, step.before, step.after)
        if steps:
            diff.plan.commands.append(full)
    for verb, wanted in (("clean", args.clean), ("autoclean", args.autoclean)):
        names = archive.deleted(host, verb) if wanted else []
        for name in names:
            diff.add("/var/cache/apt/archives/%s" % name, "fetched", "deleted")
        if names:
            diff.plan.commands.append([verb])


def _commands(args, host, database):
    """apt-get's arguments that would bring about what is asked, each with a judge of its simulated steps."""
    wanted = specs.parse(args.name or [])
    if args.upgrade != "no" or (args.state == "latest" and [spec.text for spec in wanted] == ["*"]):
        yield (["upgrade", "--with-new-pkgs"] if args.upgrade in ("yes", "safe") else ["dist-upgrade"]), _anything
    elif args.deb:
        path = archive.local(args.deb, host)
        if archive.needed(path, database, host, args.allow_downgrade or args.force):
            yield ["install", path], _anything
    elif args.state == "fixed":
        yield ["--fix-broken", "install"] + [spec.target for spec in wanted], _anything
    elif args.state == "absent":
        names = _leaving(wanted, database, args.purge)
        if names:
            yield ["remove"] + names, _anything
    elif args.state == "build-dep" and wanted:
        yield ["build-dep"] + [spec.target for spec in wanted], _anything
    elif wanted:
        missing = _missing(wanted, args, host, database)
        if missing:
            yield ["install"] + [spec.target for spec in missing], lambda steps: specs.reached(missing, steps, host)
    if args.autoremove and not (wanted or args.deb or args.upgrade != "no"):
        yield ["autoremove"], _anything


def _missing(wanted, args, host, database):
    """What is not installed, or with `latest` may not be the newest."""
    wanted = specs.expanded(wanted, lambda: archive.known_names(host))
    if args.only_upgrade:
        wanted = [spec for spec in wanted if database.version(spec.name) is not None]
    if args.state == "latest":
        return wanted
    return [spec for spec in wanted if not specs.satisfied(spec, database, host)]


def _anything(steps):
    """Whatever apt-get would do is what was asked."""


def _leaving(wanted, database, purge):
    names = []
    for spec in wanted:
        if specs.PATTERN.search(spec.name):
            names.extend(database.matching(spec.name, leftovers=purge))
            continue
        row = database.find(spec.name)
        if row is not None and (row.installed or (purge and row.status[1] == "c")):
            names.append(spec.name)
    return names


def _options(args):
    given = _dpkg_options(args)
    if args.default_release:
        given += ["--target-release", args.default_release]
    if args.install_recommends is not None:
        given += ["-o", "APT::Install-Recommends=%s" % ("yes" if args.install_recommends else "no")]
    flags = (
        ("--purge", args.purge),
        ("--auto-remove", args.autoremove and args.state != "build-dep"),
        ("--only-upgrade", args.only_upgrade),
        ("--no-remove", args.fail_on_autoremove and args.state != "absent"),
        ("--allow-downgrades", args.allow_downgrade or args.force),
        ("--allow-change-held-packages", args.allow_change_held_packages or args.force),
        ("--allow-unauthenticated", args.allow_unauthenticated or args.force),
        ("--allow-remove-essential", args.force),
    )
    return given + [flag for flag, wanted in flags if wanted]


def _dpkg_options(args):
    given = []
    for word in args.dpkg_options.split(","):
        if word.strip():
            given += ["-o", "Dpkg::Options::=--%s" % word.strip()]
    return given


@contextmanager
def policy(code, path=POLICY):
    """A policy-rc.d that answers with an exit code, for as long as the block runs; the one that was there comes back."""
    if code is None:
        yield
        return
    kept = None
    if os.path.lexists(path):
        kept = os.path.join(tempfile.mkdtemp(prefix=".ringup-", dir=os.path.dirname(path)), "policy-rc.d")
        os.rename(path, kept)
    try:
        files.replace(path, ("#!/bin/sh\nexit %d\n" % code).encode(), mode=0o755)
        yield
    finally:
        if kept is None:
            os.unlink(path)
        else:
            os.rename(kept, path)
            shutil.rmtree(os.path.dirname(kept))
