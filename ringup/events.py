"""What happens during a run, as values. The engine emits them; the terminal, the journal, JSON lines and the report listen.

Names are in the past tense. An event holds plain values only, so that any listener can keep or send it. A listener is anything
with `on(event)`; it never answers, never raises into the run, and never reads another listener's state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ringup.results import Result
from ringup.source import Source


@dataclass(frozen=True, slots=True)
class Event:
    """Anything that happened. `at` is seconds since the epoch, set by whoever emits."""

    at: float


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    run_id: str
    playbooks: tuple[str, ...]
    check: bool
    diff: bool


@dataclass(frozen=True, slots=True)
class PlayStarted(Event):
    name: str
    hosts: tuple[str, ...]
    #: number of tasks known when the play begins; dynamic includes add to it while it runs
    tasks: int


@dataclass(frozen=True, slots=True)
class PlaySkipped(Event):
    """No host matched the play's pattern."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskStarted(Event):
    """A task begins on the hosts of the batch; `task_id` links what follows."""

    task_id: int
    name: str
    action: str
    source: Source | None
    role: str | None = None
    handler: bool = False


@dataclass(frozen=True, slots=True)
class HostTaskStarted(Event):
    task_id: int
    host: str


@dataclass(frozen=True, slots=True)
class TaskProgressed(Event):
    """The newest line of long work (apt, pip, a collective) on one host."""

    task_id: int
    host: str
    line: str


@dataclass(frozen=True, slots=True)
class ItemEnded(Event):
    """One item of a loop has ended on one host; `label` is what `loop_control.label` shows."""

    task_id: int
    host: str
    label: str
    result: Result


@dataclass(frozen=True, slots=True)
class RetryStarted(Event):
    """`until` was not yet true: the task is tried again."""

    task_id: int
    host: str
    attempt: int
    retries: int


@dataclass(frozen=True, slots=True)
class TaskEnded(Event):
    """A task has ended on one host. `ignored`: it failed and `ignore_errors` (or `ignore_unreachable`) let the host go on."""

    task_id: int
    host: str
    result: Result
    seconds: float
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class FileIncluded(Event):
    """A dynamic include has brought more tasks for these hosts."""

    task_id: int
    path: str
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandlerNotified(Event):
    task_id: int
    host: str
    handler: str


@dataclass(frozen=True, slots=True)
class WarningIssued(Event):
    message: str
    where: Source | str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class HostStopped(Event):
    """A host leaves the play without having failed itself (`any_errors_fatal`, `run_once`, `max_fail_percentage`)."""

    host: str
    reason: str


@dataclass(frozen=True, slots=True)
class StackResolved(Event):
    """`resolve_stack` has matched a host's driver, CUDA, PyTorch and NCCL. `stack` is `Stack.as_dict()`."""

    host: str
    stack: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RingProgressed(Event):
    """`verify_ring` has reached a stage (`preflight`, `rendezvous`, `sums`, `sweep`, `cleanup`)."""

    stage: str
    message: str


@dataclass(frozen=True, slots=True)
class RingMeasured(Event):
    """One verified ring: the report's plot comes from `measurement` (`ringup.verify.measurement.Measurement.as_dict()`)."""

    measurement: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HostRecap:
    """One line of the recap; counted as ansible-core counts."""

    ok: int = 0
    changed: int = 0
    unreachable: int = 0
    failed: int = 0
    skipped: int = 0
    rescued: int = 0
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class RunEnded(Event):
    run_id: str
    recap: Mapping[str, HostRecap]
    exit_code: int
    seconds: float
    interrupted: bool = False
    #: hosts that were stopped by others' failures, with the reason
    stopped: Mapping[str, str] = field(default_factory=dict)


class Listener(Protocol):
    """Hears what happens."""

    def on(self, event: Event) -> None: ...
