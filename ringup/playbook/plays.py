"""Plays, and playbooks that import others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook import keywords, kinds
from ringup.playbook.action import check_templates
from ringup.playbook.finding import find_file
from ringup.playbook.kinds import described, templated
from ringup.playbook.roles import read_entry
from ringup.playbook.scope import Brought, Scope, read_list
from ringup.playbook.steps import read_module_defaults, read_steps
from ringup.playbook.values import NOTHING, Play, RoleUse
from ringup.source import Source
from ringup.yamlfile import SourcedList, SourcedMap, shown_path

STRATEGIES = ("linear",)
IMPORT = "import_playbook"
SECTIONS = ("pre_tasks", "tasks", "post_tasks")
#: read one by one, or rendered by the engine
APART = {*SECTIONS, "handlers", "roles", "module_defaults", "vars_prompt"}


def read_plays(path: Path, scope: Scope, where: Source | None = None) -> tuple[Play, ...]:
    """The plays of a playbook file, those of imported playbooks in their place.

    Args:
        scope: its keywords and `play_vars` are what an importing playbook gives.
        where: of the import.
    Raises:
        InputError: the file cannot be read, or is no list. Mistakes in plays are collected in the scope.
    """
    source = Source(shown_path(path), 1)
    within = replace(scope.entering(shown_path(path), where or source), folder=path.parent, playbook_folder=path.parent)
    written = read_list(path, within, "plays")
    if not written:
        raise PlaybookError("the playbook is empty", where=source, hint="begin with '- hosts: ...' and 'tasks:'")
    found: list[Play] = []
    for index, item in enumerate(written):
        with scope.problems.collecting():
            place = written.item_source(index) if isinstance(written, SourcedList) else source
            if not isinstance(item, SourcedMap):
                hint = "write '- hosts: ...' and 'tasks:'"
                raise PlaybookError(f"a play is a mapping (name: value), not {described(item)}", where=place, hint=hint)
            found.extend(_read_item(item, within))
    return tuple(found)


def _read_item(written: SourcedMap, scope: Scope) -> tuple[Play, ...]:
    imported = next((key for key in written if str(key).removeprefix("ansible.builtin.") == IMPORT), None)
    if imported is None:
        return (_read_play(written, scope),)
    own = keywords.read(written, keywords.IMPORT_PLAYBOOK, "import_playbook", [imported])
    where = written.value_source(imported)
    name = written[imported]
    if not isinstance(name, str):
        raise kinds.wrong(name, "the path of a playbook", where, "write - import_playbook: other.yaml")
    check_templates(own.get("vars"), where, scope.vocabulary)
    path = find_file(scope.static_name(name, where), [scope.folder], where, "playbook")
    inner = replace(
        scope,
        keywords=keywords.inherit(scope.keywords, {key: value for key, value in own.items() if key != "vars"}),
        play_vars={**own.get("vars", NOTHING), **scope.play_vars},
    )
    return read_plays(path, inner, where)


def _read_play(written: SourcedMap, scope: Scope) -> Play:
    own = _play_keywords(written, scope)
    play_vars = {**own.get("vars", {}), **scope.play_vars}
    inherited = keywords.inherit(scope.keywords, {key: value for key, value in own.items() if key != "vars"})
    brought = Brought()
    inner = replace(scope, keywords=inherited, play_vars=play_vars, brought=brought)
    roles = _read_roles(written, inner)
    sections = {key: read_steps(written.get(key), inner, key, written.value_source(key)) for key in SECTIONS}
    handlers = read_steps(written.get("handlers"), replace(inner, handlers=True), "handlers", written.value_source("handlers"))
    hosts = _read_hosts(written)
    same_name = ("gather_facts", "gather_subset", "gather_timeout", "max_fail_percentage", "order", "force_handlers")
    return Play(
        name=own.get("name") or hosts,
        hosts=hosts,
        source=written.source,
        folder=scope.folder,
        keywords=inherited,
        vars=play_vars,
        vars_files=_read_vars_files(written),
        vars_prompt=_read_vars_prompt(written),
        pre_tasks=sections["pre_tasks"],
        roles=roles,
        tasks=sections["tasks"],
        post_tasks=sections["post_tasks"],
        handlers=(*handlers, *brought.handlers),
        imported_roles=tuple(brought.roles),
        serial=own.get("serial", ()),
        strategy=_read_strategy(written),
        **{key: own[key] for key in same_name if key in own},
    )


def _play_keywords(written: SourcedMap, scope: Scope) -> dict[str, Any]:
    known = {**keywords.PLAY, "user": kinds.text}
    own = keywords.read(written, known, "a play")
    if "user" in own:
        own.setdefault("remote_user", own.pop("user"))
    if "module_defaults" in own:
        own["module_defaults"] = read_module_defaults(own["module_defaults"], written.value_source("module_defaults"), scope)
    for key in set(own) - APART:
        check_templates(written.get(key), written.value_source(key), scope.vocabulary)
    return own


def _read_hosts(written: SourcedMap) -> str:
    """The pattern: a text, or a list whose parts are joined as in Ansible."""
    hosts = written.get("hosts")
    if hosts is None or hosts in ("", []):
        where = written.key_source("hosts") if "hosts" in written else written.source
        raise PlaybookError("a play without hosts", where=where, hint="add 'hosts:' with a group, a host or 'all'")
    where = written.value_source("hosts")
    items = hosts if isinstance(hosts, list) else [hosts]
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item.strip():
            raise kinds.wrong(item, "the name of a host or group, or a pattern", kinds.place_in(hosts, index, where), "quote it")
    return ",".join(items)


def _read_roles(written: SourcedMap, scope: Scope) -> tuple[RoleUse, ...]:
    entries = written.get("roles")
    if entries is None:
        return ()
    if not isinstance(entries, SourcedList):
        where = written.value_source("roles")
        raise PlaybookError(f"'roles' needs a list, not {described(entries)}", where=where, hint="write '- name of the role'")
    found: list[RoleUse] = []
    for index, entry in enumerate(entries):
        with scope.problems.collecting():
            found.extend(read_entry(entry, scope, entries.item_source(index)))
    return tuple(found)


def _read_vars_files(written: SourcedMap) -> tuple[Any, ...]:
    value = written.get("vars_files")
    if value is None:
        return ()
    where = written.value_source("vars_files")
    found: list[Any] = []
    for index, item in enumerate(value if isinstance(value, list) else [value]):
        place = kinds.place_in(value, index, where)
        names = kinds.texts(item, place)
        found.append(names if isinstance(item, list) else names[0])
    return tuple(found)


def _read_vars_prompt(written: SourcedMap) -> tuple[Mapping[str, Any], ...]:
    value = written.get("vars_prompt")
    if value is None:
        return ()
    where = written.value_source("vars_prompt")
    if not isinstance(value, SourcedList):
        raise PlaybookError(f"'vars_prompt' needs a list, not {described(value)}", where=where, hint="write '- name: the_variable'")
    found = []
    for index, item in enumerate(value):
        if not isinstance(item, SourcedMap) or "name" not in item:
            raise PlaybookError("a prompt without a 'name'", where=value.item_source(index), hint="write '- name: the_variable'")
        found.append(keywords.read(item, keywords.VARS_PROMPT, "vars_prompt"))
    return tuple(found)


def _read_strategy(written: SourcedMap) -> str:
    value = written.get("strategy")
    if value is None:
        return "linear"
    name = str(value).removeprefix("ansible.builtin.")
    if name in STRATEGIES:
        return name
    hint = "a strategy cannot be a template" if templated(value) else f"known are {', '.join(STRATEGIES)}"
    raise PlaybookError(f"the strategy '{value}' is not supported", where=written.value_source("strategy"), hint=hint)
