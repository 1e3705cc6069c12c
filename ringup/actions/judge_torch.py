"""Hold what torch says of itself against the hardware and the stack."""

from __future__ import annotations

from dataclasses import asdict

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result
from ringup.verify.environment import judge_environment

NEEDS_HOST = False


class Args(Arguments):
    """Judge a host's torch: versions, CUDA, cuDNN, NCCL, devices, and one kernel on each."""

    facts = option("dict", required=True, help="torch_facts as registered")
    wanted = option("dict", required=True, help="the torch part of the resolved stack")
    gpus = option("int", default=0, help="GPUs on the host's PCI bus")


def run(call: ActionCall) -> Result:
    """Judge; the checks are in the result.

    Raises:
        TaskFailed: an expectation is not met; the first one is the message, all are listed.
    """
    checks = judge_environment(call.args.facts, call.args.wanted, call.args.gpus)
    failed = [check for check in checks if not check.passed]
    if failed:
        listed = "; ".join(f"{check.id} is {check.seen}, expected {check.expected}" for check in failed)
        raise TaskFailed(f"torch is not as the stack asks: {listed}", hint=failed[0].hint)
    return Result({"changed": False, "checks": [asdict(check) for check in checks], "msg": f"{len(checks)} checks passed"})
