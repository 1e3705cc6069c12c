"""Roles: found on disk, their dependencies before them, their variables in the order of precedence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook import keywords, kinds
from ringup.playbook.action import check_templates
from ringup.playbook.argument_specs import validating_task
from ringup.playbook.finding import files_in, find_part, find_role
from ringup.playbook.scope import Included, RoleWish, Scope, read_list
from ringup.playbook.steps import read_module_defaults, read_steps
from ringup.playbook.values import NOTHING, RoleRef, RoleUse, Step, Task
from ringup.source import Source
from ringup.yamlfile import SourcedList, SourcedMap, load_yaml, shown_path

META: Mapping[str, kinds.Kind] = {
    "allow_duplicates": kinds.boolean,
    "argument_specs": kinds.mapping,
    "collections": kinds.collections,
    "dependencies": kinds.anything,
    "galaxy_info": kinds.anything,
    "standalone": kinds.boolean,
}
#: What an operator may take for a keyword of a role and would become a variable of that name.
NOT_ON_ROLES = ("loop", "notify", "register", "until", "retries", "block", "tasks", "hosts", "loop_control")


def read_uses(wish: RoleWish, scope: Scope) -> tuple[RoleUse, ...]:
    """A role with, before it, the roles it depends on.

    Args:
        scope: where it is used; `scope.role` is the role that asks for it.
    Raises:
        InputError: it is nowhere, asks for itself, or a file of variables is wrong. Mistakes in tasks are collected in the scope.
    """
    parent = scope.role
    beside = parent.path.parent if parent is not None else None
    path = find_role(wish.name, wish.source, scope.playbook_folder, scope.vocabulary.roles_path, beside)
    entered_by = f" ({wish.from_files['tasks']})" if "tasks" in wish.from_files else ""
    within = scope.entering(f"role {wish.name}{entered_by}", wish.source)
    meta = _read_meta(path)
    own_defaults = _read_variables(path, "defaults", wish, scope)
    own_vars = _read_variables(path, "vars", wish, scope)
    use_vars = wish.own.get("vars", NOTHING)
    inherited = parent if parent is not None else RoleRef("", path)
    role = RoleRef(
        name=wish.name,
        path=path,
        defaults={**inherited.defaults, **own_defaults},
        vars={**inherited.vars, **own_vars, **use_vars},
        params={**inherited.params, **wish.params},
        exported=own_vars,
        public=wish.public,
        allow_duplicates=wish.allow_duplicates if wish.allow_duplicates is not None else bool(meta.get("allow_duplicates", False)),
        key=_key(wish, path),
        parents=(*inherited.parents, inherited.name) if parent is not None else (),
        parent_paths=(*inherited.parent_paths, inherited.path) if parent is not None else (),
    )
    own = {name: value for name, value in wish.own.items() if name != "vars"}
    inside = replace(within.inside(own), role=role, folder=path / "tasks")
    before = _read_dependencies(meta, inside)
    role = _with_dependencies(role, tuple(use.role for use in before), inherited, own_defaults, own_vars, use_vars)
    inside = replace(inside, role=role)
    check = validating_task(role, meta, Path(wish.from_files.get("tasks", "main")).stem, inside) if wish.validate else None
    steps = _read_part("tasks", wish, inside)
    for_handlers = replace(inside, handlers=True, folder=path / "handlers")
    handlers = tuple(step for step in _read_part("handlers", wish, for_handlers) if isinstance(step, Task))
    checked: tuple[Step, ...] = (check,) if check is not None else ()
    return (*before, RoleUse(role, (*checked, *steps), handlers, inside.keywords.tags))


def read_role(wish: RoleWish, scope: Scope) -> Included:
    """A role as `import_role` and `include_role` bring it: steps in one line, handlers, and what the play may see of it."""
    uses = read_uses(wish, scope)
    return Included(
        steps=tuple(step for use in uses for step in use.steps),
        handlers=tuple(handler for use in uses for handler in use.handlers),
        # what a role depends on has its parents' defaults too: it is no more public than they are
        roles=tuple(use.role for use in uses if use.role.public) if wish.public else (),
    )


def read_entry(entry: Any, scope: Scope, where: Source) -> tuple[RoleUse, ...]:
    """An entry of `roles:` or of `dependencies:`: a name, or a mapping with keywords; its other names are parameters.

    Raises:
        InputError: it names no role, or as `read_uses`.
    """
    if isinstance(entry, str | int) and not isinstance(entry, bool):
        return read_uses(RoleWish(scope.static_name(str(entry), where), where), scope)
    if not isinstance(entry, SourcedMap):
        raise PlaybookError(f"a role is a name or a mapping, not {kinds.described(entry)}", where=where, hint="write '- role: name'")
    name = entry.get("role", entry.get("name"))
    if not isinstance(name, str) or not name:
        raise PlaybookError("a role without a name", where=entry.source, hint="write '- role: name'")
    for key in entry:
        if key in NOT_ON_ROLES or str(key).startswith("with_"):
            raise PlaybookError(f"'{key}' is no keyword of a role", where=entry.key_source(key), hint="use include_role in a task")
        if key in keywords.UNSUPPORTED:
            raise keywords.unknown_keyword(key, keywords.ROLE, "a role", entry.key_source(key))
    params = {key: value for key, value in entry.items() if key not in keywords.ROLE}
    kinds.variables(SourcedMap(params, path=entry.path, position=entry.position, key_positions=entry.key_positions), entry.source)
    own = keywords.read(entry, keywords.ROLE, "a role", params)
    if "module_defaults" in own:
        own["module_defaults"] = read_module_defaults(own["module_defaults"], entry.value_source("module_defaults"), scope)
    check_templates({key: value for key, value in entry.items() if key != "when"}, entry.source, scope.vocabulary)
    wish = RoleWish(scope.static_name(name, entry.source), entry.source, own={k: v for k, v in own.items() if k != "name"}, params=params)
    return read_uses(wish, scope)


def _with_dependencies(
    role: RoleRef,
    dependencies: tuple[RoleRef, ...],
    inherited: RoleRef,
    own_defaults: Mapping[str, Any],
    own_vars: Mapping[str, Any],
    use_vars: Mapping[str, Any],
) -> RoleRef:
    """The role once its dependencies are read: theirs rank below its own, and their exported variables above its parents'."""
    defaults: dict[str, Any] = {}
    exported: dict[str, Any] = {}
    for one in dependencies:
        defaults.update(one.defaults)
        exported.update(one.exported)
    return replace(
        role,
        dependencies=dependencies,
        defaults={**defaults, **inherited.defaults, **own_defaults},
        exported={**exported, **own_vars},
        vars={**inherited.vars, **exported, **own_vars, **use_vars},
    )


