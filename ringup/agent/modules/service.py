"""A service, under whatever starts services on the host: systemd."""

from ..arguments import Arguments, option, parse
from ..failure import ModuleFailure
from ..units import manager_runs
from . import systemd_service


class Args(Arguments):
    """Ensure that a service runs or does not, now and at boot."""

    name = option("str", required=True, help="the service")
    state = option(
        "str",
        choices=("started", "stopped", "restarted", "reloaded"),
        help="restarted and reloaded act every time; reloaded starts what is not running",
    )
    enabled = option("bool", help="whether it starts at boot")
    arguments = option("str", default="", aliases=("args",), help="accepted: systemd takes none")
    pattern = option("str", help="accepted: systemd knows what runs")
    runlevel = option("str", default="default", help="accepted: systemd has none")
    sleep = option("int", help="accepted: systemd waits as long as stopping takes")
    use = option("str", default="auto", choices=("auto", "systemd", "service"), help="systemd is the only one that is known")

    required_one_of = (("state", "enabled"),)


def check(args, host):
    if not manager_runs() and args.state is not None:
        raise ModuleFailure("services of this host are not started by systemd", hint="use the command module for this host")
    return systemd_service.check(_for_systemd(args), host)


def apply(args, diff, host):
    return systemd_service.apply(_for_systemd(args), diff, host)


def _for_systemd(args):
    return parse(systemd_service.Args, {"name": args.name, "state": args.state, "enabled": args.enabled})
