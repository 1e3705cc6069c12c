"""What the loader may know of actions and templates; passed in, so that this room depends on neither agent modules nor actions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ringup.agent.arguments import Arguments
from ringup.errors import PlaybookError
from ringup.playbook.values import nothing
from ringup.source import Source

OWN_COLLECTIONS = ("ansible.builtin", "ansible.legacy", "ringup")

#: Modules that playbooks call by the collection they moved to. Source: ansible-core 2.19, config/ansible_builtin_runtime.yml.
MOVED = {
    "ansible.posix": frozenset(
        ("acl", "at", "authorized_key", "firewalld", "mount", "patch", "seboolean", "selinux", "synchronize", "sysctl"),
    ),
    "community.general": frozenset(
        ("alternatives", "filesystem", "ini_file", "locale_gen", "lvg", "lvol", "modprobe", "parted", "timezone"),
    ),
}


class Spec(Protocol):
    """A module of the agent (`ModuleSpec`) or an action (`ActionSpec`)."""

    @property
    def name(self) -> str: ...

    @property
    def args(self) -> type[Arguments]: ...

    @property
    def summary(self) -> str: ...


def _render_nothing(text: str, variables: Mapping[str, Any]) -> Any:
    raise PlaybookError(f"'{text}' has a template, which cannot be rendered here", hint="write the name itself, or use include_*")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a playbook may use.

    Attributes:
        specs: modules and actions by canonical name.
        check_template, check_expression: raise TemplateError for what could be rendered on no host.
        roles_path: folders of roles, after those beside the playbook: configured ones, then the toolkit's own.
        extra_vars: of the command line; known to the names of static imports.
        decrypt: gives the plain text of a file that is vaulted as a whole.
        render: renders the name in a static import with the variables known before any host is: (text, variables) -> value.
    """

    specs: Mapping[str, Any]
    check_template: Callable[[str], None]
    check_expression: Callable[[str], None]
    roles_path: tuple[Path, ...] = ()
    extra_vars: Mapping[str, Any] = field(default_factory=nothing)
    decrypt: Callable[[str, Source], str] | None = None
    render: Callable[[str, Mapping[str, Any]], Any] = _render_nothing

    def find(self, word: str) -> Spec | None:
        """The module or action that a word of a playbook names, by its short or its full name; None when there is none."""
        collection, _, short = word.rpartition(".")
        if collection and collection not in OWN_COLLECTIONS and short not in MOVED.get(collection, ()):
            return None
        found: Spec | None = self.specs.get(short)
        return found

    def unknown(self, word: str, where: Source, also: tuple[str, ...] = ()) -> PlaybookError:
        """The error for a word that names no module; `also` are other words that could have been meant there (keywords)."""
        collection, _, short = word.rpartition(".")
        if self.find(short) is not None:
            return PlaybookError(
                f"the module '{word}' is not known",
                where=where,
                hint=f"did you mean '{short}'? modules of other collections are not supported",
            )
        near = difflib.get_close_matches(short, [*self.specs, *also], n=1, cutoff=0.6)
        if near:
            return PlaybookError(f"no module or keyword '{word}' is known", where=where, hint=f"did you mean '{near[0]}'?")
        if collection and collection not in OWN_COLLECTIONS:
            hint = f"modules of the collection {collection} are not supported: command, shell and script run anything"
        else:
            hint = f"known are {', '.join(sorted(self.specs))}"
        return PlaybookError(f"no module or keyword '{word}' is known", where=where, hint=hint)