def _read_dependencies(meta: SourcedMap, scope: Scope) -> tuple[RoleUse, ...]:
    written = meta.get("dependencies")
    if written is None:
        return ()
    if not isinstance(written, SourcedList):
        where = meta.value_source("dependencies")
        raise PlaybookError(
            f"'dependencies' needs a list of roles, not {kinds.described(written)}", where=where, hint="write '- role: name'"
        )
    found: list[RoleUse] = []
    for index, entry in enumerate(written):
        found.extend(read_entry(entry, scope, written.item_source(index)))
    return tuple(found)


def _read_part(part: str, wish: RoleWish, scope: Scope) -> tuple[Step, ...]:
    """The tasks or handlers of a role; none when the role has no such file, unless it was named."""
    folder, name = scope.folder, wish.from_files.get(part, "main")
    path = find_part(folder, name)
    if path is not None and path.is_file():
        within = replace(scope.entering(shown_path(path), wish.source), folder=path.parent)
        return read_steps(read_list(path, within, part), within, part)
    if part in wish.from_files:
        hint = f"looked for {shown_path(folder / name)}.yml, .yaml and .json"
        raise PlaybookError(f"the role '{wish.name}' has no file '{name}' in {part}", where=wish.source, hint=hint)
    return ()


def _read_meta(path: Path) -> SourcedMap:
    file = find_part(path / "meta")
    written = load_yaml(file) if file is not None and file.is_file() else None
    if written is None:
        return SourcedMap(path=shown_path(path / "meta"))
    if not isinstance(written, SourcedMap):
        where = getattr(written, "source", Source(shown_path(file or path), 1))
        raise PlaybookError(f"a role's meta is a mapping, not {kinds.described(written)}", where=where, hint="write dependencies: [...]")
    keywords.read(written, META, "a role's meta")
    return written


def _read_variables(path: Path, part: str, wish: RoleWish, scope: Scope) -> Mapping[str, Any]:
    """`defaults/main.yaml` or `vars/main.yaml`, or all the files of a folder `main`, later ones winning."""
    name = wish.from_files.get(part, "main")
    found = find_part(path / part, name)
    if found is None:
        if part in wish.from_files:
            raise PlaybookError(
                f"the role '{wish.name}' has no file '{name}' in {part}", where=wish.source, hint=f"looked in {path / part}"
            )
        return NOTHING
    merged: dict[str, Any] = {}
    for file in files_in(found):
        written = load_yaml(file, decrypt=scope.vocabulary.decrypt)
        where = getattr(written, "source", Source(shown_path(file), 1))
        if written is not None and not isinstance(written, Mapping):
            message = f"a role's {part} are a mapping (name: value), not {kinds.described(written)}"
            raise PlaybookError(message, where=where, hint="write 'name: value', without '- '")
        variables = kinds.variables(written, where)
        check_templates(variables, where, scope.vocabulary)
        merged.update(variables)
    return merged


def _key(wish: RoleWish, path: Path) -> str:
    """Equal for uses that Ansible takes for the same: by name, folder, parameters, variables, conditions, tags and files."""
    shown = (wish.own.get("when", ()), sorted(wish.own.get("tags", ())), dict(wish.own.get("vars", {})), dict(wish.params))
    return repr((wish.name, str(path.resolve()), shown, sorted(wish.from_files.items()), wish.included))
