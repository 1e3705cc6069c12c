"""For those who work on Ringup: the checks that CI runs, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from invoke.context import Context
from invoke.exceptions import Exit
from invoke.tasks import task

from ringup.tasks.lab import say
from ringup.tasks.later import later
from ringup.tasks.running import shown_errors

if TYPE_CHECKING:
    from ringup.lab import machine
else:
    machine = later("ringup.lab.machine")

#: each line is one check, quick ones first
CHECKS = (
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "lint-imports",
    "vermin --quiet --no-tips --violations --target=3.6- ringup/agent",
    "invoke docs --check",
)


def run_all(context: Context, commands: Sequence[str]) -> None:
    """Run commands in order; the first that fails ends it with its exit code."""
    for command in commands:
        sys.stdout.write(f"$ {command}\n")
        sys.stdout.flush()
        result = context.run(command, warn=True, pty=False, in_stream=False)
        if result is not None and result.exited:
            raise Exit(code=result.exited)


@task
def check(context: Context) -> None:
    """Everything fast that CI runs: lint, format, types, import contracts, the agent's Python 3.6, the reference, unit tests."""
    run_all(context, [*CHECKS, "pytest tests/unit tests/badinput"])


@task
def fmt(context: Context) -> None:
    """Format the code."""
    run_all(context, ["ruff check --fix --quiet .", "ruff format ."])


@task(help={"slow": "also the tests that take minutes"})
def test(context: Context, slow: bool = False) -> None:
    """All checks and all tests; installs the system's packages that the rehearsal rack needs. Needs root."""
    with shown_errors():
        # programs that tests need beside Python's own, and Debian's packages of them
        lab = {**machine.SYSTEM_PACKAGES, **machine.BOOTED_HOST_PACKAGES, **machine.PLAIN_HOST_PACKAGES}
        machine.require({**lab, "chromium": "chromium"}, say)
    marks = "" if slow else " -m 'not slow and not gpu'"
    run_all(context, [*CHECKS, f"pytest{marks}"])
