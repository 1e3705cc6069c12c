"""What a list of tasks is read in: the keywords of its parents, its role, its folder, and what the whole loading shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ringup.errors import InputError, PlaybookError
from ringup.playbook.keywords import inherit
from ringup.playbook.problems import Problems
from ringup.playbook.values import NOTHING, Keywords, RoleRef, Step, nothing
from ringup.playbook.vocabulary import Vocabulary
from ringup.source import Source
from ringup.yamlfile import load_yaml, shown_path


@dataclass(frozen=True, slots=True)
class Included:
    """What an include brings into a play.

    Attributes:
        steps: tasks and blocks in order; of a role, those of its dependencies first.
        handlers: of the roles that came with it, to be added to the play's.
        roles: those among them whose `exported` variables and defaults the rest of the play sees.
    """

    steps: tuple[Step, ...]
    handlers: tuple[Step, ...] = ()
    roles: tuple[RoleRef, ...] = ()


@dataclass(slots=True)
class Brought:
    """What static imports of roles add to the play around them."""

    handlers: list[Step] = field(default_factory=list)
    roles: list[RoleRef] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RoleWish:
    """A role as a playbook asks for it.

    Attributes:
        own: keywords of its use, as `keywords.read` gives them.
        params: further names given at its use.
        from_files: other files than `main`: tasks, vars, defaults, handlers -> name.
        public, allow_duplicates, validate: as import_role and include_role say; None: as the role's own meta says.
        included: by import_role or include_role: such a use is never the same as one in `roles:`.
    """

    name: str
    source: Source
    own: Mapping[str, Any] = field(default_factory=nothing)
    params: Mapping[str, Any] = field(default_factory=nothing)
    from_files: Mapping[str, str] = field(default_factory=nothing)
    public: bool = True
    allow_duplicates: bool | None = None
    validate: bool = True
    included: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a list of tasks stands.

    Attributes:
        read_role: reads a role into this scope; passed in, because tasks import roles and roles hold tasks.
        folder: of the file being read.
        keywords, notify: of all parents, merged.
        role: the role the tasks belong to.
        handlers: the list is one of handlers.
        params: variables of the dynamic includes around.
        play_vars: for the names of static imports.
        trail: files and roles being read, outermost first, each as an operator would name it: to name a ring instead of reading for ever.
    """

    vocabulary: Vocabulary
    problems: Problems
    brought: Brought
    read_role: Callable[[RoleWish, Scope], Included]
    playbook_folder: Path
    folder: Path
    keywords: Keywords = field(default_factory=Keywords)
    notify: tuple[Any, ...] = ()
    role: RoleRef | None = None
    handlers: bool = False
    params: Mapping[str, Any] = field(default_factory=nothing)
    play_vars: Mapping[str, Any] = field(default_factory=nothing)
    trail: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        return "a handler" if self.handlers else "a task"

    def inside(self, own: Mapping[str, Any]) -> Scope:
        """The scope of a child with these keywords."""
        return replace(self, keywords=inherit(self.keywords, own), notify=own.get("notify", self.notify))

    def entering(self, name: str, where: Source) -> Scope:
        """The scope inside a file or role.

        Raises:
            PlaybookError: it is being read already; the message shows the ring.
        """
        if name in self.trail:
            ring = " -> ".join([*self.trail[self.trail.index(name) :], name])
            raise PlaybookError(f"these bring in each other without end: {ring}", where=where, hint="remove one of the arrows")
        return replace(self, trail=(*self.trail, name))

    def static_name(self, text: str, where: Source) -> str:
        """The name in a static import, rendered with what is known before any host is.

        Raises:
            InputError: it needs a variable that only a host has.
        """
        if "{{" not in text:
            return text
        role = self.role
        known = {**(role.defaults if role else NOTHING), **self.play_vars, **(role.vars if role else NOTHING), **self.keywords.vars}
        try:
            return str(self.vocabulary.render(text, {**known, **self.vocabulary.extra_vars}))
        except InputError as error:
            hint = "an import is read before any host is known: use play vars or -e, or include_* instead"
            raise PlaybookError(f"the name '{text}' cannot be rendered: {error.message}", where=where, hint=hint) from None


def read_list(path: Path, scope: Scope, what: str) -> Any:
    """The list in a file; empty when the file is.

    Raises:
        InputError: the file is missing, is not YAML, or holds something else.
    """
    written = load_yaml(path, decrypt=scope.vocabulary.decrypt)
    if written is None:
        return []
    if not isinstance(written, list):
        kind = "a mapping" if isinstance(written, Mapping) else "no list"
        source = getattr(written, "source", Source(shown_path(path), 1))
        raise PlaybookError(f"a list of {what} is expected and this is {kind}", where=source, hint="begin each item with '- '")
    return written
