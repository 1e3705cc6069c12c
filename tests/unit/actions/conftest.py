"""A real agent on this machine, and calls of actions that reach it as the engine lets them."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from ringup.actions import ActionCall, specs
from ringup.actions.call import Upload
from ringup.agent.arguments import parse
from ringup.events import Event
from ringup.templating import Templar
from ringup.transport.connection import HostConnection, RawResult
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings

Act = Callable[..., dict[str, Any]]


@dataclass
class Reach:
    """What a call reaches: modules of a real agent, raw commands, and how long it waited (without waiting)."""

    connection: HostConnection
    check: bool = False
    diff: bool = False
    asked: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    resets: int = 0

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
        self.asked.append(name)
        check = self.check if check is None else check
        return self.connection.call(
            Call(name, args, uuid.uuid4().hex, check=check, diff=self.diff, timeout_s=timeout_s, uploads=uploads or {}, sink=sink)
        )

    def raw(self, command: str, *, executable: str | None = None, timeout_s: float | None = None) -> RawResult:
        return self.connection.raw(command, timeout_s)

    def reset(self, *, connect_timeout_s: float | None = None) -> None:
        self.resets += 1
        self.connection.drop()


@pytest.fixture(scope="session")
def agent() -> Iterator[HostConnection]:
    connection = HostConnection(ConnectionSettings(name="here", address="localhost", kind="local"))
    yield connection
    connection.close()


@pytest.fixture
def reach(agent: HostConnection) -> Reach:
    return Reach(agent)


@pytest.fixture
def act(reach: Reach, tmp_path: Path) -> Act:
    """act("copy", {...}, variables={...}): one action in the folder `play`, its result by Ansible's keys."""
    numbers = itertools.count(1)
    folder = tmp_path / "play"
    folder.mkdir()

    def run(name: str, given: Mapping[str, Any], variables: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        spec = specs()[name]
        assert spec.run is not None
        reach.check, reach.diff = more.get("check", False), more.get("diff", False)
        values = dict(variables or {})
        call = ActionCall(
            host="node01",
            action=name,
            args=parse(spec.args, given),
            given=given,
            variables=values,
            templar=Templar(values),
            folder=folder,
            playbook_folder=folder,
            task_id=next(numbers),
            module=reach,
            connection=reach,
            fleet=None,  # type: ignore[arg-type]
            emit=reach.events.append,
            wait=reach.waited.append,
            **more,
        )
        return dict(spec.run(call).values)

    return run
