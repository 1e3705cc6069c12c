"""Lists of tasks and blocks; what is imported statically is read in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook import keywords
from ringup.playbook.action import Action, check_action, check_conditions, check_templates, find_action
from ringup.playbook.finding import find_file, task_folders
from ringup.playbook.kinds import boolean, described
from ringup.playbook.loops import read_loop
from ringup.playbook.scope import RoleWish, Scope, read_list
from ringup.playbook.values import NOTHING, Block, Step, Task
from ringup.source import Source
from ringup.yamlfile import SourcedMap, shown_path

#: What an include takes itself; anything else is meant for its tasks. Source: ansible-core 2.19, playbook/task_include.py.
ON_INCLUDES = frozenset(
    (
        "action", "args", "delegate_to", "ignore_errors", "listen", "local_action", "loop", "loop_control", "name", "no_log", "register",
        "run_once", "tags", "timeout", "vars", "when",
    )
)  # fmt: skip
#: What means nothing on a static import, because there is no task to apply it to.
NOT_ON_IMPORTS = (
    "changed_when", "delay", "failed_when", "listen", "loop", "loop_control", "notify", "register", "retries", "until",
)  # fmt: skip
DYNAMIC = ("include_tasks", "include_role")
STATIC = ("import_tasks", "import_role")
#: keywords of a task that are conditions
CONDITIONS = ("when", "changed_when", "failed_when", "until")
FROM_FILES = {"tasks": "tasks_from", "vars": "vars_from", "defaults": "defaults_from", "handlers": "handlers_from"}


def read_steps(written: Any, scope: Scope, key: str = "tasks", where: Source | None = None) -> tuple[Step, ...]:
    """The tasks and blocks of a list, imports read in place. Mistakes are collected; a step with one is left out.

    Args:
        key: the keyword that the list is under, for messages.
        where: of that keyword.
    """
    if written is None:
        return ()
    if not isinstance(written, list):
        message = f"'{key}' needs a list of tasks, not {described(written)}"
        scope.problems.add(PlaybookError(message, where=where, hint="begin each task with '- '"))
        return ()
    found: list[Step] = []
    for index, item in enumerate(written):
        with scope.problems.collecting():
            place = written.item_source(index) if hasattr(written, "item_source") else where
            if not isinstance(item, SourcedMap):
                hint = f"write '- {item}:' with its options" if isinstance(item, str) else "write '- name: ...' and a module"
                raise PlaybookError(f"a task is a mapping (name: value), not {described(item)}", where=place, hint=hint)
            found.extend(_read_step(item, scope))
    return tuple(found)


def _read_step(written: SourcedMap, scope: Scope) -> tuple[Step, ...]:
    if "block" in written:
        return (_read_block(written, scope),)
    orphan = next((key for key in ("rescue", "always") if key in written), None)
    if orphan is not None:
        raise PlaybookError(
            f"'{orphan}' without a 'block'", where=written.key_source(orphan), hint="add 'block:' with the tasks it belongs to"
        )
    return _read_task(written, scope)


def _read_block(written: SourcedMap, scope: Scope) -> Block:
    if scope.handlers:
        raise PlaybookError("a block cannot be a handler", where=written.source, hint="give its tasks the same 'listen'")
    own = _own_keywords(written, keywords.BLOCK, "a block", scope)
    inner = scope.inside(own)
    parts = {
        key: read_steps(written.get(key), inner, key, written.key_source(key)) for key in ("block", "rescue", "always") if key in written
    }
    return Block(
        block=parts["block"],
        source=written.source,
        rescue=parts.get("rescue", ()),
        always=parts.get("always", ()),
        name=own.get("name", ""),
        keywords=inner.keywords,
        role=scope.role,
    )


def _read_task(written: SourcedMap, scope: Scope) -> tuple[Step, ...]:
    known = keywords.HANDLER if scope.handlers else keywords.TASK
    action = find_action(written, known, scope.vocabulary, scope.what)
    modules = [key for key in written if key not in known]
    own = _own_keywords(written, known, scope.what, scope, modules)
    loop = read_loop(written, scope.vocabulary)
    if action.delegate_to is not None:
        own["delegate_to"] = action.delegate_to
    inner = scope.inside(own)
    name = action.spec.name
    check_action(action, inner.keywords.module_defaults.get(name, NOTHING), scope.vocabulary)
    if name in STATIC:
        _refuse(
            NOT_ON_IMPORTS, written, f"'{name}' is read before the play runs", "use include_* instead, or put it on the tasks themselves"
        )
        return _import_tasks(action, inner) if name == "import_tasks" else _import_role(action, inner)
    if name in DYNAMIC:
        not_here = [key for key in own if key not in ON_INCLUDES and key in known]
        _refuse(not_here, written, f"'{name}' does not pass it on", f"put it under 'apply:' of {name}, where it reaches the tasks")
    _check_place(action, scope)
    task = Task(
        action=name,
        args=action.args,
        source=written.source,
        folder=scope.folder,
        keywords=inner.keywords,
        loop=loop,
        notify=inner.notify,
        listen=own.get("listen", ()),
        role=scope.role,
        args_template=action.template,
        inherited=scope.keywords,
        params=scope.params,
        **{key: own[key] for key in ("register", "changed_when", "failed_when", "until", "retries", "delay") if key in own},
        name=own.get("name", ""),
    )
    return (task,)


def _own_keywords(
    written: SourcedMap, known: Mapping[str, Any], what: str, scope: Scope, others: list[Any] | None = None
) -> dict[str, Any]:
    own = keywords.read(written, known, what, others or ())
    vocabulary = scope.vocabulary
    for key in CONDITIONS:
        if key in own:
            value = written[key]
            check_conditions(value if isinstance(value, list) else [value], written.value_source(key), vocabulary)
    for key in set(own) - {*CONDITIONS, "args", "action", "local_action", "loop", "block", "rescue", "always", "module_defaults"}:
        check_templates(written[key], written.value_source(key), vocabulary)
    if "module_defaults" in own:
        own["module_defaults"] = read_module_defaults(own["module_defaults"], written.value_source("module_defaults"), scope)
    return own


def read_module_defaults(written: Any, where: Source, scope: Scope) -> dict[str, Mapping[str, Any]]:
    """`module_defaults` by canonical names of modules; given as a mapping, or a list of mappings of which later ones win.

    Raises:
        PlaybookError: an entry names no module, or has no options.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for part in written if isinstance(written, list) else [written]:
        if not isinstance(part, SourcedMap):
            raise PlaybookError(
                f"'module_defaults' takes modules with options, not {described(part)}", where=where, hint="write module: {option: value}"
            )
        for word, options in part.items():
            place = part.key_source(word)
            if str(word).startswith("group/"):
                raise PlaybookError(f"groups of modules are not supported: '{word}'", where=place, hint="name each module")
            spec = scope.vocabulary.find(str(word))
            if spec is None:
                raise scope.vocabulary.unknown(str(word), place)
            if not isinstance(options, Mapping):
                message = f"'{word}' needs options (name: value), not {described(options)}"
                raise PlaybookError(message, where=place, hint="write module: {option: value}")
            check_templates(options, place, scope.vocabulary)
            found[spec.name] = options
    return found


