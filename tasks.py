"""What `invoke --list` shows: see ringup/tasks/."""

from ringup.tasks.namespace import namespace

__all__ = ["namespace"]
