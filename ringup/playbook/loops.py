"""`loop:`, `with_*:` and `loop_control:`."""

from __future__ import annotations

import difflib
from typing import Any

from ringup.errors import PlaybookError
from ringup.playbook import keywords
from ringup.playbook.action import check_templates
from ringup.playbook.kinds import described, templated
from ringup.playbook.values import Loop
from ringup.playbook.vocabulary import Vocabulary
from ringup.source import Source
from ringup.yamlfile import SourcedMap

#: The lookups that `with_NAME` may name. Source: ansible-core 2.19, the plugins of ansible.builtin of kind lookup.
LOOKUPS = frozenset(
    (
        "config", "csvfile", "dict", "env", "file", "fileglob", "first_found", "flattened", "indexed_items", "ini", "inventory_hostnames",
        "items", "lines", "list", "nested", "password", "pipe", "random_choice", "sequence", "subelements", "template", "together",
        "unvault", "url", "varnames", "vars",
    )
)  # fmt: skip


def read_loop(task: SourcedMap, vocabulary: Vocabulary) -> Loop | None:
    """The loop of a task; None when it has none.

    Raises:
        PlaybookError: two loops, a loop over what is no list, an unknown `with_`, a wrong `loop_control`.
    """
    written = [str(key) for key in task if key == "loop" or str(key).startswith("with_")]
    if len(written) > 1:
        raise PlaybookError(
            f"two loops in one task: '{written[0]}' and '{written[1]}'",
            where=task.key_source(written[1]),
            hint='loop over the product of two lists: loop: "{{ a | product(b) }}"',
        )
    if not written:
        if task.get("loop_control") is not None:
            raise PlaybookError("'loop_control' without a loop", where=task.key_source("loop_control"), hint="add 'loop:', or remove it")
        return None
    key = written[0]
    items, where = task[key], task.value_source(key)
    lookup = None if key == "loop" else _lookup(key, task.key_source(key))
    _check_items(key, items, where)
    check_templates(items, where, vocabulary)
    return Loop(items=items, lookup=lookup, **_control(task, vocabulary))


def _lookup(key: str, where: Source) -> str:
    name = key.removeprefix("with_").removeprefix("ansible.builtin.")
    if name in LOOKUPS:
        return name
    near = difflib.get_close_matches(name, LOOKUPS, n=1, cutoff=0.6)
    hint = f"did you mean 'with_{near[0]}'?" if near else "write loop: with a filter or a lookup instead"
    raise PlaybookError(f"unknown loop '{key}'", where=where, hint=hint)


def _check_items(key: str, items: Any, where: Source) -> None:
    if items is None:
        raise PlaybookError(f"'{key}' has nothing to go over", where=where, hint="give it a list")
    if key != "loop" or isinstance(items, list) or templated(items):
        return
    hint = "write a list: [a, b]"
    if isinstance(items, dict):
        hint = 'write loop: "{{ the_mapping | dict2items }}"; each item has .key and .value'
    elif isinstance(items, str):
        hint = f'write a list: ["{items}"], or a template: "{{{{ {items} }}}}"'
    raise PlaybookError(f"'loop' needs a list, not {described(items)}", where=where, hint=hint)


def _control(task: SourcedMap, vocabulary: Vocabulary) -> dict[str, Any]:
    control = task.get("loop_control")
    if control is None:
        return {}
    if not isinstance(control, SourcedMap):
        raise PlaybookError(
            f"'loop_control' takes options (name: value), not {described(control)}", where=task.value_source("loop_control")
        )
    found = keywords.read(control, keywords.LOOP_CONTROL, "loop_control")
    names = {"pause": "pause_s", "extended_allitems": "all_items"}
    check_templates(found.get("label"), control.source, vocabulary)
    return {names.get(name, name): value for name, value in found.items()}
