"""Another user's rights: with and without a password, and where a password must never be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from playing import Play, inventory, play

from ringup.lab import waiting
from ringup.lab.rack import LabHost, Rack

WHO = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - command: id -un
    - raw: id -un
    - command: id -un
      become: false
"""
#: says that it runs, and goes on when it is let
WAITING = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - command: sh -c 'mkfifo /run/gate; read line </run/gate; rm /run/gate; id -un'
"""


PROCESSES = "/proc/[0-9]*/cmdline /proc/[0-9]*/environ"
#: where a run could leave something behind
FILES = "/tmp /var/tmp /run /dev/shm /home /root /var/log"


@pytest.fixture
def password(rack: Rack) -> str:
    return rack.secured_password.read_text().strip()


def said(result: object) -> str:
    assert isinstance(result, dict)
    return str(result["stdout"]).strip()


def shows(host: LabHost, secret: str, places: str) -> str:
    """The files in which a secret stands, asked for without it being in our own arguments."""
    # a named pipe would be waited on; what ends while it is looked at is no matter
    return host.ssh(f"sudo grep -rlaF -D skip -f - {places}", stdin=secret).stdout


@pytest.mark.parametrize("user", ["operator", "root"])
def test_sudo_without_a_password(rack: Rack, host: LabHost, tmp_path: Path, user: str) -> None:
    played = play(tmp_path, WHO, inventory(rack, node01={"ansible_user": user}))
    assert played.code == 0, played.results()
    assert [said(result) for result in played.results()] == ["root", "root", user]


def test_sudo_with_its_password(rack: Rack, host: LabHost, tmp_path: Path, password: str) -> None:
    played = play(tmp_path, WHO, inventory(rack, node01={"ansible_user": "secured", "ansible_become_password": password}))
    assert played.code == 0, played.results()
    assert [said(result) for result in played.results()] == ["root", "root", "secured"]


def test_sudo_that_wants_a_password_and_gets_none_names_the_variable(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    played = play(tmp_path, WHO, inventory(rack, ("node01", "node02"), node01={"ansible_user": "secured"}))
    assert played.code == 4
    (told,) = played.results()
    assert told["msg"] == "sudo to root was refused: sudo: a password is required"
    assert "ansible_become_password" in told["hint"]
    assert played.counted("node01") == {"unreachable": 1}
    assert played.counted("node02") == {"ok": 3, "changed": 3}


def test_a_wrong_sudo_password_is_tried_once(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    begin = host.ssh(["date", "+%s"]).stdout.strip()
    wrong = "wrong-and-secret"
    played = play(tmp_path, WHO, inventory(rack, node01={"ansible_user": "secured", "ansible_become_password": wrong}))
    assert played.code == 4
    (told,) = played.results()
    assert "sudo did not take the password, which was tried once" in told["msg"]
    assert "ansible_become_password" in told["hint"]
    assert wrong not in played.stdout + played.stderr
    failures = ["sudo", "journalctl", "-q", "--since", f"@{begin}", "-o", "cat", "-t", "sudo"]
    log = host.ssh(failures).stdout
    assert log.count("authentication failure;") == 1, log
    # nobody is left waiting at the question
    assert host.ssh(["pgrep", "-u", "root", "-f", "ringup "]).returncode == 1


def test_the_sudo_password_is_in_no_output_no_process_list_and_no_file(rack: Rack, host: LabHost, tmp_path: Path, password: str) -> None:
    variables = {"ansible_user": "secured", "ansible_become_password": password}
    with Play(tmp_path, WAITING, inventory(rack, node01=variables)) as running:
        assert waiting.until(lambda: host.ssh(["test", "-p", "/run/gate"]).returncode == 0)
        # while the task runs, all that root can see: arguments, environments, files that a run could have left
        assert shows(host, "read line </run/gate", PROCESSES) != ""
        assert shows(host, password, PROCESSES) == ""
        assert shows(host, password, FILES) == ""
        here = Path(f"/proc/{running.process.pid}")
        assert password not in (here / "cmdline").read_text() + (here / "environ").read_text()
        host.ssh("sudo sh -c 'echo >/run/gate'")
        played = running.end()
    assert played.code == 0, played.results()
    assert said(played.results()[0]) == "root"
    assert password not in played.stdout + played.stderr
    assert shows(host, password, FILES) == ""
