"""What every task that runs a playbook does: listeners by format, errors in one place, the outcome as an exit code."""

from __future__ import annotations

import getpass
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from invoke.exceptions import Exit

from ringup.display.errors import show_error
from ringup.display.json_lines import JsonLines
from ringup.display.plain import Plain
from ringup.engine import Outcome, PlaybookRequest, run_playbooks
from ringup.errors import RingupError, UsageError
from ringup.events import Listener
from ringup.tasks.later import later

if TYPE_CHECKING:
    from ringup.display.report import html
else:
    html = later("ringup.display.report.html")

FORMATS = ("auto", "live", "plain", "json")
REPORTS = Path("reports")
#: exit code of a fault of ringup itself, as ansible-core's
INTERNAL = 250


def listeners(format: str, *, diff: bool) -> list[Listener]:
    """Who hears the run: a live view on a terminal, lines elsewhere, JSON where it is asked for.

    Raises:
        UsageError: the format is not one of ours.
    """
    if format not in FORMATS:
        raise UsageError(f"there is no format '{format}'", where="--format", hint=f"one of: {', '.join(FORMATS)}")
    if format == "json":
        return [JsonLines(sys.stdout)]
    if format == "live" or (format == "auto" and sys.stdout.isatty()):
        # rich costs a tenth of a second, which a pipe need not pay
        from rich.console import Console

        from ringup.display.live import LiveView

        return [LiveView(Console(), show_diff=diff)]
    return [Plain(sys.stdout, show_diff=diff)]


def ask(prompt: str, secret: bool) -> str:
    """Ask the person at the terminal."""
    return getpass.getpass(f"{prompt}: ") if secret else input(f"{prompt}: ")


def run_and_exit(request: PlaybookRequest, format: str = "auto", *, report: bool = False) -> None:
    """Run playbooks, show them, and end with their exit code.

    Args:
        report: also write the HTML report, and say where it is.
    """
    with shown_errors():
        heard = listeners(format, diff=request.diff)
        page = html.HtmlReport(REPORTS) if report else None
        outcome = run_playbooks(request, [*heard, page] if page else heard, ask if sys.stdin.isatty() else None)
        if page is not None and page.path is not None:
            (sys.stderr if format == "json" else sys.stdout).write(f"\nreport: {page.path}\n")
    exit_with(outcome)


def help_instead(task: str, first: str) -> None:
    """Show a task's help when that is what its first word asks for: Invoke takes any word, `--help` too, for a positional argument."""
    if first in ("--help", "-h"):
        os.execv(sys.executable, [sys.executable, sys.argv[0], "--help", task])


def whole(option: str, text: str) -> int | None:
    """A whole number from 1 as it is typed; None for nothing. Options are texts, since Invoke answers a bad number with a traceback.

    Raises:
        UsageError: it is no such number.
    """
    if not text:
        return None
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"'{text}' is no number", where=option, hint="a whole number from 1")
    return int(text)


def exit_with(outcome: Outcome) -> None:
    if outcome.exit_code:
        raise Exit(code=outcome.exit_code)


@contextmanager
def shown_errors() -> Iterator[None]:
    """Every error of ours reaches the operator as a sentence, and the shell as an exit code."""
    try:
        yield
    except RingupError as error:
        show_error(error)
        raise Exit(code=error.exit_code) from None
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise Exit(code=99) from None
    except Exit:
        raise
    except Exception as fault:  # noqa: BLE001 - a fault of ours is a sentence too; its details go into a file
        raise Exit(code=_fault(fault)) from None


def _fault(fault: Exception) -> int:
    """Say that ringup itself is at fault, and keep what is needed to mend it."""
    REPORTS.mkdir(exist_ok=True)
    path = REPORTS / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-fault.txt"
    path.write_text("".join(traceback.format_exception(fault)))
    show_error(RingupError(f"a fault of ringup: {type(fault).__name__}: {fault}", hint=f"please report it with {path}"))
    return INTERNAL
