"""Loops: their items, what each adds to the variables, and one result from those of all. Pure but for rendering."""

from __future__ import annotations

from typing import Any

from ringup.errors import TemplateError
from ringup.playbook.values import Loop, Task
from ringup.templating import Templar


def loop_items(loop: Loop, templar: Templar, task: Task) -> list[Any]:
    """The items of a loop.

    Raises:
        TemplateError: it is no list.
    """
    items = templar.render(loop.items, source=task.source)
    if loop.lookup is not None:
        whole = loop.lookup in ("dict", "subelements", "ini", "template") or not isinstance(items, list)
        return list(templar.lookup(loop.lookup, [items] if whole else items, {"wantlist": True}))
    if isinstance(items, list | tuple):
        return list(items)
    kind = type(items).__name__
    hint = "a dictionary becomes a list by | dict2items, a text by | list or in brackets"
    raise TemplateError(f"loop must be a list, and this is a {kind}: {items!r}", where=task.source, hint=hint)


def loop_variables(loop: Loop, items: list[Any], number: int, item: Any) -> dict[str, Any]:
    """What a loop adds to the variables of an item."""
    extra: dict[str, Any] = {loop.loop_var: item, "ansible_loop_var": loop.loop_var}
    if loop.index_var:
        extra[loop.index_var] = number
        extra["ansible_index_var"] = loop.index_var
    if loop.extended:
        last = len(items) - 1
        info: dict[str, Any] = {
            "index": number + 1,
            "index0": number,
            "revindex": last - number + 1,
            "revindex0": last - number,
            "first": number == 0,
            "last": number == last,
            "length": len(items),
        }
        if loop.all_items:
            info["allitems"] = items
        if number:
            info["previtem"] = items[number - 1]
        if number < last:
            info["nextitem"] = items[number + 1]
        extra["ansible_loop"] = info
    return extra


def gathered(results: list[dict[str, Any]]) -> dict[str, Any]:
    """The result of a loop from those of its items."""
    if not results:
        return {"changed": False, "skipped": True, "skipped_reason": "No items in the list", "results": []}
    values: dict[str, Any] = {"results": results, "changed": any(one.get("changed") for one in results)}
    if any(one.get("unreachable") for one in results):
        first = next(one for one in results if one.get("unreachable"))
        return {**values, "unreachable": True, "msg": first.get("msg", "")}
    if all(one.get("skipped") for one in results):
        return {**values, "skipped": True, "msg": "All items skipped"}
    if any(one.get("failed") for one in results):
        return {**values, "failed": True, "skipped": False, "msg": "One or more items failed"}
    if any(one.get("_ansible_no_log") for one in results):
        values["_ansible_no_log"] = True
    return {**values, "skipped": False, "msg": "All items completed"}
