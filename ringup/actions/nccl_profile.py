"""Build a host's NCCL profile: the ring's interface and what goes with it, as the fact `ringup_nccl`."""

from __future__ import annotations

from dataclasses import asdict

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.nccl.interfaces import interfaces, ring_interface
from ringup.nccl.profile import Setting, build_profile
from ringup.results import Result
from ringup.templating import RenderedVariables

NEEDS_HOST = False


class Args(Arguments):
    """Build this host's NCCL profile from its facts; each variable carries its reason."""

    interface = option("str", help="interface of the ring")
    address = option("str", help="address of this host on the ring")
    subnet = option("str", help="network of the ring, such as 10.1.0.0/16")
    purpose = option("str", choices=("production", "bring-up"), default="production", help="quiet, or with NCCL's account of its choices")
    variables = option("dict", default={}, help="more NCCL variables; they win")


def run(call: ActionCall) -> Result:
    """Build the profile.

    Raises:
        InputError: the ring's interface is not on the host, or not clear.
    """
    facts = RenderedVariables(call.templar).get("ansible_facts") or {}
    args = call.args
    ring = ring_interface(interfaces(facts), wished=args.interface, address=args.address, subnet=args.subnet, where=call.host)
    extra = [Setting(str(name), str(value), "set in the inventory") for name, value in args.variables.items()]
    profile = build_profile(ring, args.purpose, extra)
    answer = {
        "interface": ring.interface.name,
        "address": ring.interface.address,
        "settings": [asdict(setting) for setting in profile.settings],
        "environment": profile.as_environment(),
        "nccl_conf": profile.nccl_conf(),
        "profile_d": profile.profile_d(),
    }
    return Result({"changed": False, "profile": answer, "ansible_facts": {"ringup_nccl": answer}})
