"""From files to values: a whole playbook, and what includes bring in while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ringup.playbook import keywords
from ringup.playbook.plays import read_plays
from ringup.playbook.problems import Problems
from ringup.playbook.roles import read_role
from ringup.playbook.scope import Brought, Included, RoleWish, Scope, read_list
from ringup.playbook.steps import read_module_defaults, read_steps
from ringup.playbook.values import NOTHING, Playbook, Task
from ringup.playbook.vocabulary import Vocabulary
from ringup.source import Source
from ringup.yamlfile import SourcedMap

#: What `apply:` may hold: keywords of a block, but not its tasks.
APPLIED = {name: kind for name, kind in keywords.BLOCK.items() if name not in ("block", "rescue", "always", "name")}


def load_playbook(path: Path, vocabulary: Vocabulary) -> Playbook:
    """A playbook with all that it imports, judged as far as can be without a host.

    Raises:
        InputError: with file, line and what to write instead; up to 10 mistakes in one.
    """
    scope = _scope(vocabulary, path.parent, path.parent)
    plays = read_plays(path, scope)
    scope.problems.raise_any()
    return Playbook(path, plays)


def load_tasks(
    path: Path,
    include: Task,
    vocabulary: Vocabulary,
    *,
    playbook_folder: Path,
    params: Mapping[str, Any] = NOTHING,
    apply: Mapping[str, Any] | None = None,
    handlers: bool = False,
) -> Included:
    """The tasks of a file that `include_tasks` brings in.

    Args:
        path: as `find_tasks_file` finds it.
        include: the task; its tasks inherit what its parents give, not its own keywords.
        params: the variables of the include and of its loop (`item`): they rank above set_fact.
        apply: keywords for the tasks, as the include's `apply:` says, rendered or not.
        handlers: the include is a handler.
    Raises:
        InputError: as `load_playbook`.
    """
    scope = _include_scope(include, vocabulary, playbook_folder, params, apply)
    scope = replace(scope, folder=path.parent, handlers=handlers)
    steps = read_steps(read_list(path, scope, "tasks"), scope)
    scope.problems.raise_any()
    return Included(steps, tuple(scope.brought.handlers), tuple(scope.brought.roles))


def load_role(
    name: str,
    include: Task,
    vocabulary: Vocabulary,
    *,
    playbook_folder: Path,
    params: Mapping[str, Any] = NOTHING,
    apply: Mapping[str, Any] | None = None,
    from_files: Mapping[str, str] = NOTHING,
    public: bool = False,
    allow_duplicates: bool = True,
    validate: bool = True,
) -> Included:
    """A role that `include_role` brings in, its dependencies before it.

    Args:
        include, params, apply: as for `load_tasks`.
        from_files: other files than main, of tasks, vars, defaults and handlers: {"tasks": "install"}.
        public: `Included.roles` then holds what the rest of the play sees.
        validate: hold the variables against the role's argument_specs.
    Raises:
        InputError: as `load_playbook`; there is no such role.
    """
    scope = _include_scope(include, vocabulary, playbook_folder, params, apply)
    wish = RoleWish(name, include.source, NOTHING, NOTHING, from_files, public, allow_duplicates, validate, included=True)
    included = read_role(wish, scope)
    scope.problems.raise_any()
    handlers = (*included.handlers, *scope.brought.handlers)
    return Included(included.steps, handlers, (*included.roles, *scope.brought.roles))


def _scope(vocabulary: Vocabulary, playbook_folder: Path, folder: Path) -> Scope:
    return Scope(vocabulary, Problems(), Brought(), read_role, playbook_folder, folder)


def _include_scope(
    include: Task, vocabulary: Vocabulary, playbook_folder: Path, params: Mapping[str, Any], apply: Mapping[str, Any] | None
) -> Scope:
    scope = replace(
        _scope(vocabulary, playbook_folder, include.folder),
        keywords=include.inherited,
        role=include.role,
        params={**include.params, **params},
    )
    return scope.inside(_applied(apply, include.source, scope)) if apply else scope


def _applied(apply: Mapping[str, Any], where: Source, scope: Scope) -> dict[str, Any]:
    placed = apply if isinstance(apply, SourcedMap) else SourcedMap(apply, path=where.path, position=(where.line, where.column))
    own = keywords.read(placed, APPLIED, "apply")
    if "module_defaults" in own:
        own["module_defaults"] = read_module_defaults(own["module_defaults"], where, scope)
    return own
