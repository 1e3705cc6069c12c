"""Which value a name has, for a host and a task. Nothing is rendered here; nothing is copied per task.

From low to high: role defaults; inventory (groups, hosts); facts; play vars; vars_prompt; vars_files; exported role vars; the task's
role's vars; block and task vars; include_vars; set_fact and registered; role params; include params; extra vars; special variables.
Source: Ansible's documentation, "Understanding variable precedence"; tried on ansible-core 2.18 and 2.19.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ringup.engine.hosts import HostState
from ringup.inventory import Inventory
from ringup.playbook.values import Play, RoleRef, Task
from ringup.templating import OMIT, RenderedVariables, Templar, VaultKeys, mark_unsafe

VERSION = {"full": "2.19.0", "major": 2, "minor": 19, "revision": 0, "string": "2.19.0"}


class RunVariables:
    """What the whole run shares: inventory, extra vars, the state of each host."""

    def __init__(self, inventory: Inventory, extra: Mapping[str, Any], vault: VaultKeys | None, flags: Mapping[str, Any]) -> None:
        self.inventory = inventory
        self.extra = dict(extra)
        self.vault = vault
        #: ansible_check_mode and the like
        self.flags = dict(flags)
        self.states: dict[str, HostState] = {}

    def state(self, host: str) -> HostState:
        state = self.states.get(host)
        if state is None:
            state = self.states[host] = HostState(host)
        return state


class PlayVariables:
    """The variables of one play, per host and task.

    Args:
        run: of the run.
        play: the play.
        everyone: all hosts of the play.
        batch: those of this batch, kept up to date by the strategy.
    """

    def __init__(self, run: RunVariables, play: Play, everyone: Sequence[str], batch: list[str]) -> None:
        self.run = run
        self.play = play
        self.everyone = list(everyone)
        self.batch = batch
        self.prompted: dict[str, Any] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self._public: list[RoleRef] = [*(use.role for use in play.roles if use.role.public), *play.imported_roles]
        self._bases: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._magic: dict[str, dict[str, Any]] = {}
        self._hostvars = HostVariables(self)
        self._groups = {**run.inventory.members_by_group()}
        self._generation = 0

    def publish(self, roles: Iterable[RoleRef]) -> None:
        """Roles that an include made visible to the rest of the play."""
        self._public += roles
        self._generation += 1
        self._bases.clear()

    def forget_inventory(self) -> None:
        """add_host and group_by have changed it."""
        self._groups = {**self.run.inventory.members_by_group()}
        self._bases.clear()
        self._magic.clear()

    def of(self, host: str, task: Task | None = None, extra: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """The variables of a host, for a task; looked up through the layers, highest first.

        Args:
            extra: what a loop or an include adds: it wins over all but extra vars and special variables.
        """
        state = self.run.state(host)
        layers: list[Mapping[str, Any]] = [self._special(host, task), self.run.extra]
        if extra:
            layers.append(extra)
        if task is not None:
            layers.append(task.params)
            if task.role is not None:
                layers.append(task.role.params)
        layers += [state.known, state.included]
        if task is not None:
            layers.append(task.keywords.vars)
            if task.role is not None:
                layers.append(task.role.vars)
        layers.append(self._base(state, task.role if task is not None else None))
        return ChainMap(*layers)  # type: ignore[arg-type]

    def templar(self, host: str, task: Task | None = None, extra: Mapping[str, Any] | None = None) -> Templar:
        """Renders with the variables of a host; files are looked for beside the task and the playbook."""
        folders = [self.play.folder]
        if task is not None:
            folders = [*([task.role.path] if task.role else []), task.folder, self.play.folder]
        search = [place for folder in dict.fromkeys(folders) for place in (folder / "templates", folder / "files", folder)]
        return Templar(self.of(host, task, extra), search, vault=self.run.vault, inventory_hostnames=self._names)

    def _names(self, pattern: str) -> list[str]:
        return list(self.run.inventory.match(pattern))

    def _base(self, state: HostState, role: RoleRef | None) -> dict[str, Any]:
        """All layers that no task changes, merged once per host, role and set of facts."""
        key = (state.name, role.key or str(role.path) if role is not None else "", state.version)
        base = self._bases.get(key)
        if base is None:
            base = self._bases[key] = self._merged(state, role)
        return base

    def _merged(self, state: HostState, role: RoleRef | None) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        for one in self._public:
            merged.update(one.defaults)
        if role is not None:
            merged.update(role.defaults)
        merged.update(self.run.inventory.variables(state.name, self.play.folder) if state.name in self.run.inventory.hosts else {})
        merged.update(state.injected)
        merged["ansible_facts"] = state.facts
        merged.update(self.play.vars)
        merged.update(self.prompted)
        merged.update(self.files.get(state.name, {}))
        for one in self._public:
            merged.update(one.exported)
        return merged

    def _special(self, host: str, task: Task | None) -> Mapping[str, Any]:
        magic = self._magic.get(host)
        if magic is None:
            magic = self._magic[host] = self._made(host)
        if task is None or task.role is None:
            return magic
        role = task.role
        return ChainMap(
            {
                "role_name": role.name,
                "role_path": str(role.path),
                "ansible_role_name": role.name,
                "ansible_parent_role_names": list(role.parents[::-1]),
                "ansible_parent_role_paths": [str(path) for path in role.parent_paths[::-1]],
            },
            magic,
        )

    def _made(self, host: str) -> dict[str, Any]:
        known = host in self.run.inventory.hosts
        inventory = (
            self.run.inventory.magic(host) if known else {"inventory_hostname": host, "inventory_hostname_short": host, "group_names": []}
        )
        return {
            **{name: value for name, value in inventory.items() if value is not None},
            "groups": self._groups,
            "hostvars": self._hostvars,
            "omit": OMIT,
            "playbook_dir": str(self.play.folder.absolute()),
            "ansible_play_name": self.play.name,
            "ansible_play_hosts_all": self.everyone,
            "ansible_play_hosts": LiveHosts(self.run, self.everyone),
            "ansible_play_batch": LiveHosts(self.run, self.batch),
            "play_hosts": LiveHosts(self.run, self.batch),
            "ansible_version": VERSION,
            **self.run.flags,
        }

    def read_files(self, host: str, loaded: Mapping[Path, Mapping[str, Any]]) -> None:
        merged: dict[str, Any] = {}
        for values in loaded.values():
            merged.update(values)
        self.files[host] = merged
        self._bases.clear()


class LiveHosts(list[str]):
    """The hosts of a list that are still in the play, as of the moment it is looked at."""

    def __init__(self, run: RunVariables, hosts: Sequence[str]) -> None:
        super().__init__()
        self._run = run
        self._hosts = hosts

    def _now(self) -> list[str]:
        return [host for host in self._hosts if self._run.state(host).active]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __getitem__(self, index: Any) -> Any:
        return self._now()[index]

    def __contains__(self, host: object) -> bool:
        return host in self._now()

    def __eq__(self, other: object) -> bool:
        return self._now() == other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self._now())


class HostVariables(Mapping[str, Any]):
    """`hostvars`: the variables of every host of the inventory, each rendered with its own."""

    def __init__(self, play: PlayVariables) -> None:
        self._play = play

    def __getitem__(self, host: str) -> Any:
        # localhost is there even when no source names it
        if host not in self._play.run.inventory.hosts and host not in self._play.run.states and host != "localhost":
            raise KeyError(host)
        return RenderedVariables(self._play.templar(host))

    def __iter__(self) -> Iterator[str]:
        return iter(self._play.run.inventory.hosts)

    def __len__(self) -> int:
        return len(self._play.run.inventory.hosts)

    def __contains__(self, host: object) -> bool:
        return host in self._play.run.inventory.hosts


def unsafe(values: dict[str, Any]) -> dict[str, Any]:
    """Results and facts come from hosts: no text in them is ever a template."""
    marked: dict[str, Any] = mark_unsafe(values)
    return marked
