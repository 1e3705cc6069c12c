"""Plays on a rack as an operator's shell would: the real command, its events, its recap, its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import yaml

from ringup.lab import waiting
from ringup.lab.rack import Rack

RINGUP = Path(sys.executable).with_name("ringup")
LIMIT_S = 60.0

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Played:
    """A run that has ended.

    Attributes:
        code: exit code of the process.
        events: all of them, in order.
        stdout, stderr: what it said.
    """

    code: int
    events: tuple[Event, ...]
    stdout: str
    stderr: str

    @property
    def recap(self) -> Mapping[str, Mapping[str, int]]:
        ended = [event for event in self.events if event["event"] == "RunEnded"]
        assert len(ended) == 1, f"no recap: {self.stdout[-2000:]}\n{self.stderr[-2000:]}"
        return dict(ended[0]["recap"])

    def results(self, host: str = "node01") -> list[Mapping[str, Any]]:
        """What came of each task on a host, in order."""
        return [event["result"] for event in self.events if event["event"] == "TaskEnded" and event["host"] == host]

    def counted(self, host: str = "node01") -> Mapping[str, int]:
        """The host's line of the recap, without its zeros."""
        return {name: count for name, count in self.recap[host].items() if count}


class Play:
    """A run in hand; ended at the latest when its `with` ends."""

    def __init__(self, folder: Path, playbook: str, inventory: Mapping[str, Any], *options: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "play.yaml").write_text(playbook)
        (folder / "hosts.yaml").write_text(yaml.safe_dump(dict(inventory)))
        self._out, self._err = folder / "out", folder / "err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [str(RINGUP), "playbook", "play.yaml", "-i", "hosts.yaml", "--format", "json", *options],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                # neither the operator's SSH configuration nor an agent decides what a test sees
                env={**os.environ, "HOME": str(folder), "SSH_AUTH_SOCK": ""},
                start_new_session=True,
            )

    def __enter__(self) -> Play:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def events(self) -> list[Event]:
        """Those that have come so far."""
        whole, _, _ = self._out.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def wait_for(self, holds: Callable[[Event], bool], limit_s: float = LIMIT_S) -> Event:
        """The first event of which something holds.

        Raises:
            AssertionError: none came.
        """
        found: list[Event] = []

        def came() -> bool:
            found.extend(event for event in self.events() if holds(event))
            return bool(found) or self.process.poll() is not None

        waiting.until(came, limit_s)
        assert found, f"not heard: {self._out.read_text()[-2000:]}\n{self._err.read_text()[-2000:]}"
        return found[0]

    def until(self, holds: Callable[[], bool], limit_s: float = 30.0) -> None:
        """Wait until something has become true of the world.

        Raises:
            AssertionError: it did not, or the run ended before.
        """
        waiting.until(lambda: holds() or self.process.poll() is not None, limit_s)
        assert holds(), f"the run said: {self._out.read_text()[-2000:]}\n{self._err.read_text()[-2000:]}"

    def kill(self) -> None:
        """End the controller as a crash would: it can say nothing any more."""
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self, limit_s: float = LIMIT_S) -> Played:
        """Wait for it to end by itself."""
        code = self.process.wait(limit_s)
        return Played(code, tuple(self.events()), self._out.read_text(), self._err.read_text())


def inventory(rack: Rack, hosts: tuple[str, ...] = ("node01",), **changes: Mapping[str, Any]) -> dict[str, Any]:
    """An inventory of some hosts of a rack.

    Args:
        changes: by host, variables that differ from the rack's own.
    """
    shared = {
        "ansible_user": "operator",
        "ansible_ssh_private_key_file": str(rack.key),
        "ringup_known_hosts_file": str(rack.known_hosts),
    }
    named = {name: {"ansible_host": rack.host(name).address, **changes.get(name, {})} for name in hosts}
    return {"all": {"hosts": named, "vars": shared}}


def play(folder: Path, playbook: str, inventory: Mapping[str, Any], *options: str, limit_s: float = LIMIT_S) -> Played:
    """Run a playbook to its end."""
    with Play(folder, playbook, inventory, *options) as running:
        return running.end(limit_s)
