"""What a task may reach: connections by host, modules through the agent, the other hosts of the batch."""

from __future__ import annotations

import getpass
import os
import shlex
import socket
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from ringup.actions.call import Upload
from ringup.engine.interrupt import Interrupt
from ringup.engine.request import PlaybookRequest
from ringup.engine.variables import PlayVariables, unsafe
from ringup.errors import ConnectionFailed, HostLocked
from ringup.playbook.values import Keywords
from ringup.transport.connection import HostConnection, RawResult
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings

#: the variables by which a connection is made; only these are rendered for it
CONNECTION_VARIABLES = (
    *("ansible_connection", "ansible_host", "ansible_ssh_host", "ansible_port", "ansible_ssh_port", "ansible_user", "ansible_ssh_user"),
    *("ansible_password", "ansible_ssh_pass", "ansible_ssh_password", "ansible_ssh_private_key_file", "ansible_private_key_file"),
    *("ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args", "ansible_timeout", "ansible_ssh_timeout"),
    *("ansible_host_key_checking", "ansible_ssh_host_key_checking", "ansible_python_interpreter", "ringup_known_hosts_file"),
    *("ansible_become_method", "ansible_become_flags", "ansible_become_password", "ansible_become_pass"),
)

#: keywords of plays and tasks that say how hosts are reached, by the variable that wins over each
CONNECTION_KEYWORDS = {
    "ansible_connection": "connection",
    "ansible_user": "remote_user",
    "ansible_port": "port",
    "ansible_become_method": "become_method",
    "ansible_become_flags": "become_flags",
}

#: how long a host's lock is waited for before the wait is told, and an interrupt heard
LOCK_GLANCE_S = 1.0


@dataclass(frozen=True, slots=True)
class Rights:
    """As whom a task runs: `user` None is the login user."""

    user: str | None = None


class Connections:
    """One connection per host (and what was asked of it), opened when first used, each taken under the run's lock once.

    Args:
        request: the run's, for what the command line says of connections.
        run_id: written into the hosts' locks.
        interrupt: the run's.
    """

    def __init__(self, request: PlaybookRequest, run_id: str, interrupt: Interrupt) -> None:
        self._request = request
        self._run_id = run_id
        self.interrupt = interrupt
        self._open: dict[ConnectionSettings, HostConnection] = {}
        self._locked: set[int] = set()
        self._guard = threading.Lock()

    def settings(self, host: str, templar: Any, *, implicit_local: bool, keywords: Keywords | None = None) -> ConnectionSettings:
        """How a host is reached: its rendered variables win over the task's keywords, those over the command line.

        Args:
            keywords: of the task; None for a host that the task is delegated to, which is reached in its own way.
        """
        variables = {name: templar.render(templar.variables[name]) for name in CONNECTION_VARIABLES if name in templar.variables}
        request = self._request
        defaults: dict[str, Any] = {
            "ansible_user": request.user,
            "ansible_ssh_private_key_file": request.private_key,
            "ansible_timeout": request.timeout_s,
            "ansible_become_password": request.become_password,
        }
        said = {name: getattr(keywords, keyword, None) for name, keyword in CONNECTION_KEYWORDS.items()}
        defaults |= {name: templar.render(value) for name, value in said.items() if value is not None}
        merged = {**{name: value for name, value in defaults.items() if value is not None}, **variables}
        if implicit_local:
            merged = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3", **merged}
        return ConnectionSettings.from_variables(host, merged)

    def get(self, settings: ConnectionSettings) -> HostConnection:
        with self._guard:
            connection = self._open.get(settings)
            if connection is None:
                connection = self._open[settings] = HostConnection(settings)
            return connection

    def lock(self, connection: HostConnection, progress: Callable[[str], None]) -> None:
        """Take the host for this run, the first time it is used.

        Args:
            progress: told whom the host is waited for.
        Raises:
            HostLocked: another run still holds it after the request's limit.
            TaskFailed: the run was interrupted meanwhile.
        """
        if id(connection) in self._locked:
            return
        holder = {
            "run": self._run_id,
            "user": getpass.getuser(),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "since": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        }
        deadline = time.monotonic() + self._request.lock_wait_s
        while True:
            try:
                connection.lock(holder, min(LOCK_GLANCE_S, max(0.0, deadline - time.monotonic())))
                break
            except HostLocked as locked:
                if time.monotonic() >= deadline:
                    raise
                progress(f"waiting: {locked.message}")
            self.interrupt.refuse()
        self._locked.add(id(connection))

    def unlock(self, connection: HostConnection) -> None:
        """It has been reset: its agents, and with them the lock, are gone."""
        self._locked.discard(id(connection))

    def cancel(self) -> None:
        for connection in list(self._open.values()):
            connection.cancel()

    def close(self) -> None:
        for connection in list(self._open.values()):
            connection.close()
        self._open.clear()


