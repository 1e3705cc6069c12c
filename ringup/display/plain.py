"""A run as lines of text: for logs, pipes and continuous integration. Hosts that did the same are folded into one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ringup.display.diff import diff_lines
from ringup.display.failure import failure_lines
from ringup.display.recap import duration, recap_lines
from ringup.events import (
    Event,
    FileIncluded,
    HostStopped,
    ItemEnded,
    PlaySkipped,
    PlayStarted,
    RetryStarted,
    RingMeasured,
    RingProgressed,
    RunEnded,
    TaskEnded,
    TaskStarted,
    WarningIssued,
)
from ringup.inventory.fold import fold
from ringup.results import Result

#: how a host's outcome is called, in the order in which the lines are printed
OUTCOMES = ("ok", "skipped", "changed", "ignored")


@dataclass
class OpenTask:
    """What is known of the task that is running."""

    title: str
    action: str = ""
    by_outcome: dict[str, list[str]] = field(default_factory=dict)
    diffs: dict[str, list[str]] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)


class Lines(Protocol):
    """Where lines go: a text stream, or what stands for one above the live part."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> None: ...


class Plain:
    """Prints each task when it has ended everywhere, and failures at once.

    Args:
        stream: where lines go.
        show_ok: also print hosts on which nothing changed.
        show_diff: print before and after.
    """

    def __init__(self, stream: Lines, *, show_ok: bool = True, show_diff: bool = False) -> None:
        self._stream = stream
        self._show_ok = show_ok
        self._show_diff = show_diff
        self._open: dict[int, OpenTask] = {}
        self._titled: int | None = None

    def on(self, event: Event) -> None:
        handler: Callable[[Event], None] | None = getattr(self, f"_on_{type(event).__name__}", None)
        if handler is not None:
            handler(event)
            self._stream.flush()

    def _on_PlayStarted(self, event: PlayStarted) -> None:  # noqa: N802 - named after the event
        self._close_all()
        noun = "host" if len(event.hosts) == 1 else "hosts"
        self._print(f"\nPLAY {event.name}  ({len(event.hosts)} {noun}: {fold(event.hosts)})")

    def _on_PlaySkipped(self, event: PlaySkipped) -> None:  # noqa: N802
        self._close_all()
        self._print(f"\nPLAY {event.name}\n  skipped: {event.reason}")

    def _on_TaskStarted(self, event: TaskStarted) -> None:  # noqa: N802
        self._close_all()
        role = f"{event.role} : " if event.role else ""
        kind = "HANDLER" if event.handler else "TASK"
        self._open[event.task_id] = OpenTask(f"{kind} {role}{event.name}", event.action)

    def _on_TaskEnded(self, event: TaskEnded) -> None:  # noqa: N802
        task = self._open.setdefault(event.task_id, OpenTask("TASK"))
        result = event.result
        if (result.failed or result.unreachable) and not event.ignored:
            self._title(event.task_id, task)
            word = "UNREACHABLE" if result.unreachable else "FAILED"
            self._block(f"  {word} {event.host}: ", failure_lines(result))
            return
        task.by_outcome.setdefault(_outcome(result, event.ignored), []).append(event.host)
        if event.ignored:
            task.messages.setdefault(f"ignored failure: {result.message}", []).append(event.host)
        elif task.action == "debug" and not result.skipped:
            task.messages.setdefault(debug_text(result), []).append(event.host)
        if self._show_diff and result.changed and not result.no_log:
            lines = [line for diff in _diffs(result) for line in diff_lines(diff)]
            if lines:
                task.diffs.setdefault("\n".join(lines), []).append(event.host)

    def _on_ItemEnded(self, event: ItemEnded) -> None:  # noqa: N802
        if event.result.failed:
            task = self._open.setdefault(event.task_id, OpenTask("TASK"))
            self._title(event.task_id, task)
            self._block(f"  failed {event.host} ({event.label}): ", failure_lines(event.result))

    def _on_RetryStarted(self, event: RetryStarted) -> None:  # noqa: N802
        task = self._open.setdefault(event.task_id, OpenTask("TASK"))
        self._title(event.task_id, task)
        self._print(f"  {event.host}: not yet; try {event.attempt + 1} of {event.retries + 1}")

    def _on_FileIncluded(self, event: FileIncluded) -> None:  # noqa: N802
        self._print(f"  included {event.path} for {fold(event.hosts)}")

    def _on_HostStopped(self, event: HostStopped) -> None:  # noqa: N802
        self._print(f"  stopped {event.host}: {event.reason}")

    def _on_WarningIssued(self, event: WarningIssued) -> None:  # noqa: N802
        place = f"{event.where}: " if event.where else (f"{event.host}: " if event.host else "")
        self._print(f"warning: {place}{event.message}")

    def _on_RingProgressed(self, event: RingProgressed) -> None:  # noqa: N802
        self._print(f"  ring {event.stage}: {event.message}")

    def _on_RingMeasured(self, event: RingMeasured) -> None:  # noqa: N802
        for line in event.measurement.get("summary", ()):
            self._print(f"  {line}")

    def _on_RunEnded(self, event: RunEnded) -> None:  # noqa: N802
        self._close_all()
        self._print(f"\nRECAP  ({duration(event.seconds)}{', interrupted' if event.interrupted else ''})")
        for line in recap_lines(event.recap, event.stopped):
            self._print(line)

    def _title(self, task_id: int, task: OpenTask) -> None:
        if self._titled != task_id:
            self._print(f"\n{task.title}")
            self._titled = task_id

    def _close_all(self) -> None:
        for task_id, task in self._open.items():
            self._close(task_id, task)
        self._open.clear()

    def _close(self, task_id: int, task: OpenTask) -> None:
        shown = [name for name in OUTCOMES if task.by_outcome.get(name) and (self._show_ok or name not in ("ok", "skipped"))]
        if shown or task.messages:
            self._title(task_id, task)
        for name in shown:
            self._print(f"  {name:<8} {fold(task.by_outcome[name])}")
        for message, hosts in task.messages.items():
            self._block(f"    {fold(hosts)}: ", message.splitlines())
        for text, hosts in task.diffs.items():
            self._print(f"    diff on {fold(hosts)}:")
            for line in text.splitlines():
                self._print(f"      {line}")

    def _block(self, head: str, lines: list[str]) -> None:
        for number, line in enumerate(lines):
            self._print((head if number == 0 else " " * 6) + line)

    def _print(self, line: str) -> None:
        self._stream.write(line + "\n")


def debug_text(result: Result) -> str:
    """What `debug` was asked to show: its message, or the variable by name."""
    shown = {key: value for key, value in result.shown().items() if key not in ("changed", "failed")}
    if set(shown) == {"msg"} and isinstance(shown["msg"], str):
        return str(shown["msg"])
    return json.dumps(shown["msg"] if set(shown) == {"msg"} else shown, indent=2, default=str, ensure_ascii=False)


def _outcome(result: Result, ignored: bool) -> str:
    if ignored:
        return "ignored"
    if result.skipped:
        return "skipped"
    return "changed" if result.changed else "ok"


def _diffs(result: Result) -> list[object]:
    """The diffs of a task, of each item when it looped."""
    if "diff" in result.values:
        return [result.values["diff"]]
    return [item["diff"] for item in result.values.get("results", ()) if isinstance(item, dict) and item.get("diff")]
