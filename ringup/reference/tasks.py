"""Invoke's tasks as a page: what each does and every option it takes."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any

from ringup.reference.markdown import code, codes, page, table

INTRODUCTION = """\
`invoke TASK` in a checkout, `ringup TASK` anywhere. `invoke --list` shows the tasks, `invoke --help TASK` one task's options.
Words of several parts are written with hyphens: `--skip-tags`."""
KINDS = {int: "number", str: "text", float: "number"}


def tasks_page(tasks: Mapping[str, Any]) -> str:
    """All tasks by name, in the order of `invoke --list`."""
    names = sorted(tasks, key=lambda name: ("." in name, name))
    overview = table(["Task", "What it does"], [[f"[{name}](#{anchor(name)})", summary(tasks[name])] for name in names])
    return page("Tasks", INTRODUCTION, overview, *(_section(name, tasks[name]) for name in names))


def anchor(title: str) -> str:
    """The anchor that a heading gets: small letters, without dots."""
    return title.lower().replace(".", "").replace(" ", "-")


def summary(task: Any) -> str:
    """The first line of a task's documentation."""
    return (inspect.getdoc(task) or "").partition("\n")[0]


def _section(name: str, task: Any) -> str:
    arguments = copy.deepcopy(task).get_arguments()  # which takes the help out of the task
    positional = " ".join(argument.name.upper().replace("_", "-") for argument in arguments if argument.positional)
    rows = [[_flags(argument), _value(argument), _default(argument), argument.help or ""] for argument in arguments]
    parts = [f"## {name}", summary(task), f"    invoke {name} {positional}".rstrip() if positional else ""]
    options = table(["Option", "Value", "Default", "Meaning"], rows) if rows else "No options."
    return "\n\n".join([part for part in parts if part] + [options])


def _flags(argument: Any) -> str:
    names = [word.replace("_", "-") for word in argument.names]
    return codes(("--" if len(word) > 1 else "-") + word for word in sorted(names, key=len))


def _value(argument: Any) -> str:
    if argument.kind is bool:
        return ""
    return "text, repeatable" if argument.kind is list else KINDS.get(argument.kind, argument.kind.__name__)


def _default(argument: Any) -> str:
    if argument.positional:
        return "needed"
    return code(argument.default) if argument.default not in (None, "", [], False, 0) else ""
