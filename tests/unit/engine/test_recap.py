"""What the recap counts (statement 96), and the exit code that follows (statement 97)."""

from __future__ import annotations

from typing import Any

import pytest

from ringup.engine.hosts import HostState
from ringup.engine.recap import Recap, exit_code
from ringup.events import HostRecap
from ringup.results import Result


@pytest.mark.parametrize(
    ("values", "ignored", "rescued", "counted"),
    [
        ({}, False, False, HostRecap(ok=1)),
        ({"changed": True}, False, False, HostRecap(ok=1, changed=1)),
        ({"skipped": True}, False, False, HostRecap(skipped=1)),
        ({"failed": True}, False, False, HostRecap(failed=1)),
        ({"failed": True, "changed": True}, False, False, HostRecap(failed=1)),
        ({"failed": True}, False, True, HostRecap(rescued=1)),
        ({"failed": True}, True, False, HostRecap(ok=1, ignored=1)),
        ({"failed": True, "changed": True}, True, False, HostRecap(ok=1, changed=1, ignored=1)),
        ({"unreachable": True}, False, False, HostRecap(unreachable=1)),
        ({"unreachable": True}, True, False, HostRecap(ok=1, ignored=1)),
    ],
)
def test_a_task_counts_as_with_ansible(values: dict[str, Any], ignored: bool, rescued: bool, counted: HostRecap) -> None:
    recap = Recap()
    recap.ended("n1", Result(values), ignored=ignored, rescued=rescued)
    assert recap.counts() == {"n1": counted}


def test_a_host_that_did_nothing_is_told_too() -> None:
    recap = Recap()
    recap.see("n1")
    assert recap.counts() == {"n1": HostRecap()}


def host(*, failed: bool = False, unreachable: bool = False) -> HostState:
    state = HostState("n1")
    state.failed, state.unreachable = failed, unreachable
    return state


@pytest.mark.parametrize(
    ("states", "stopped", "code"),
    [
        ([], False, 0),
        ([host()], False, 0),
        ([host(), host(failed=True)], False, 2),
        ([host(failed=True), host(unreachable=True)], False, 4),
        ([host()], True, 2),
    ],
)
def test_unreachable_wins_over_failed(states: list[HostState], stopped: bool, code: int) -> None:
    assert exit_code(states, stopped=stopped) == code
