"""Handlers: which one a notification means, and which hosts have notified it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ringup.errors import PlaybookError
from ringup.playbook.values import Step, Task


@dataclass
class Notified:
    """A handler and the hosts that wait for it, in the order of their notification."""

    handler: Task
    hosts: dict[str, None] = field(default_factory=dict)


class Handlers:
    """The handlers of a play.

    Args:
        sources: lists of handlers in the order they were loaded: roles first, then the play's own.
        rendered: gives a handler's name as notifications see it.
    """

    def __init__(self, sources: Sequence[Sequence[Step]], rendered: Callable[[Task], str]) -> None:
        self._rendered = rendered
        self._sources: list[list[Notified]] = []
        for source in sources:
            self.add(source)

    def add(self, source: Iterable[Step]) -> None:
        """Take a list of handlers in. A role that comes again with the same parameters brings none: each runs once per flush."""
        known = {identity(one.handler) for one in self.all()}
        self._sources.append([Notified(step) for step in source if isinstance(step, Task) and identity(step) not in known])

    def notify(self, name: str, host: str, task: Task) -> list[str]:
        """Mark what a name means for a host: the handler of that name, and all that listen to it.

        Returns:
            The titles of the handlers that were marked.
        Raises:
            PlaybookError: there is none.
        """
        meant = self._named(name, task)
        heard = [one for source in self._sources for one in source if name in one.handler.listen]
        marked = [*([meant] if meant is not None and meant not in heard else []), *heard]
        if not marked:
            known = sorted({self._rendered(one.handler) for source in self._sources for one in source if one.handler.name})
            hint = f"handlers of this play: {', '.join(known)}" if known else "the play has no handlers"
            raise PlaybookError(f"there is no handler '{name}'", where=task.source, hint=hint)
        for one in marked:
            one.hosts[host] = None
        return [one.handler.title for one in marked]

    def _named(self, name: str, task: Task) -> Notified | None:
        """The last loaded list that has the name wins; in a list, its first handler of that name; a task's own role comes first."""
        own = task.role.name if task.role is not None else None
        found = None
        for source in self._sources[::-1]:
            for one in source:
                role = one.handler.role.name if one.handler.role is not None else None
                title = self._rendered(one.handler)
                if name in (title, f"{role} : {title}" if role else title):
                    if role is not None and role == own:
                        return one
                    found = found or one
        return found

    def waiting(self) -> list[Notified]:
        """The handlers that have been notified, in the order they are defined."""
        return [one for source in self._sources for one in source if one.hosts]

    def all(self) -> list[Notified]:
        return [one for source in self._sources for one in source]


def identity(handler: Task) -> tuple[str, ...]:
    """Equal for the same handler of a role that is used several times in the same way."""
    role = handler.role
    return (str(handler.source), *((str(role.path), repr(dict(role.params))) if role is not None else ()))