def _refuse(names: Any, written: SourcedMap, reason: str, hint: str) -> None:
    for name in names:
        if name in written:
            raise PlaybookError(f"'{name}' cannot be used here: {reason}", where=written.key_source(name), hint=hint)


def _check_place(action: Action, scope: Scope) -> None:
    name, where = action.spec.name, action.source
    if scope.handlers and name == "include_role":
        raise PlaybookError("include_role cannot be a handler", where=where, hint="use include_tasks")
    if name == "meta" and action.args.get("free_form") == "end_role":
        if scope.role is None:
            raise PlaybookError("'end_role' outside of a role", where=where, hint="use end_play or end_host")
        if scope.handlers:
            raise PlaybookError("'end_role' in a handler", where=where, hint="put it among the role's tasks")


def _import_tasks(action: Action, inner: Scope) -> tuple[Step, ...]:
    name = inner.static_name(str(action.args["file"]), action.source)
    role_path = inner.role.path if inner.role is not None else None
    folders = task_folders(inner.folder, role_path, inner.playbook_folder, handlers=inner.handlers)
    path = find_file(name, folders, action.source, "file of tasks")
    within = replace(inner.entering(shown_path(path), action.source), folder=path.parent)
    return read_steps(read_list(path, within, "tasks"), within)


def _import_role(action: Action, inner: Scope) -> tuple[Step, ...]:
    if inner.handlers:
        raise PlaybookError("import_role cannot be a handler", where=action.source, hint="use include_tasks")
    args = action.args
    name = inner.static_name(str(args.get("name") or args.get("role")), action.source)

    def flag(option: str) -> bool:
        return bool(boolean(args.get(option, True), action.source))

    wish = RoleWish(
        name=name,
        source=action.source,
        from_files={part: str(args[option]) for part, option in FROM_FILES.items() if option in args},
        public=flag("public"),
        allow_duplicates=flag("allow_duplicates"),
        validate=flag("rolespec_validate"),
        included=True,
    )
    included = inner.read_role(wish, inner)
    inner.brought.handlers.extend(included.handlers)
    inner.brought.roles.extend(included.roles)
    return included.steps
