"""The reference under docs/reference, from the declarations themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from invoke.collection import Collection
from invoke.context import Context
from invoke.exceptions import Exit
from invoke.tasks import task

from ringup import reference
from ringup.actions.words import vocabulary
from ringup.tasks.lab import say

FOLDER = Path("docs/reference")


def pages(namespace: Collection) -> tuple[reference.Page, ...]:
    """The reference of this toolkit, read from the working folder's roles and the given tasks."""
    return reference.all_pages(namespace, vocabulary().specs, Path("roles"))


def docs_task(namespace: Collection) -> Any:
    """The task `docs`, which describes the namespace that it becomes a part of."""

    @task(auto_shortflags=False, help={"check": "write nothing; fail when the reference is not what the code says"})
    def docs(_: Context, check: bool = False) -> None:
        """Write the reference of tasks, modules, roles, facts and errors into docs/reference."""
        wanted = pages(namespace)
        changed = reference.stale(wanted, FOLDER) if check else reference.write(wanted, FOLDER)
        for name in changed:
            say(f"{FOLDER / name} {'is stale' if check else 'written'}")
        if check and changed:
            say("write it again: invoke docs")
            raise Exit(code=1)

    return docs
