"""Who: hosts, groups, their variables with origin, and patterns that select them.

inventory = load_inventory(["inventory/hosts.yaml"])
inventory.match("gpu-rack:!node07")          ("node01", "node02", ...)
inventory.layers("node01")                   variables by origin, lowest precedence first
"""

from ringup.inventory.fold import fold, unfold
from ringup.inventory.hosts import Inventory, limit_patterns
from ringup.inventory.loading import load_inventory
from ringup.inventory.patterns import Selection
from ringup.inventory.values import Group, Host, Layer

__all__ = ["Group", "Host", "Inventory", "Layer", "Selection", "fold", "limit_patterns", "load_inventory", "unfold"]