class TaskReach:
    """The way from one task to one host: implements `ModuleCaller` and `Connection` of `actions.call`.

    Args:
        connection: of the task's host, or of its delegate.
        rights: as whom.
        check, diff, environment, timeout_s: of the task.
        progress: told the newest line of long work.
    """

    def __init__(
        self,
        connections: Connections,
        connection: HostConnection,
        rights: Rights,
        *,
        check: bool,
        diff: bool,
        environment: Mapping[str, str],
        timeout_s: float | None,
        progress: Callable[[str], None],
    ) -> None:
        self._connections = connections
        self._connection = connection
        self._rights = rights
        self._check = check
        self._diff = diff
        self._environment = environment
        self._timeout_s = timeout_s
        self._progress = progress

    def _user(self) -> str | None:
        """Nobody is asked to become who he is already."""
        if self._rights.user is None or self._connection.agent().ready.get("user") == self._rights.user:
            return None
        return self._rights.user

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
        self._connections.interrupt.refuse()
        self._connections.lock(self._connection, self._progress)
        call = Call(
            module=name,
            args=args,
            key=uuid.uuid4().hex,
            check=self._check if check is None else check,
            diff=self._diff,
            environment=self._environment,
            timeout_s=timeout_s if timeout_s is not None else self._timeout_s,
            uploads=uploads or {},
            sink=sink,
            on_progress=self._progress,
        )
        return unsafe(self._connection.call(call, self._user()))

    def raw(self, command: str, *, executable: str | None = None, timeout_s: float | None = None) -> RawResult:
        self._connections.interrupt.refuse()
        text = f"{executable} -c {shlex.quote(command)}" if executable else command
        exported = "".join(f"export {name}={shlex.quote(value)}; " for name, value in self._environment.items())
        # no agent is asked who we are: there may be no Python; and a host without Python may have no sudo either
        user = None if self._rights.user == self._connection.settings.user else self._rights.user
        limit_s = timeout_s if timeout_s is not None else self._timeout_s
        return self._connection.raw(exported + text, limit_s, become_user=user)

    def reset(self, *, connect_timeout_s: float | None = None) -> None:
        self._connection.drop()
        self._connections.unlock(self._connection)
        if connect_timeout_s is not None:
            limits = replace(self._connection.settings.timeouts, connect_s=connect_timeout_s)
            self._connection.settings = replace(self._connection.settings, timeouts=limits)


class BatchFleet:
    """The live hosts of a batch, for actions that need several: implements `Fleet` of `actions.call`."""

    def __init__(self, play: PlayVariables, task: Any, reach: Callable[[str], TaskReach], address: Callable[[str], str]) -> None:
        self._play = play
        self._task = task
        self._reach = reach
        self._address = address

    @property
    def hosts(self) -> Sequence[str]:
        return [host for host in self._play.batch if self._play.run.state(host).active]

    def variables(self, host: str) -> Mapping[str, Any]:
        return self._play.of(host, self._task)

    def render(self, host: str, value: Any) -> Any:
        return self._play.templar(host, self._task).render(value, source=self._task.source)

    def module(self, host: str, name: str, args: Mapping[str, Any], *, timeout_s: float | None = None) -> dict[str, Any]:
        return self._reach(host)(name, args, timeout_s=timeout_s)

    def local_address(self, host: str) -> str:
        return self._address(host)


def unreachable_result(error: ConnectionFailed) -> dict[str, Any]:
    """A connection's error as the result of the task that met it."""
    values: dict[str, Any] = {"unreachable": True, "changed": False, "msg": error.message}
    return {**values, "hint": error.hint} if error.hint else values


def role_path(task: Any) -> Path | None:
    return task.role.path if task.role is not None else None
