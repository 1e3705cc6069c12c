"""What is known of a host during a run: facts, registered results, whether it is still in the play."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ringup.playbook.values import Task


@dataclass
class HostState:
    """One host. Its own thread writes it while a task runs; the strategy between tasks.

    Attributes:
        facts: `ansible_facts`.
        injected: facts under the names that playbooks see at the top level (`ansible_` before setup's).
        known: set_fact, registered results: for the rest of the run.
        included: include_vars.
        failed, unreachable: it leaves this play and all later ones.
        ended: it leaves this play only (`meta: end_host`).
        roles_begun: keys of roles of which a task has run, and was not skipped, in this play.
        roles_done: those among them that have ended: they do not run again.
        version: counts changes to facts, so that what was merged with the old ones is not used.
    """

    name: str
    facts: dict[str, Any] = field(default_factory=dict)
    injected: dict[str, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    included: dict[str, Any] = field(default_factory=dict)
    failed: bool = False
    unreachable: bool = False
    ended: bool = False
    roles_begun: set[str] = field(default_factory=set)
    roles_done: set[str] = field(default_factory=set)
    version: int = 0
    failed_task: Task | None = None

    @property
    def active(self) -> bool:
        return not (self.failed or self.unreachable or self.ended)

    def learn(self, facts: dict[str, Any], *, prefixed: bool) -> None:
        """Take facts in; setup's are seen with `ansible_` before their names, others by their own."""
        self.facts = {**self.facts, **{name.removeprefix("ansible_"): value for name, value in facts.items()}}
        shown = {(name if name.startswith("ansible_") or not prefixed else f"ansible_{name}"): value for name, value in facts.items()}
        self.injected = {**self.injected, **shown}
        self.version += 1

    def forget_facts(self) -> None:
        self.facts, self.injected = {}, {}
        self.version += 1
