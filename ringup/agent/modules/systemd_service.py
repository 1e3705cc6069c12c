"""A unit of systemd: running or not, started at boot or not, masked or not."""

from ..arguments import Arguments, option
from ..diff import Diff
from ..failure import ModuleFailure
from ..units import Systemctl, manager_runs


class Args(Arguments):
    """Ensure what state a systemd unit is in, now and at boot."""

    name = option("str", aliases=("service", "unit"), help="the unit; without a suffix it is a service")
    state = option(
        "str",
        choices=("started", "stopped", "restarted", "reloaded"),
        help="restarted and reloaded act every time; reloaded starts what is not running",
    )
    enabled = option("bool", help="whether it starts at boot")
    masked = option("bool", help="whether it cannot be started at all")
    daemon_reload = option("bool", default=False, aliases=("daemon-reload",), help="read unit files again first")
    daemon_reexec = option("bool", default=False, aliases=("daemon-reexec",), help="restart systemd itself first; units go on")
    scope = option("str", choices=("system", "user", "global"), default="system", help="whose units")
    no_block = option("bool", default=False, help="do not wait until it is started or stopped")
    force = option("bool", help="replace links that are in the way")

    required_one_of = (("state", "enabled", "masked", "daemon_reload", "daemon_reexec"),)


#: state -> what systemctl does
VERBS = {"started": "start", "stopped": "stop", "restarted": "restart", "reloaded": "reload"}


def check(args, host):
    if args.name is None and (args.state or args.enabled is not None or args.masked is not None):
        raise ModuleFailure("name is needed with state, enabled and masked", hint="say which unit")
    if "*" in (args.name or ""):
        raise ModuleFailure("'%s' is not the name of one unit" % args.name, hint="write a task with a loop over the units")
    diff = Diff(values={"name": args.name, "enabled": args.enabled, "state": args.state}, plan=[])
    if (args.daemon_reload or args.daemon_reexec) and not host.check:
        # what units there are is known after the reload: `apply` decides, and says what has changed
        diff.add("unit files", "as loaded", "read again")
        return diff
    decide(args, host, diff)
    return diff


def apply(args, diff, host):
    systemctl = Systemctl(host, args.scope)
    values = {}
    if args.daemon_reload or args.daemon_reexec:
        for verb in [word for word, wanted in (("daemon-reexec", args.daemon_reexec), ("daemon-reload", args.daemon_reload)) if wanted]:
            result = systemctl.ask(verb)
            if result.rc != 0:
                raise ModuleFailure("failure during %s: %s" % (verb, result.stderr.strip()), rc=result.rc, stderr=result.stderr)
        diff.changes[:] = []
        decide(args, host, diff)
        values = dict(diff.values, changed=bool(diff))
    for verb, name, flags in diff.plan:
        systemctl.must(verb, name, *flags)
    if diff.plan:
        unit = systemctl.unit(args.name)
        values["status"] = unit.properties
        if args.state == "started" and unit.skipped:
            values["msg"] = "systemd has not started %s: a condition of its unit file is not met on this host" % args.name
    return values


def decide(args, host, diff):
    """Compare the unit with what is wanted; `diff.plan` gets (verb, unit, flags)."""
    if args.name is None:
        return
    unit = Systemctl(host, args.scope).unit(args.name)
    diff.values["status"] = unit.properties
    if not unit.exists and args.masked is None:
        if not host.check:
            raise ModuleFailure(
                "Could not find the requested service %s: host" % args.name,
                hint="is its package installed? after adding a unit file, set daemon_reload: true",
            )
        diff.values["msg"] = "there is no unit %s on the host yet: a real run expects an earlier task to bring it" % args.name
        diff.add("unit %s" % args.name, "absent", args.state or "present")
        return
    _decide_files(args, unit, diff)
    if args.state is not None:
        _decide_state(args, unit, diff)


def _decide_files(args, unit, diff):
    force = ("--force",) if args.force else ()
    if args.masked is not None and args.masked != unit.masked:
        diff.add("unit %s at all" % args.name, _word(unit.masked, "masked"), _word(args.masked, "masked"))
        diff.plan.append(("mask" if args.masked else "unmask", args.name, force))
    if args.enabled is not None and args.enabled != unit.enabled and unit.enablement != "static":
        diff.add("unit %s at boot" % args.name, unit.enablement or "disabled", "enabled" if args.enabled else "disabled")
        diff.plan.append(("enable" if args.enabled else "disable", args.name, force))


def _decide_state(args, unit, diff):
    if not manager_runs():
        raise ModuleFailure(
            "systemd does not run on this host: '%s' has no state" % args.name, hint="leave state out to set what happens at boot"
        )
    diff.values["state"] = "started" if args.state != "stopped" else "stopped"
    now = unit.properties.get("ActiveState", "unknown")
    if args.state == "stopped" and not (unit.running or unit.stopping):
        return
    if args.state == "started" and unit.running:
        return
    verb = "start" if args.state == "reloaded" and not unit.running else VERBS[args.state]
    diff.add("unit %s" % args.name, now, "inactive" if verb == "stop" else "active" if verb == "start" else "%sed" % verb)
    diff.plan.append((verb, args.name, ("--no-block",) if args.no_block else ()))


def _word(true, word):
    return word if true else "not %s" % word
