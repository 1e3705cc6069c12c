"""What the report says, as values: built from events, knows no HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ringup.display.diff import diff_lines
from ringup.display.failure import failure_lines
from ringup.display.recap import duration
from ringup.events import Event, HostRecap, PlayStarted, RingMeasured, RunEnded, RunStarted, StackResolved, TaskEnded, TaskStarted
from ringup.inventory.fold import fold

#: the slowest tasks are shown, since the others do not explain the time
SLOWEST_SHOWN = 12
DIFFS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class HostRow:
    """One host of the run: `state` is ok, changed, failed, unreachable or stopped."""

    name: str
    state: str
    recap: HostRecap
    note: str = ""
    driver: str = ""
    cuda: str = ""
    torch: str = ""
    nccl: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A task that changed hosts; `diff` is the text the first of them gave."""

    task: str
    hosts: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class FailureRow:
    task: str
    host: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DurationRow:
    """`seconds` is the wall time of the task over all hosts, `share` its part of the run in percent."""

    task: str
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Page:
    """Everything the report shows."""

    title: str
    began: datetime
    took: str
    outcome: str
    check: bool
    plays: tuple[str, ...]
    hosts: tuple[HostRow, ...]
    changes: tuple[ChangeRow, ...]
    failures: tuple[FailureRow, ...]
    durations: tuple[DurationRow, ...]
    rings: tuple[Mapping[str, Any], ...]
    reasons: tuple[Mapping[str, Any], ...] = ()


@dataclass
class _Task:
    title: str
    began: float
    ended: float = 0.0
    changed: dict[str, list[str]] = field(default_factory=dict)


def build_page(events: Sequence[Event]) -> Page:
    """The page of a run.

    Args:
        events: all events of one run, `RunStarted` first and `RunEnded` last.
    """
    started = next(event for event in events if isinstance(event, RunStarted))
    ended = next(event for event in reversed(events) if isinstance(event, RunEnded))
    stacks = {event.host: event.stack for event in events if isinstance(event, StackResolved)}
    tasks, failures = _tasks(events)
    return Page(
        title=", ".join(started.playbooks),
        began=datetime.fromtimestamp(started.at, UTC),
        took=duration(ended.seconds),
        outcome=_outcome(ended),
        check=started.check,
        plays=tuple(event.name for event in events if isinstance(event, PlayStarted)),
        hosts=tuple(_host_row(host, ended, stacks.get(host)) for host in sorted(ended.recap)),
        changes=tuple(_changes(tasks.values())),
        failures=tuple(failures),
        durations=_durations(tasks.values(), ended.seconds),
        rings=tuple(event.measurement for event in events if isinstance(event, RingMeasured)),
        reasons=_reasons(stacks),
    )


def _outcome(ended: RunEnded) -> str:
    if ended.interrupted:
        return "interrupted"
    recaps = ended.recap.values()
    if any(recap.unreachable for recap in recaps):
        return "unreachable"
    if any(recap.failed for recap in recaps) or ended.exit_code:
        return "failed"
    return "changed" if any(recap.changed for recap in recaps) else "unchanged"


def _tasks(events: Iterable[Event]) -> tuple[dict[int, _Task], list[FailureRow]]:
    tasks: dict[int, _Task] = {}
    failures: list[FailureRow] = []
    for event in events:
        if isinstance(event, TaskStarted):
            role = f"{event.role} : " if event.role else ""
            tasks[event.task_id] = _Task(role + event.name, event.at)
        elif isinstance(event, TaskEnded):
            task = tasks.setdefault(event.task_id, _Task("", event.at))
            task.ended = max(task.ended, event.at)
            if event.result.changed:
                diff = event.result.shown().get("diff")
                task.changed.setdefault("\n".join(diff_lines(diff)) if diff else "", []).append(event.host)
            if (event.result.failed or event.result.unreachable) and not event.ignored:
                failures.append(FailureRow(task.title, event.host, tuple(failure_lines(event.result))))
    return tasks, failures


def _host_row(host: str, ended: RunEnded, stack: Mapping[str, Any] | None) -> HostRow:
    recap = ended.recap[host]
    if recap.unreachable:
        state = "unreachable"
    elif recap.failed:
        state = "failed"
    elif host in ended.stopped:
        state = "stopped"
    else:
        state = "changed" if recap.changed else "ok"
    versions = _versions(stack) if stack else {}
    return HostRow(host, state, recap, ended.stopped.get(host, ""), **versions)


def _versions(stack: Mapping[str, Any]) -> dict[str, str]:
    """The four parts as the table shows them; `CUDA` is the wheel's, never the driver's (pytorch#31285)."""
    driver = stack.get("driver") or {}
    torch = stack.get("torch") or {}
    toolkits = (stack.get("cuda") or {}).get("toolkits") or ()
    variant = str(torch.get("variant") or "")
    return {
        "driver": f"{driver.get('version') or driver.get('branch')} {driver.get('flavour', '')}".strip() if driver else "none",
        "cuda": ", ".join(str(toolkit) for toolkit in toolkits) or (variant if variant.startswith("cu") else "none"),
        "torch": f"{torch.get('version', '')}{'+' + variant if variant else ''}" if torch else "",
        "nccl": str(torch.get("nccl") or "none"),
    }


def _changes(tasks: Iterable[_Task]) -> Iterable[ChangeRow]:
    shown = 0
    for task in tasks:
        for diff, hosts in task.changed.items():
            shown += bool(diff)
            yield ChangeRow(task.title, fold(hosts), diff if shown <= DIFFS_SHOWN else "")


def _durations(tasks: Iterable[_Task], seconds: float) -> tuple[DurationRow, ...]:
    spans = ((task.title, max(0.0, task.ended - task.began)) for task in tasks)
    slowest = sorted(spans, key=lambda span: -span[1])[:SLOWEST_SHOWN]
    return tuple(DurationRow(title, span, 100 * span / seconds if seconds else 0.0) for title, span in slowest if span >= 0.05)


def _reasons(stacks: Mapping[str, Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Why these versions: each distinct reason once, with the hosts it holds for."""
    merged: dict[tuple[str, str], list[str]] = {}
    sources: dict[tuple[str, str], str] = {}
    for host, stack in stacks.items():
        for reason in stack.get("reasons") or ():
            key = (str(reason.get("choice", "")), str(reason.get("because", "")))
            merged.setdefault(key, []).append(host)
            sources[key] = str(reason.get("source", ""))
    return tuple(
        {"choice": choice, "because": because, "source": sources[choice, because], "hosts": fold(hosts)}
        for (choice, because), hosts in merged.items()
    )
