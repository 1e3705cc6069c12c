from __future__ import annotations

import os

import pytest

from ringup.errors import LabError
from ringup.lab import machine


def test_a_command_that_fails_is_named_with_what_it_said() -> None:
    with pytest.raises(LabError) as failed:
        machine.run("sh", "-c", "echo because >&2; exit 3")
    assert "status 3" in failed.value.message
    assert failed.value.hint == "because"


def test_what_is_missing_is_named_by_its_package() -> None:
    assert machine.missing({"sh": "dash", "no-such-command": "no-such-package"}) == {"no-such-command": "no-such-package"}


def test_without_root_all_that_is_missing_is_said_and_nothing_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    said: list[str] = []
    with pytest.raises(LabError) as refused:
        machine.require({"no-such-command": "some-package", "nor-this-one": "another-package"}, said.append)
    assert "apt-get install another-package some-package" in str(refused.value.hint)
    assert said == []


def test_as_root_with_everything_there_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    said: list[str] = []
    machine.require({"sh": "dash"}, said.append)
    assert said == []
