"""What the engine gives to an action: one task on one host, rendered, with everything it may reach.

An action is a file of this folder with two names, as a module of the agent is:

    class Args(Arguments):                        what it accepts; the first line of the docstring is its help
    def run(call: ActionCall) -> Result           what it does

and these where they apply: `ONCE_PER_BATCH = True` (runs for the first host only: pause, add_host), `NEEDS_HOST = False` (never speaks
to the host, so no connection is opened for it).

A path on a host is an option of kind `str` here: `path` would put the controller's own home folder in the place of `~`.
An action says that it failed by raising `TaskFailed`, or by a result with `failed` where playbooks expect more values with it.
An action that runs once per batch and has more to say of single hosts puts it under `PER_HOST` in its result: host -> values, which
the engine lays over the common ones (`verify_ring` blames one host and lets the others pass).
What a result asks of the engine goes by Ansible's keys: `ansible_facts` (set_fact, include_vars), `ansible_facts_cacheable`,
`add_host`, `add_group`, `ansible_stats`, `diff`, `warnings`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from ringup.errors import TaskFailed
from ringup.events import Event, TaskProgressed, WarningIssued
from ringup.templating import Templar
from ringup.yamlfile import shown_path

#: Key of a once-per-batch result under which single hosts' values stand.
PER_HOST = "ringup_per_host"

#: A file that travels with a module's arguments: its content, or the file of the controller that holds it.
Upload = bytes | Path


class ModuleCaller(Protocol):
    """Runs a module of the agent on the task's host (its delegate, if any) with the task's become, environment, check and diff."""

    def __call__(
        self,
        name: str,
        args: Mapping[str, Any],
        *,
        uploads: Mapping[str, Upload] | None = None,
        timeout_s: float | None = None,
        check: bool | None = None,
        sink: BinaryIO | None = None,
    ) -> dict[str, Any]:
        """The module's result by Ansible's keys; a failure is in it (`failed`), not raised.

        Args:
            uploads: by the name that the module's arguments use for them.
            timeout_s: None: the task's own limit.
            check: None: as the task; False: really run it, for questions that change nothing.
            sink: takes the content that a module sends beside its result (`send_file`).
        Raises:
            ConnectionFailed: the host cannot be reached, or went away.
        """
        ...


class RawAnswer(Protocol):
    """What a command without an agent has said."""

    @property
    def rc(self) -> int: ...

    @property
    def stdout(self) -> bytes: ...

    @property
    def stderr(self) -> bytes: ...


class Connection(Protocol):
    """The way to the host beneath the agent: for hosts without Python, and for a host that goes away and comes back."""

    def raw(self, command: str, *, executable: str | None = None, timeout_s: float | None = None) -> RawAnswer:
        """Run a command line by /bin/sh (or `executable -c`), with the task's become and environment.

        Raises:
            ConnectionFailed: the host cannot be reached, or went away.
        """
        ...

    def reset(self, *, connect_timeout_s: float | None = None) -> None:
        """Drop the connection and its agents; the next call of anything opens a new one, within `connect_timeout_s`."""
        ...


class Fleet(Protocol):
    """The other hosts of the play, for actions that need several at once (`verify_ring`)."""

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts of the batch that have not failed, in play order."""
        ...

    def variables(self, host: str) -> Mapping[str, Any]:
        """A host's variables, unrendered."""
        ...

    def render(self, host: str, value: Any) -> Any:
        """A value rendered with that host's variables."""
        ...

    def module(self, host: str, name: str, args: Mapping[str, Any], *, timeout_s: float | None = None) -> dict[str, Any]:
        """As `ModuleCaller`, on any host; calls for different hosts may be made from several threads."""
        ...

    def local_address(self, host: str) -> str:
        """The controller's address as that host sees it, for what the host fetches from here; empty when there is no direct way."""
        ...


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One task on one host.

    Attributes:
        host: `inventory_hostname`, also when the task is delegated.
        action: canonical name.
        args: an instance of the action's `Args`, parsed from `given`.
        given: the rendered arguments as they were written, `omit` removed.
        written: the same unrendered, for actions that run once per batch and render them for each host (`fleet.render`).
        variables: of the host, unrendered; `templar` renders with them.
        folder: of the file in which the task is written.
        playbook_folder: of the playbook.
        role_path: folder of the task's role.
        task_id: for events.
        timeout_s: the task's own limit.
        module, connection, fleet: see their protocols.
        emit: sends an event to the listeners (`TaskProgressed`, `WarningIssued` ...).
        wait: sleeps that many seconds; the only way to sleep, because an interrupted run ends it by raising.
        ask: shows a prompt to a person (`secret`: without echo) and gives the answer; None when nobody is there.
    """

    host: str
    action: str
    args: Any
    given: Mapping[str, Any]
    variables: Mapping[str, Any]
    templar: Templar
    folder: Path
    playbook_folder: Path
    task_id: int
    module: ModuleCaller
    connection: Connection
    fleet: Fleet
    emit: Callable[[Event], None]
    wait: Callable[[float], None]
    ask: Callable[[str, bool], str] | None = None
    role_path: Path | None = None
    check: bool = False
    diff: bool = False
    no_log: bool = False
    timeout_s: float | None = None
    parent_roles: tuple[Path, ...] = field(default=())
    written: Mapping[str, Any] = field(default_factory=dict)

    def search_folders(self, kind: str) -> tuple[Path, ...]:
        """Where a relative name is looked for, best first.

        Args:
            kind: `files`, `templates`, `vars` or `tasks`: the sub-folder that goes before the folder itself.
        Returns:
            the role's (then those of the roles that brought it in), that of the task's file, the playbook's; each with `kind` first.
        """
        roots = [root for root in (self.role_path, *self.parent_roles, self.folder, self.playbook_folder) if root is not None]
        return tuple(dict.fromkeys(folder for root in roots for folder in (root / kind, root)))

    def find(self, kind: str, name: str) -> Path:
        """The file or folder on the controller that a task names.

        Raises:
            TaskFailed: it is in none of the folders; the hint names them.
        """
        wanted = Path(name).expanduser()
        if wanted.is_absolute():
            if wanted.exists():
                return wanted
            raise TaskFailed(f"'{name}' does not exist on the controller", hint="check the path; relative names are looked for beside it")
        folders = self.search_folders(kind)
        for folder in folders:
            if (folder / wanted).exists():
                return folder / wanted
        shown = ", ".join(dict.fromkeys(shown_path((folder / wanted).parent) for folder in folders))
        raise TaskFailed(f"could not find '{name}' on the controller", hint=f"looked in {shown}")

    def progress(self, line: str) -> None:
        """Show the newest line of long work."""
        self.emit(TaskProgressed(time.time(), self.task_id, self.host, line))

    def warn(self, message: str) -> None:
        """Tell an operator what went on in spite of it."""
        self.emit(WarningIssued(time.time(), message, host=self.host))
