"""One result from those of all items (statements 29 to 31), and what a loop adds to an item's variables (statement 35)."""

from __future__ import annotations

from typing import Any

import pytest

from ringup.engine.loops import gathered, loop_variables
from ringup.playbook.values import Loop

OK: dict[str, Any] = {"changed": False, "item": 1}
CHANGED = {**OK, "changed": True, "rc": 0, "stdout": "x"}
FAILED = {**OK, "failed": True, "rc": 1}
SKIPPED = {**OK, "skipped": True}


@pytest.mark.parametrize(
    ("results", "top"),
    [
        ([OK, CHANGED], {"changed": True, "skipped": False, "msg": "All items completed"}),
        ([OK, SKIPPED], {"changed": False, "skipped": False, "msg": "All items completed"}),
        ([CHANGED, FAILED], {"changed": True, "failed": True, "skipped": False, "msg": "One or more items failed"}),
        ([SKIPPED, SKIPPED], {"changed": False, "skipped": True, "msg": "All items skipped"}),
    ],
)
def test_the_whole_says_what_its_items_say_and_nothing_of_single_ones(results: list[dict[str, Any]], top: dict[str, Any]) -> None:
    assert gathered(results) == {**top, "results": results}


def test_an_empty_list_is_skipped() -> None:
    assert gathered([]) == {"changed": False, "skipped": True, "skipped_reason": "No items in the list", "results": []}


def test_an_extended_loop_knows_its_neighbours_and_its_ends() -> None:
    loop = Loop(items=["a", "b"], loop_var="word", index_var="place", extended=True)
    first, last = (loop_variables(loop, ["a", "b"], number, item) for number, item in enumerate("ab"))
    assert (first["word"], first["place"], first["ansible_loop"]["first"], first["ansible_loop"]["nextitem"]) == ("a", 0, True, "b")
    assert (last["ansible_loop"]["last"], last["ansible_loop"]["previtem"], last["ansible_loop"]["length"]) == (True, "a", 2)
    assert "previtem" not in first["ansible_loop"]
    assert "nextitem" not in last["ansible_loop"]


def test_all_items_are_left_out_when_they_are_not_wanted() -> None:
    loop = Loop(items=["a"], extended=True, all_items=False)
    assert "allitems" not in loop_variables(loop, ["a"], 0, "a")["ansible_loop"]
