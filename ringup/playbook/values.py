"""Plays, blocks, tasks and roles as frozen values. Texts are unrendered: the engine renders them per host, as late as possible.

The loader resolves what is static: defaults of keywords, inheritance from play, block, role and import, aliases of names,
`import_*`. What stays dynamic (`include_*`, templates in keywords) is rendered by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ringup.source import Source

NOTHING: Mapping[str, Any] = MappingProxyType({})


def nothing() -> Mapping[str, Any]:
    """The empty mapping that fields begin with."""
    return NOTHING


#: A keyword whose value may still be a template: a plain value, or a string with `{{ }}`.
Templated = Any


@dataclass(frozen=True, slots=True)
class Keywords:
    """What plays, blocks, roles, includes and tasks share; in a `Task` already merged with all its parents.

    Attributes:
        when: conditions, parents' first; all must hold. Each is an expression or a bool.
        tags: union of all parents' tags (not through `include_*`).
        vars: block and task vars merged, innermost wins; unrendered.
        environment: innermost wins per name; each entry is a mapping or a template that gives one.
        None means "not said": the engine falls to the play, the connection variables, or the default.
    """

    when: tuple[Templated, ...] = ()
    tags: frozenset[str] = frozenset()
    vars: Mapping[str, Any] = field(default_factory=nothing)
    environment: tuple[Templated, ...] = ()
    become: Templated = None
    become_user: Templated = None
    become_method: Templated = None
    become_flags: Templated = None
    remote_user: Templated = None
    port: Templated = None
    connection: Templated = None
    ignore_errors: Templated = None
    ignore_unreachable: Templated = None
    any_errors_fatal: Templated = None
    check_mode: Templated = None
    diff: Templated = None
    no_log: Templated = None
    run_once: Templated = None
    throttle: Templated = None
    timeout: Templated = None
    delegate_to: Templated = None
    delegate_facts: Templated = None
    module_defaults: Mapping[str, Mapping[str, Any]] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop:` or `with_*:`; `items` is a list or a template that gives one. `lookup` is None for `loop:`, else the part after `with_`."""

    items: Templated
    lookup: str | None = None
    loop_var: str = "item"
    index_var: str | None = None
    label: Templated = None
    pause_s: Templated = 0
    extended: bool = False
    #: `extended` gives `ansible_loop.allitems` too
    all_items: bool = True


@dataclass(frozen=True, slots=True)
class RoleRef:
    """A role as it was found on disk, used in one place. Everything is unrendered.

    Attributes:
        name: as written by the operator.
        path: its folder.
        defaults: what its tasks see at the level of defaults: its dependencies', its parents', its own.
        vars: what its tasks see at the level of role vars: its parents', its dependencies', its own, then the `vars:` of its use.
        exported: what the rest of the play sees of its vars when it is `public`: its dependencies' and its own files'.
        params: given where the role is used (`roles: - role: x, listen_on: 80`), its parents' too; they rank above set_fact.
        public: its defaults and `exported` are visible to the whole play (`roles:`, import_role), not only to its own tasks.
        key: equal for uses that count as the same: such a role runs once per host unless `allow_duplicates`.
        dependencies: of its meta/main.yaml, in order.
        parents, parent_paths: the roles that brought it in by their meta/main.yaml, outermost first.
    """

    name: str
    path: Path
    defaults: Mapping[str, Any] = field(default_factory=nothing)
    vars: Mapping[str, Any] = field(default_factory=nothing)
    exported: Mapping[str, Any] = field(default_factory=nothing)
    params: Mapping[str, Any] = field(default_factory=nothing)
    public: bool = True
    allow_duplicates: bool = False
    key: str = ""
    dependencies: tuple[RoleRef, ...] = ()
    parents: tuple[str, ...] = ()
    parent_paths: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One task (or handler).

    Attributes:
        action: canonical name of a module or action: `ansible.builtin.copy` and `copy` are both "copy".
        args: unrendered; the free form of `command: uptime` is under the action's `free_form` option.
        source: where the task begins, for messages.
        args_template: a template that gives more arguments (`args: "{{ wanted }}"`); those in `args` win.
        folder: the folder that relative files are looked for from, after the role's: the folder of the file it is written in.
        inherited: what its parents alone give. An include's tasks get this and not the include's own keywords.
        params: variables of the dynamic includes that brought it in; they rank above set_fact.
    """

    action: str
    args: Mapping[str, Any]
    source: Source
    folder: Path
    name: str = ""
    keywords: Keywords = field(default_factory=Keywords)
    loop: Loop | None = None
    register: str | None = None
    notify: tuple[Templated, ...] = ()
    listen: tuple[str, ...] = ()
    changed_when: tuple[Templated, ...] | None = None
    failed_when: tuple[Templated, ...] | None = None
    until: tuple[Templated, ...] | None = None
    retries: Templated = None
    delay: Templated = None
    role: RoleRef | None = None
    args_template: str | None = None
    inherited: Keywords = field(default_factory=Keywords)
    params: Mapping[str, Any] = field(default_factory=nothing)

    @property
    def title(self) -> str:
        """The unrendered name an operator sees: its own, else its action."""
        return self.name or self.action


@dataclass(frozen=True, slots=True)
class Block:
    """Tasks with a rescue and an always section. `keywords` is already merged into the tasks below; kept for `vars` and messages."""

    block: tuple[Step, ...]
    source: Source
    rescue: tuple[Step, ...] = ()
    always: tuple[Step, ...] = ()
    name: str = ""
    keywords: Keywords = field(default_factory=Keywords)
    role: RoleRef | None = None


#: What a list of tasks holds.
Step = Task | Block


@dataclass(frozen=True, slots=True)
class RoleUse:
    """A role in a play's `roles:` (or a dependency of one): its tasks in order, dependencies before it as uses of their own."""

    role: RoleRef
    steps: tuple[Step, ...]
    handlers: tuple[Task, ...]
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Play:
    """One play.

    Attributes:
        hosts: the pattern, unrendered.
        keywords: of the play, and of the imports that brought it in; only those give it a `when`.
        roles: in the order they run, dependencies expanded.
        handlers: the play's own, then those of roles that its tasks import; those of `roles:` are in `roles`.
        imported_roles: brought in by import_role; their defaults and `exported` variables are visible to the whole play.
        serial: batch sizes: whole numbers, or percentages as strings ("30%"); empty: all hosts at once.
        vars_files: each a path, or a tuple of paths of which the first that exists is taken; unrendered.
    """

    name: str
    hosts: Templated
    source: Source
    folder: Path
    keywords: Keywords = field(default_factory=Keywords)
    vars: Mapping[str, Any] = field(default_factory=nothing)
    vars_files: tuple[Templated, ...] = ()
    vars_prompt: tuple[Mapping[str, Any], ...] = ()
    gather_facts: Templated = True
    gather_subset: Templated = None
    gather_timeout: Templated = None
    pre_tasks: tuple[Step, ...] = ()
    roles: tuple[RoleUse, ...] = ()
    tasks: tuple[Step, ...] = ()
    post_tasks: tuple[Step, ...] = ()
    handlers: tuple[Step, ...] = ()
    imported_roles: tuple[RoleRef, ...] = ()
    serial: tuple[Templated, ...] = ()
    max_fail_percentage: Templated = None
    order: Templated = None
    strategy: str = "linear"
    force_handlers: Templated = None


@dataclass(frozen=True, slots=True)
class Playbook:
    """A playbook file with the playbooks it imports, in order."""

    path: Path
    plays: tuple[Play, ...]
