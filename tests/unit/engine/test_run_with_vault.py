"""A run over a vaulted inventory, on this machine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ringup.engine import PlaybookRequest, run_playbooks
from ringup.errors import RingupError
from ringup.events import Event, TaskEnded
from ringup.templating import VaultKeys, encrypt, password_files

PLAY = '- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: {msg: "{{ word | length }}"}\n'


class Heard:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def on(self, event: Event) -> None:
        self.events.append(event)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "all.yml").write_text(encrypt("word: swordfish\n", "open sesame"))
    (tmp_path / "password").write_text("open sesame\n")
    (tmp_path / "hosts").write_text(f"here ansible_connection=local ansible_python_interpreter={sys.executable}\n")
    (tmp_path / "play.yaml").write_text(PLAY)
    return tmp_path


def request(project: Path, vault: VaultKeys | None) -> PlaybookRequest:
    return PlaybookRequest(playbooks=(project / "play.yaml",), inventory=(str(project / "hosts"),), vault=vault)


def test_vaulted_variables_are_read_with_the_password_of_the_run(project: Path) -> None:
    heard = Heard()
    outcome = run_playbooks(request(project, VaultKeys(password_files([project / "password"]))), [heard])
    assert outcome.exit_code == 0
    assert [event.result.message for event in heard.events if isinstance(event, TaskEnded)] == ["9"]


def test_without_a_password_the_file_is_named_and_what_to_give(project: Path) -> None:
    with pytest.raises(RingupError) as refused:
        run_playbooks(request(project, None), [])
    assert "group_vars" in str(refused.value)
    assert "--vault-password-file" in str(refused.value)
