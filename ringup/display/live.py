"""A run on a terminal: a line per host with the task it is in and the newest line of long work, above a bar for the whole play.

What is worth keeping (changes, failures, the recap) scrolls by above the live part, printed by `Plain`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ringup.display.plain import Plain
from ringup.display.recap import duration
from ringup.events import (
    Event,
    FileIncluded,
    HostStopped,
    HostTaskStarted,
    PlayStarted,
    RunEnded,
    RunStarted,
    TaskEnded,
    TaskProgressed,
    TaskStarted,
)

#: lines left on a small terminal for the bar and what scrolls above
RESERVED_LINES = 6
STYLES = {"failed": "bold red", "unreachable": "bold red", "changed": "yellow", "ok": "green", "skipped": "cyan", "stopped": "magenta"}


@dataclass
class HostLine:
    """One host's line: what it does now, or how its last task ended."""

    doing: str = ""
    since: float = 0.0
    newest: str = ""
    outcome: str = ""


class ConsoleStream:
    """Gives `Plain` a stream whose lines scroll above the live part."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def write(self, text: str, /) -> int:
        line = text.rstrip("\n")
        self._console.print(Text(line, style=_style_of(line)), soft_wrap=True)
        return len(text)

    def flush(self) -> None:
        """The console writes at once."""


class LiveView:
    """The live part, fed by events, drawn a few times a second.

    Args:
        console: the terminal.
        show_diff: print before and after of what changes.
    """

    def __init__(self, console: Console, *, show_diff: bool = False) -> None:
        self._console = console
        self._plain = Plain(ConsoleStream(console), show_ok=False, show_diff=show_diff)
        self._hosts: dict[str, HostLine] = {}
        self._titles: dict[int, str] = {}
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("tasks"), TimeElapsedColumn(), console=console
        )
        self._bar = self._progress.add_task("", total=None)
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=8, transient=True)

    def on(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._live.start()
            case PlayStarted():
                self._hosts = {host: HostLine() for host in event.hosts}
                self._progress.reset(self._bar, total=event.tasks or None, description=event.name)
            case TaskStarted():
                role = f"{event.role} : " if event.role else ""
                self._titles[event.task_id] = f"{role}{event.name}"
                self._progress.advance(self._bar)
            case HostTaskStarted():
                self._hosts[event.host] = HostLine(doing=self._titles.get(event.task_id, ""), since=time.monotonic())
            case TaskProgressed():
                self._hosts.setdefault(event.host, HostLine()).newest = event.line
            case TaskEnded():
                self._ended(event)
            case HostStopped():
                self._hosts.setdefault(event.host, HostLine()).outcome = "stopped"
            case FileIncluded():
                self._progress.update(self._bar, total=None)
            case RunEnded():
                self._live.stop()
            case _:
                pass
        self._plain.on(event)

    def _ended(self, event: TaskEnded) -> None:
        line = self._hosts.setdefault(event.host, HostLine())
        result = event.result
        line.newest = ""
        if result.unreachable:
            line.outcome = "unreachable"
        elif result.failed and not event.ignored:
            line.outcome = "failed"
        else:
            line.outcome = "skipped" if result.skipped else "changed" if result.changed else "ok"
        line.since = 0.0

    def _render(self) -> RenderableType:
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, width=9)
        table.add_column(no_wrap=True, ratio=2, overflow="ellipsis")
        table.add_column(no_wrap=True, ratio=3, overflow="ellipsis", style="dim")
        room = max(1, self._console.size.height - RESERVED_LINES)
        # hosts at work come first: on a small terminal they are the ones to see
        ordered = sorted(self._hosts.items(), key=lambda entry: (not entry[1].since, entry[0]))
        for host, line in ordered[:room]:
            spent = duration(time.monotonic() - line.since) if line.since else ""
            status = Text(spent) if line.since else Text(line.outcome, style=STYLES.get(line.outcome, ""))
            table.add_row(Text(host), status, Text(line.doing), Text(line.newest))
        if len(ordered) > room:
            table.add_row(Text(f"and {len(ordered) - room} more hosts", style="dim"), "", "", "")
        return Group(table, self._progress)


def _style_of(line: str) -> str:
    words = line.split()
    if not words:
        return ""
    first = words[0]
    if first in ("PLAY", "RECAP", "TASK", "HANDLER"):
        return "bold"
    if first in ("FAILED", "UNREACHABLE", "failed", "stopped"):
        return "red"
    if first in ("changed", "warning:", "ignored"):
        return "yellow"
    if first in ("+", "-") or line.strip().startswith(("+", "-")):
        return "green" if line.strip().startswith("+") else "red"
    return ""
