"""Runs that are broken off in the middle: what was in hand ends once, and a second run converges."""

from __future__ import annotations

import getpass
import hashlib
import os
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from playing import Play, inventory, play

from ringup.lab import inside, waiting
from ringup.lab.rack import LabHost, Rack

#: says that it runs, and goes on when it is let: a pipe is opened by both or by none
GATED = """
- hosts: all
  gather_facts: false
  tasks:
    - command: sh -c 'echo $$ >/home/operator/begun; read line </home/operator/gate; echo ran >>/home/operator/ran; echo done'
    - ping:
"""


@pytest.fixture
def gate(host: LabHost) -> None:
    host.ssh("rm -f begun ran gate; mkfifo gate")


def begun(running: Play, host: LabHost) -> int:
    """The process id of the gated command, once it waits."""
    running.until(lambda: host.ssh("test -s begun").returncode == 0)
    return int(host.ssh("cat begun").stdout)


def open_gate(host: LabHost) -> None:
    host.ssh("echo go >gate", timeout_s=20)


def agents(host: LabHost) -> str:
    """Processes of ours on the host, one a line."""
    return host.ssh(["pgrep", "-af", "RINGUP-[B]OOT"]).stdout


def nothing_runs(host: LabHost) -> bool:
    return agents(host) == ""


def leftovers(host: LabHost, *folders: str) -> set[str]:
    """Files of ours: half-written ones, uploads, results that wait."""
    places = " ".join(("/tmp", "/var/tmp", "/run", "/dev/shm", *folders))
    return set(host.ssh(f"sudo find {places} -xdev -name '.ringup-*' -o -path '*/ringup-[0-9]*/*'").stdout.splitlines())


def test_a_session_that_is_killed_in_the_middle_of_a_task_costs_nothing(rack: Rack, host: LabHost, gate: None, tmp_path: Path) -> None:
    with Play(tmp_path, GATED, inventory(rack)) as running:
        begun(running, host)
        # the session's sshd, both of its processes: what an OOM killer or a dropped firewall state does
        assert host.ssh(["pkill", "-KILL", "-f", "^sshd: operator"], user="root").returncode == 0
        open_gate(host)
        played = running.end()
    assert played.code == 0, played.results()
    first, second = played.results()
    assert (first["rc"], first["stdout"]) == (0, "done")
    assert second["ping"] == "pong"
    assert host.ssh("cat ran").stdout == "ran\n"
    assert waiting.until(lambda: nothing_runs(host))


COPY = """
- hosts: all
  gather_facts: false
  become: true
  tasks:
    - copy: {{src: {source}, dest: /opt/big}}
"""


def test_a_controller_that_is_killed_in_the_middle_of_a_copy_leaves_the_old_file_and_nothing_else(
    rack: Rack, host: LabHost, tmp_path: Path
) -> None:
    source = tmp_path / "big"
    source.write_bytes(os.urandom(1 << 20) * 64)
    host.ssh("echo old | sudo tee /opt/big")
    before = leftovers(host, "/opt")
    playbook = COPY.format(source=source)
    with Play(tmp_path / "killed", playbook, inventory(rack)) as running:
        # some of it has arrived, and not all
        running.until(lambda: arriving(rack, host) > 1 << 20)
        running.kill()
    assert waiting.until(lambda: nothing_runs(host)), agents(host)
    assert host.ssh("cat /opt/big").stdout == "old\n"
    assert leftovers(host, "/opt") == before
    again = play(tmp_path / "again", playbook, inventory(rack))
    assert again.code == 0, again.results()
    assert again.counted() == {"ok": 1, "changed": 1}
    ours, theirs = (line.split()[0] for line in (checksum(source), host.ssh("sha1sum /opt/big").stdout))
    assert ours == theirs
    assert play(tmp_path / "third", playbook, inventory(rack)).counted() == {"ok": 1}
    assert leftovers(host, "/opt") == before


def arriving(rack: Rack, host: LabHost) -> int:
    """Bytes of an upload under way, looked at from this machine: an ssh would come too late."""
    sizes = []
    for path in inside.path(rack, host, "/var/tmp/ringup-0").glob("upload-*"):
        with suppress(FileNotFoundError):
            sizes.append(path.stat().st_size)
    return sum(sizes)


def checksum(path: Path) -> str:
    return hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()


def test_ctrl_c_ends_the_task_its_programs_and_the_run_with_a_recap(rack: Rack, host: LabHost, gate: None, tmp_path: Path) -> None:
    before = leftovers(host)
    with Play(tmp_path / "interrupted", GATED, inventory(rack, ("node01", "node02"))) as running:
        pid = begun(running, host)
        running.interrupt()
        played = running.end(limit_s=20)
    assert played.code == 99
    assert set(played.recap) == {"node01", "node02"}
    assert "Traceback" not in played.stderr + played.stdout
    assert host.ssh(f"kill -0 {pid}").returncode == 1
    assert waiting.until(lambda: nothing_runs(host)), agents(host)
    assert host.ssh("ls ran").returncode != 0
    assert leftovers(host) == before
    (told,) = played.results()
    assert told["failed"]
    assert "cancelled" in told["msg"]
    host.ssh("rm -f begun")
    with Play(tmp_path / "again", GATED, inventory(rack)) as running:
        begun(running, host)
        open_gate(host)
        assert running.end().counted() == {"ok": 2, "changed": 1}


def test_a_host_that_another_run_holds_is_waited_for_and_then_its_holder_is_named(
    rack: Rack, host: LabHost, gate: None, tmp_path: Path
) -> None:
    with Play(tmp_path / "first", GATED, inventory(rack)) as first:
        begun(first, host)
        ping = "- {hosts: all, gather_facts: false, tasks: [{ping: }]}\n"
        second = play(tmp_path / "second", ping, inventory(rack, ("node01", "node02")), "--lock-wait", "1")
        assert second.code == 4
        (told,) = second.results()
        run = first.events()[0]["run_id"]
        assert (
            f"another run holds the host: {getpass.getuser()}@{socket.gethostname()}, run {run}, process {first.process.pid}, since"
            in told["msg"]
        )
        assert told["hint"]
        assert second.counted("node02") == {"ok": 1}
        with Play(tmp_path / "third", ping, inventory(rack)) as third:
            third.wait_for(lambda event: event["event"] == "HostTaskStarted")
            open_gate(host)
            assert first.end().code == 0
            assert third.end().counted() == {"ok": 1}
