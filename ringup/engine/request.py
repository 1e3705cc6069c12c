"""What is asked of the engine, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ringup.events import HostRecap
from ringup.templating import VaultKeys


@dataclass(frozen=True, slots=True)
class PlaybookRequest:
    """One run.

    Attributes:
        playbooks: files, in order.
        inventory: sources: files, folders, programs, or "host," lists.
        limit: a pattern that the plays' hosts must match too.
        tags, skip_tags: which tasks; empty: all.
        forks: hosts at once; None: all of the batch, up to 128.
        extra_vars: they win over everything.
        check, diff: say what would change; show before and after.
        become, become_user, user, private_key, timeout_s: as on Ansible's command line; the inventory's variables win over them.
        start_at: the name of the task to begin with.
        lock_wait_s: how long a host that another run holds is waited for.
        roles_path: folders of roles after those beside the playbook.
    """

    playbooks: tuple[Path, ...]
    inventory: tuple[str, ...] = ()
    limit: str | None = None
    tags: frozenset[str] = frozenset()
    skip_tags: frozenset[str] = frozenset()
    forks: int | None = None
    extra_vars: Mapping[str, Any] = field(default_factory=dict)
    check: bool = False
    diff: bool = False
    become: bool = False
    become_user: str | None = None
    become_password: str | None = field(default=None, repr=False)
    user: str | None = None
    private_key: str | None = None
    timeout_s: float | None = None
    start_at: str | None = None
    force_handlers: bool = False
    lock_wait_s: float = 60.0
    roles_path: tuple[Path, ...] = ()
    vault: VaultKeys | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a run. `exit_code` as Ansible's: 0 fine, 1 error, 2 failed hosts, 4 unreachable hosts, 99 interrupted."""

    run_id: str
    exit_code: int
    recap: Mapping[str, HostRecap]
    interrupted: bool = False
