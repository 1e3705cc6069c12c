"""Which handler a notification means, and the order in which they wait (statements 68 to 70 and 77)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringup.engine.handlers import Handlers
from ringup.errors import PlaybookError
from ringup.playbook.values import RoleRef, Task
from ringup.source import Source

WEB = RoleRef("web", Path("roles/web"))
DB = RoleRef("db", Path("roles/db"))
TASK = Task("command", {}, Source("play.yaml", 3), Path())


def handler(name: str, line: int, *, listen: tuple[str, ...] = (), role: RoleRef | None = None) -> Task:
    return Task("debug", {}, Source("handlers.yaml", line), Path(), name=name, listen=listen, role=role)


def handlers(*sources: list[Task]) -> Handlers:
    return Handlers(sources, lambda task: task.name)


def waiting(known: Handlers) -> list[tuple[int, list[str]]]:
    return [(one.handler.source.line, list(one.hosts)) for one in known.waiting()]


def test_handlers_wait_in_the_order_they_are_defined_however_often_they_are_notified() -> None:
    known = handlers([handler("first", 1), handler("second", 2)])
    for name in ("second", "first", "second"):
        known.notify(name, "n1", TASK)
    assert waiting(known) == [(1, ["n1"]), (2, ["n1"])]


def test_all_that_listen_are_notified() -> None:
    known = handlers([handler("a", 1, listen=("reload",)), handler("b", 2), handler("c", 3, listen=("reload", "c"))])
    assert known.notify("reload", "n1", TASK) == ["a", "c"]
    assert waiting(known) == [(1, ["n1"]), (3, ["n1"])]


def test_of_two_handlers_of_one_name_in_a_list_the_first_runs() -> None:
    known = handlers([handler("same", 1), handler("same", 2)])
    known.notify("same", "n1", TASK)
    assert waiting(known) == [(1, ["n1"])]


def test_the_list_that_was_loaded_last_is_asked_first() -> None:
    known = handlers([handler("same", 1, role=WEB)], [handler("same", 2)])
    known.notify("same", "n1", TASK)
    assert waiting(known) == [(2, ["n1"])]


def test_a_role_may_be_named_to_choose_among_handlers_of_one_name() -> None:
    known = handlers([handler("same", 1, role=WEB)], [handler("same", 2, role=DB)])
    known.notify("web : same", "n1", TASK)
    assert waiting(known) == [(1, ["n1"])]


def test_a_role_that_is_used_twice_brings_its_handlers_once() -> None:
    known = handlers([handler("a", 1, listen=("topic",), role=WEB)], [handler("a", 1, listen=("topic",), role=WEB)])
    assert known.notify("topic", "n1", TASK) == ["a"]


def test_an_unknown_name_is_told_with_the_names_there_are() -> None:
    with pytest.raises(PlaybookError) as caught:
        handlers([handler("restart sshd", 1)]).notify("restart ssh", "n1", TASK)
    assert caught.value.where == TASK.source
    assert "restart sshd" in str(caught.value.hint)
