"""The actions by name, from the files of this folder."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ringup.actions.call import ActionCall
from ringup.actions.flow import FLOW
from ringup.agent.arguments import Arguments
from ringup.agent.catalogue import OnDemand, files_by_name
from ringup.results import Result


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """An action as playbooks see it; the first five attributes are those of the agent's `ModuleSpec`.

    Attributes:
        kind: `action`, or `flow` for what steers the run itself (`meta`, `include_tasks` ...): the engine does it, `run` is None.
        once_per_batch: runs for the first host of a batch and counts for all.
        needs_host: it may speak to the host.
    """

    name: str
    args: type[Arguments]
    kind: str
    description: str
    summary: str
    run: Callable[[ActionCall], Result] | None = None
    once_per_batch: bool = False
    needs_host: bool = True


#: files of this folder that are no actions
PLUMBING = frozenset(("call", "flow", "registry", "sending", "words"))


@functools.cache
def specs() -> Mapping[str, ActionSpec]:
    """Every action by its name in playbooks, each read when it is first asked for."""
    files = {name: file for name, file in files_by_name([str(Path(__file__).parent)]).items() if file not in PLUMBING}

    def load(name: str) -> ActionSpec:
        if name in FLOW:
            return _spec(name, FLOW[name], "flow")
        return _action(name, importlib.import_module(f"ringup.actions.{files[name]}"))

    found: Mapping[str, ActionSpec] = OnDemand([*FLOW, *files], load)
    return found


def _action(name: str, file: ModuleType) -> ActionSpec:
    once, needs_host = getattr(file, "ONCE_PER_BATCH", False), getattr(file, "NEEDS_HOST", True)
    return _spec(name, file.Args, "action", file.run, once_per_batch=once, needs_host=needs_host)


def _spec(
    name: str,
    args: type[Arguments],
    kind: str,
    run: Callable[[ActionCall], Result] | None = None,
    *,
    once_per_batch: bool = False,
    needs_host: bool = False,
) -> ActionSpec:
    description = (args.__doc__ or "").strip()
    summary = description.splitlines()[0] if description else ""
    return ActionSpec(name, args, kind, description, summary, run, once_per_batch, needs_host)
