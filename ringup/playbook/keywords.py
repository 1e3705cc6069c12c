"""Every keyword of plays, blocks, tasks and roles, with its kind; the rules by which children inherit from parents."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook import kinds
from ringup.playbook.kinds import Kind
from ringup.playbook.values import Keywords
from ringup.source import Source
from ringup.yamlfile import SourcedMap

#: what plays, roles, blocks and tasks share
SHARED: Mapping[str, Kind] = {
    "any_errors_fatal": kinds.boolean,
    "become": kinds.boolean,
    "become_flags": kinds.text,
    "become_method": kinds.text,
    "become_user": kinds.text,
    "check_mode": kinds.boolean,
    "collections": kinds.collections,
    "connection": kinds.text,
    "diff": kinds.boolean,
    "environment": kinds.environment,
    "ignore_errors": kinds.boolean,
    "ignore_unreachable": kinds.boolean,
    "module_defaults": kinds.anything,
    "no_log": kinds.boolean,
    "port": kinds.whole,
    "remote_user": kinds.text,
    "run_once": kinds.boolean,
    "tags": kinds.tags,
    "throttle": kinds.whole,
    "timeout": kinds.whole,
    "vars": kinds.variables,
}
#: what roles, blocks and tasks share beyond that
INNER: Mapping[str, Kind] = {
    **SHARED,
    "when": kinds.conditions,
    "delegate_to": kinds.text,
    "delegate_facts": kinds.boolean,
}
BLOCK: Mapping[str, Kind] = {
    **INNER,
    "name": kinds.text,
    "notify": kinds.texts,
    "block": kinds.anything,
    "rescue": kinds.anything,
    "always": kinds.anything,
}
TASK: Mapping[str, Kind] = {
    **INNER,
    "name": kinds.text,
    "action": kinds.anything,
    "local_action": kinds.anything,
    "args": kinds.anything,
    "changed_when": kinds.conditions,
    "delay": kinds.number,
    "failed_when": kinds.conditions,
    "loop": kinds.anything,
    "loop_control": kinds.mapping,
    "notify": kinds.texts,
    "register": kinds.identifier,
    "retries": kinds.whole,
    "until": kinds.conditions,
}
HANDLER: Mapping[str, Kind] = {**TASK, "listen": kinds.texts}
PLAY: Mapping[str, Kind] = {
    **SHARED,
    "name": kinds.text,
    "hosts": kinds.anything,
    "gather_facts": kinds.boolean,
    "gather_subset": kinds.texts,
    "gather_timeout": kinds.whole,
    "vars_files": kinds.anything,
    "vars_prompt": kinds.anything,
    "roles": kinds.anything,
    "handlers": kinds.anything,
    "pre_tasks": kinds.anything,
    "tasks": kinds.anything,
    "post_tasks": kinds.anything,
    "force_handlers": kinds.boolean,
    "max_fail_percentage": kinds.percent,
    "serial": kinds.batches,
    "strategy": kinds.text,
    "order": kinds.choice("inventory", "reverse_inventory", "sorted", "reverse_sorted", "shuffle"),
}
IMPORT_PLAYBOOK: Mapping[str, Kind] = {
    "name": kinds.text,
    "import_playbook": kinds.text,
    "tags": kinds.tags,
    "vars": kinds.variables,
    "when": kinds.conditions,
}
ROLE: Mapping[str, Kind] = {**INNER, "role": kinds.text, "name": kinds.text}
LOOP_CONTROL: Mapping[str, Kind] = {
    "loop_var": kinds.identifier,
    "index_var": kinds.identifier,
    "label": kinds.anything,
    "pause": kinds.number,
    "extended": kinds.boolean,
    "extended_allitems": kinds.boolean,
}
VARS_PROMPT: Mapping[str, Kind] = {
    "name": kinds.identifier,
    "prompt": kinds.text,
    "private": kinds.boolean,
    "default": kinds.anything,
    "confirm": kinds.boolean,
    "unsafe": kinds.boolean,
}

#: Keywords of Ansible that mean nothing here, with what an operator is told to do instead.
UNSUPPORTED: Mapping[str, str] = {
    "debugger": "there is no task debugger: run with --step, or show the registered result with debug",
    "become_exe": "choose become_method, or put the program first in the PATH of the host",
    "fact_path": "set fact_path on a setup task instead",
    "break_when": "use until with retries, or loop over a filtered list",
    "encrypt": "hash the answer with the password_hash filter",
    "salt": "hash the answer with the password_hash filter",
    "salt_size": "hash the answer with the password_hash filter",
    "async": "a task is waited for: timeout limits it, and systemd-run starts what must outlive it",
    "poll": "a task is waited for: timeout limits it, and systemd-run starts what must outlive it",
    "include": "use include_tasks, import_tasks or import_playbook",
}


def read(written: SourcedMap, known: Mapping[str, Kind], what: str, extra: Iterable[str] = ()) -> dict[str, Any]:
    """The keywords of a mapping, each as its kind says; `extra` keys are left to the caller.

    Args:
        what: the thing being read, for messages: "a task", "a play".
    Raises:
        PlaybookError: a keyword is unknown, not supported, or has a value of another kind.
    """
    others = set(extra)
    found: dict[str, Any] = {}
    for key, value in written.items():
        if key in others:
            continue
        if key not in known:
            raise unknown_keyword(key, known, what, written.key_source(key))
        # `when:` with nothing after it is as if it had not been written, as in Ansible
        if value is not None:
            found[key] = known[key](value, written.value_source(key))
    return found


def unknown_keyword(key: Any, known: Iterable[str], what: str, where: Source) -> PlaybookError:
    """The error for a keyword that there is not, or not here."""
    if key in UNSUPPORTED:
        return PlaybookError(f"the keyword '{key}' is not supported", where=where, hint=UNSUPPORTED[key])
    everywhere = {"a play": PLAY, "a block": BLOCK, "a task": TASK, "a handler": HANDLER, "a role": ROLE}
    homes = [home for home, words in everywhere.items() if key in words and home != what]
    if homes:
        return PlaybookError(f"'{key}' is no keyword of {what}", where=where, hint=f"it belongs to {' or '.join(homes)}")
    near = difflib.get_close_matches(str(key), list(known), n=1, cutoff=0.6)
    words = sorted(known)
    listed = f"{what} knows {', '.join(words)}" if len(words) <= 12 else f"docs/playbooks.md lists the keywords of {what}"
    hint = f"did you mean '{near[0]}'?" if near else listed
    return PlaybookError(f"unknown keyword '{key}'", where=where, hint=hint)


INHERITED = frozenset(field.name for field in fields(Keywords))


def inherit(parent: Keywords, own: Mapping[str, Any]) -> Keywords:
    """The keywords of a child: its own over its parent's.

    Args:
        own: as `read` gives them; what is no inherited keyword is left out.
    Returns:
        conditions of the parent before its own; tags together; variables, environment and module defaults innermost last or over.
    """
    given = {name: value for name, value in own.items() if name in INHERITED}
    if not given:
        return parent
    if "when" in given:
        given["when"] = (*parent.when, *given["when"])
    if "tags" in given:
        given["tags"] = parent.tags | given["tags"]
    if "vars" in given:
        given["vars"] = {**parent.vars, **given["vars"]}
    if "environment" in given:
        given["environment"] = (*parent.environment, *given["environment"])
    if "module_defaults" in given:
        given["module_defaults"] = {**parent.module_defaults, **given["module_defaults"]}
    return replace(parent, **given)
