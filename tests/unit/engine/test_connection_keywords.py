"""How a host is reached, as plays and tasks say it."""

from __future__ import annotations

from pathlib import Path

from ringup.engine import PlaybookRequest, run_playbooks
from ringup.engine.interrupt import Interrupt
from ringup.engine.reach import Connections
from ringup.playbook.values import Keywords
from ringup.templating import Templar

SAID = Keywords(connection="ssh", remote_user="{{ someone }}", port=2222, become_method="su", become_flags="-l")


def test_a_play_with_connection_local_needs_no_sshd(tmp_path: Path) -> None:
    play = "- hosts: all\n  connection: local\n  gather_facts: false\n  tasks:\n    - command: 'true'\n"
    (tmp_path / "play.yaml").write_text(play)
    outcome = run_playbooks(PlaybookRequest(playbooks=(tmp_path / "play.yaml",), inventory=("nowhere.invalid,",)), [])
    assert outcome.exit_code == 0


def test_keywords_win_over_the_command_line() -> None:
    connections = Connections(PlaybookRequest(playbooks=(), user="from-command-line"), "run", Interrupt())
    settings = connections.settings("node01", Templar({"someone": "from-keyword"}), implicit_local=False, keywords=SAID)
    assert (settings.user, settings.port, settings.become.method, settings.become.flags) == ("from-keyword", 2222, "su", "-l")


def test_variables_of_the_host_win_over_keywords() -> None:
    connections = Connections(PlaybookRequest(playbooks=()), "run", Interrupt())
    variables = {"someone": "x", "ansible_user": "from-inventory", "ansible_port": 22, "ansible_become_method": "sudo"}
    settings = connections.settings("node01", Templar(variables), implicit_local=False, keywords=SAID)
    assert (settings.user, settings.port, settings.become.method) == ("from-inventory", 22, "sudo")
