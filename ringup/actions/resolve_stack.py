"""Match driver, CUDA, PyTorch and NCCL for a host: the answer becomes the fact `ringup_stack`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.events import StackResolved
from ringup.results import Result
from ringup.stack.catalogue import catalogue
from ringup.stack.devices import host_facts
from ringup.stack.resolve import resolve
from ringup.stack.values import Conflict
from ringup.stack.wishes import KEYS, parse_wishes
from ringup.templating import RenderedVariables

NEEDS_HOST = False
WISHES = (*KEYS, "allow_end_of_life")


class Args(Arguments):
    """Match driver, CUDA, PyTorch and NCCL for this host, with a reason for each choice.

    Wishes are the variables `driver`, `cuda`, `torch` and `allow_end_of_life`; facts must have been gathered.
    """

    wishes = option("dict", default={}, help="wishes that win over the host's variables")


def run(call: ActionCall) -> Result:
    """Resolve and keep the answer as a fact.

    Raises:
        TaskFailed: no matched stack exists; says which wish meets which fact, and what would work.
    """
    variables = RenderedVariables(call.templar)
    facts = variables.get("ansible_facts") or {}
    if "distribution" not in facts:
        raise TaskFailed("facts have not been gathered", hint="run setup first, or gather_facts: true")
    wished: dict[str, Any] = {name: variables[name] for name in WISHES if name in variables}
    answer = resolve(
        host_facts(facts, catalogue()), parse_wishes({**wished, **call.args.wishes}, call.host), catalogue(), datetime.now(UTC).date()
    )
    if isinstance(answer, Conflict):
        raise TaskFailed(f"{answer.wish} cannot be had with {answer.fact}: {answer.because}", hint=f"nearest: {answer.nearest}")
    stack = answer.as_dict()
    call.emit(StackResolved(time.time(), call.host, stack))
    return Result({"changed": False, "stack": stack, "warnings": list(answer.warnings), "ansible_facts": {"ringup_stack": stack}})
