"""The agent's loop, spoken to in frames."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from runtime_agent import RuntimeAgent

from ringup.agent import bundle


@pytest.fixture
def new_agent() -> Iterator[Callable[..., RuntimeAgent]]:
    started: list[RuntimeAgent] = []

    def start(**options: Any) -> RuntimeAgent:
        started.append(RuntimeAgent(**options))
        return started[-1]

    yield start
    for agent in started:
        agent.end()


@pytest.fixture
def agent(new_agent: Callable[..., RuntimeAgent]) -> RuntimeAgent:
    return new_agent()


def until(condition: Callable[[], Any], limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "the condition never came"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_agent_says_who_and_where_it_is(agent: RuntimeAgent) -> None:
    assert agent.ready["uid"] == os.getuid()
    assert agent.ready["boot_id"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_programs_of_a_task_cannot_write_into_the_frames(agent: RuntimeAgent) -> None:
    text = "for fd in 0 1 2 3 4 5 6 7 8 9; do echo noise >&$fd; done 2>/dev/null; echo noise > /proc/$PPID/fd/1; echo clean"
    assert agent.run("shell", {"cmd": text})["rc"] == 0
    assert agent.run("ping", {})["ping"] == "pong"


def test_each_task_begins_in_the_same_place_whatever_the_last_one_did(new_agent: Callable[..., RuntimeAgent], tmp_path: Path) -> None:
    agent = new_agent(environment={"HOME": str(tmp_path), "LC_ALL": "de_DE.UTF-8", "PATH": "/usr/bin:/bin"})
    text = "umask; pwd; echo $LC_ALL; umask 077; cd /; export LC_ALL=C"
    expected = ["0022", str(tmp_path), "C.UTF-8"]
    assert agent.run("shell", {"cmd": text})["stdout"].split() == expected
    assert agent.run("shell", {"cmd": text})["stdout"].split() == expected


def test_unknown_module_is_a_failed_result_and_the_agent_goes_on(agent: RuntimeAgent) -> None:
    assert "cannot be loaded" in agent.run("nothing_by_this_name", {})["msg"]
    assert agent.run("ping", {})["ping"] == "pong"


def test_task_whose_process_is_killed_is_a_failed_result(agent: RuntimeAgent) -> None:
    result = agent.run("shell", {"cmd": "kill -9 $PPID; sleep 600"})
    assert result["failed"]
    assert "killed by signal 9" in result["msg"]
    assert agent.run("ping", {})["ping"] == "pong"


def test_two_tasks_sent_ahead_both_answer(agent: RuntimeAgent) -> None:
    agent.start("command", {"cmd": "echo one"})
    agent.start("command", {"cmd": "echo two"})
    results = {message["id"]: message["result"]["stdout"] for message in (agent.next("result"), agent.next("result"))}
    assert results == {1: "one", 2: "two"}


def test_agent_is_alive_while_a_task_is_silent(agent: RuntimeAgent) -> None:
    agent.start("command", {"cmd": "sleep 600"})
    agent.next("alive", 30)
    agent.send({"type": "cancel", "id": 1})
    assert "cancelled" in agent.next("result")["result"]["msg"]


def test_agent_hears_a_cancel_while_nobody_reads_its_output(agent: RuntimeAgent, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    agent.start("command", {"cmd": "head -c 30000000 /dev/zero"})
    agent.start("shell", {"cmd": f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600"})
    until(pid.exists)
    agent.send({"type": "cancel", "id": 2})
    until(lambda: not alive(int(pid.read_text())))


def test_idle_agent_ends_with_its_controller(agent: RuntimeAgent) -> None:
    assert agent.leave() == bundle.WAS_AGENT


def test_agent_finishes_its_task_without_its_controller_and_the_next_one_collects(
    new_agent: Callable[..., RuntimeAgent], tmp_path: Path
) -> None:
    first, go = new_agent(), tmp_path / "go"
    key = first.start("shell", {"cmd": f"while [ ! -e {go} ]; do sleep 0.05; done; echo finished"})
    assert first.process.stdin is not None
    first.process.stdin.close()
    second = new_agent()
    second.send({"type": "collect", "id": 1, "key": key})
    go.touch()
    collected = second.next("collected")
    assert (collected["state"], collected["result"]["stdout"]) == ("done", "finished")
    second.send({"type": "bye", "received": [1]})
    second.process.wait(timeout=30)
    third = new_agent()
    third.send({"type": "collect", "id": 1, "key": key})
    assert third.next("collected")["state"] == "unknown"


def test_result_is_kept_until_the_controller_says_that_it_has_it(new_agent: Callable[..., RuntimeAgent]) -> None:
    first = new_agent()
    heard = first.start("command", {"cmd": "echo heard"})
    first.next("result")
    unheard = first.start("command", {"cmd": "echo unheard"}, received=[1])
    first.next("result")
    first.leave()
    second = new_agent()
    states = {}
    for number, key in enumerate((heard, unheard), 1):
        second.send({"type": "collect", "id": number, "key": key})
        states[key] = second.next("collected")["state"]
    assert states == {heard: "unknown", unheard: "done"}


def test_killed_agent_leaves_a_lost_task_behind_not_an_unknown_one(new_agent: Callable[..., RuntimeAgent], tmp_path: Path) -> None:
    first, begun = new_agent(), tmp_path / "begun"
    key = first.start("shell", {"cmd": f"touch {begun}; sleep 2"})
    until(begun.exists)
    first.process.kill()
    first.process.wait()
    second = new_agent()
    second.send({"type": "collect", "id": 1, "key": key})
    assert second.next("collected")["state"] == "lost"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_collective_ends_when_its_agent_is_ended_in_any_way(agent: RuntimeAgent, tmp_path: Path, number: int) -> None:
    pid = tmp_path / "pid"
    agent.start("shell", {"cmd": f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600"}, dies_with_controller=True)
    until(pid.exists)
    agent.process.send_signal(number)
    until(lambda: not alive(int(pid.read_text())))


def test_lock_waits_for_the_first_holder(new_agent: Callable[..., RuntimeAgent]) -> None:
    first, second = new_agent(), new_agent()
    first.send({"type": "lock", "holder": {"run": "one"}, "wait_s": 0})
    assert first.next("locked")["holder"] is None
    second.send({"type": "lock", "holder": {"run": "two"}, "wait_s": 0})
    assert second.next("locked")["holder"] == {"run": "one"}
    second.send({"type": "lock", "holder": {"run": "two"}, "wait_s": 60})
    first.send({"type": "unlock"})
    assert second.next("locked")["holder"] is None


def test_lock_held_by_an_earlier_agent_of_the_same_run_is_given(new_agent: Callable[..., RuntimeAgent]) -> None:
    first, second, other = new_agent(), new_agent(), new_agent()
    first.send({"type": "lock", "holder": {"run": "one"}, "wait_s": 0})
    first.next("locked")
    second.send({"type": "lock", "holder": {"run": "one"}, "wait_s": 0})
    assert second.next("locked")["holder"] is None
    first.leave()
    other.send({"type": "lock", "holder": {"run": "two"}, "wait_s": 0.5})
    assert other.next("locked")["holder"] == {"run": "one"}


def test_fault_of_the_agent_is_told_in_words(agent: RuntimeAgent) -> None:
    agent.send({"type": "no_such_frame"})
    assert "_on_no_such_frame" in agent.next("fault")["text"]
