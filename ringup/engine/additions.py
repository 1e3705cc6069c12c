"""What add_host and group_by ask for: the run's inventory with more hosts, groups and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringup.engine.variables import PlayVariables
from ringup.inventory import Inventory
from ringup.results import Result
from ringup.source import Source


def add_to_inventory(play: PlayVariables, results: Mapping[str, Result]) -> None:
    """Take in what a task's results ask for, loops item by item."""
    inventory = play.run.inventory
    for host, result in results.items():
        for values in [result.values, *(result.values.get("results") or ())]:
            if isinstance(values, dict) and not values.get("skipped"):
                inventory = with_addition(inventory, host, values)
    if inventory is not play.run.inventory:
        play.run.inventory = inventory
        play.forget_inventory()


def with_addition(inventory: Inventory, host: str, values: Mapping[str, Any]) -> Inventory:
    """The inventory after one result; the same object when it asks for nothing."""
    wish = values.get("add_host")
    if isinstance(wish, dict):
        inventory = inventory.with_host(wish["host_name"], wish["groups"], wish["host_vars"], Source("add_host"))
    if values.get("add_group"):
        above = [name for name in values.get("parent_groups", ()) if name != "all"]
        inventory = inventory.with_host(host, [*above, str(values["add_group"])], None, Source("group_by"))
    return inventory
