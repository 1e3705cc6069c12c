"""The reference under docs/reference, from the declarations themselves."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from invoke.collection import Collection
from invoke.context import Context
from invoke.exceptions import Exit
from invoke.tasks import task

from ringup.tasks.lab import say
from ringup.tasks.later import later

if TYPE_CHECKING:
    from ringup import reference
    from ringup.actions import words
else:
    reference, words = later("ringup.reference"), later("ringup.actions.words")

FOLDER = Path("docs/reference")
ROLES = Path("roles")


def pages(commands: Mapping[str, Any], roles: Path = ROLES) -> tuple[reference.Page, ...]:
    """The reference of this toolkit, with the roles of a folder."""
    return reference.all_pages(commands, words.vocabulary().specs, roles)


def add_to(namespace: Collection) -> Mapping[str, Any]:
    """Add the task `docs`, which describes all tasks of the namespace and itself; gives those tasks by name."""
    commands: dict[str, Any] = {}

    @task(auto_shortflags=False, help={"check": "write nothing; fail when the reference is not what the code says"})
    def docs(_: Context, check: bool = False) -> None:
        """Write the reference of tasks, modules, roles, facts and errors into docs/reference."""
        wanted = pages(commands)
        changed = reference.stale(wanted, FOLDER) if check else reference.write(wanted, FOLDER)
        for name in changed:
            say(f"{FOLDER / name} {'is stale' if check else 'written'}")
        if check and changed:
            say("write it again: invoke docs")
            raise Exit(code=1)

    namespace.add_task(docs)
    commands.update(own_copies(namespace))
    return commands


def own_copies(namespace: Collection) -> Mapping[str, Any]:
    """The tasks of a namespace by name, as copies.

    Invoke takes the help out of a task when it parses a command line, so whoever wants to read it later keeps a copy.
    """
    return {name: copy.deepcopy(namespace[name]) for name in namespace.task_names}
