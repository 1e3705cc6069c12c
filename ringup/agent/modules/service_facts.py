"""The services that systemd knows, as the fact `services`."""

from ..arguments import Arguments
from ..units import Systemctl, manager_runs

#: words that say more than `enabled`, wherever systemd shows them
BAD = ("not-found", "masked", "failed")
#: systemctl marks what is wrong with a bullet before the name
BULLETS = "●*○↻×x "


class Args(Arguments):
    """Read the state of all services into the fact services."""


def read(args, host):
    if not manager_runs():
        return {"skipped": True, "msg": "Failed to find any services. This can be due to privileges or some other configuration issue."}
    systemctl = Systemctl(host)
    services = loaded(systemctl.ask("list-units", "--no-pager", "--no-legend", "--type", "service", "--all", "--plain").stdout)
    for line in systemctl.ask("list-unit-files", "--no-pager", "--no-legend", "--type", "service", "--all").stdout.splitlines():
        fields = line.split()
        if len(fields) < 2:
            continue
        name, status = fields[:2]
        known = services.get(name)
        if known is None:
            # what is not loaded does not run
            services[name] = {"name": name, "state": "inactive", "status": status, "source": "systemd"}
        elif known["status"] not in BAD:
            known["status"] = status
    return {"ansible_facts": {"services": services}}


def loaded(text):
    """Services that are in systemd's memory, from `systemctl list-units`: name, load, active, sub, description."""
    services = {}
    for line in text.splitlines():
        fields = line.lstrip(BULLETS).split(None, 4)
        if len(fields) < 4 or not fields[0].endswith(".service"):
            continue
        name, load, active, sub = fields[:4]
        bad = [word for word in BAD if word in (load, active, sub)]
        state = "running" if sub == "running" else "stopped"
        services[name] = {"name": name, "state": state, "status": bad[0] if bad else active, "source": "systemd"}
    return services
