"""`meta/argument_specs.yaml`: a role's own declaration of its variables becomes a task that holds them against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook.finding import find_part
from ringup.playbook.scope import Scope
from ringup.playbook.values import RoleRef, Task
from ringup.source import Source
from ringup.yamlfile import SourcedMap, load_yaml, shown_path

ACTION = "validate_argument_spec"


def validating_task(role: RoleRef, meta: SourcedMap, entry_point: str, scope: Scope) -> Task | None:
    """The task that runs before the role's own; None when the role declares nothing for this entry point.

    Args:
        meta: of the role, which may hold the specs too.
        entry_point: the file of tasks by which the role is entered, without extension.
        scope: the role's.
    Raises:
        PlaybookError: the declaration is no mapping of entry points.
    """
    if ACTION not in scope.vocabulary.specs:
        return None
    path = find_part(role.path / "meta", "argument_specs")
    written = load_yaml(path, decrypt=scope.vocabulary.decrypt) if path is not None and path.is_file() else meta
    where = written.source if isinstance(written, SourcedMap) else Source(shown_path(path or role.path))
    specs = written.get("argument_specs") if isinstance(written, Mapping) else None
    if specs is None:
        return None
    if not isinstance(specs, Mapping):
        raise PlaybookError(
            "'argument_specs' takes entry points (main: ...)", where=where, hint="write argument_specs: {main: {options: ...}}"
        )
    spec = specs.get(entry_point)
    if not isinstance(spec, Mapping) or not spec.get("options"):
        return None
    keywords = replace(scope.keywords, tags=scope.keywords.tags | {"always"})
    title = f"check the arguments of role {role.name} ({entry_point})"
    args: dict[str, Any] = {"argument_spec": spec["options"], "provided_arguments": dict(role.params)}
    return Task(
        action=ACTION,
        args=args,
        source=specs.key_source(entry_point) if isinstance(specs, SourcedMap) else where,
        folder=role.path / "tasks",
        name=title,
        keywords=keywords,
        role=role,
        inherited=scope.keywords,
        params=scope.params,
    )
