"""Connecting: whose host it is, who we are, and every way it fails."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from loopback import Sshd, call, free_port, make_key, until

from ringup.agent.bundle import FIRST_STAGE
from ringup.errors import (
    AuthenticationFailed,
    ConnectionFailed,
    ConnectTimeout,
    HostKeyChanged,
    HostKeyUnknown,
    LinkLost,
    NoInterpreter,
)
from ringup.transport import keys
from ringup.transport.connection import HostConnection
from ringup.transport.settings import Timeouts

StartSshd = Callable[..., Sshd]


def printed_fingerprint(public_key: Path) -> str:
    return subprocess.run(["ssh-keygen", "-lf", str(public_key)], check=True, capture_output=True, text=True).stdout.split()[1]


def test_agent_answers_over_ssh(sshd: Sshd) -> None:
    connection = sshd.connection()
    assert connection.call(call("ping")) == {"ping": "pong", "changed": False}
    assert connection.agent().ready["uid"] == os.getuid()


def test_unknown_host_key_is_refused_and_the_hint_accepts_it(start_sshd: StartSshd) -> None:
    sshd = start_sshd(known=False)
    with pytest.raises(HostKeyUnknown) as refused:
        sshd.connection().open()
    assert printed_fingerprint(sshd.folder / "host_ed25519.pub") in refused.value.message
    assert refused.value.where == "node01"
    command = str(refused.value.hint).split("then: ")[1]
    subprocess.run(command, shell=True, check=True, capture_output=True)
    assert sshd.connection().call(call("ping"))["ping"] == "pong"


def test_changed_host_key_shows_both_fingerprints_and_the_line_of_the_old_one(sshd: Sshd) -> None:
    other = make_key(sshd.folder / "other").with_suffix(".pub")
    sshd.known_hosts.write_text(f"# the rack\n[127.0.0.1]:{sshd.port} {other.read_text()}")
    with pytest.raises(HostKeyChanged) as refused:
        sshd.connection().open()
    for expected in (printed_fingerprint(other), printed_fingerprint(sshd.folder / "host_ed25519.pub"), f"{sshd.known_hosts}:2"):
        assert expected in refused.value.message
    assert f"ssh-keygen -R '[127.0.0.1]:{sshd.port}' -f {sshd.known_hosts}" in str(refused.value.hint)


def test_revoked_host_key_is_refused_although_it_is_also_listed(sshd: Sshd) -> None:
    sshd.known_hosts.write_text(sshd.known_hosts.read_text() + "@revoked * " + (sshd.folder / "host_ed25519.pub").read_text())
    with pytest.raises(HostKeyUnknown):
        sshd.connection().open()


def test_host_key_under_a_hashed_name_is_known(sshd: Sshd) -> None:
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(sshd.known_hosts)], check=True, capture_output=True)
    assert sshd.known_hosts.read_text().startswith("|1|")
    sshd.connection().open()


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_server_is_asked_for_the_kind_of_key_that_is_known(start_sshd: StartSshd, kind: str) -> None:
    sshd = start_sshd(host_keys=("ed25519", "ecdsa", "rsa"), known=False)
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {(sshd.folder / f'host_{kind}.pub').read_text()}")
    sshd.connection().open()


def test_accept_new_writes_the_key_down_once_and_refuses_another_one_later(start_sshd: StartSshd) -> None:
    sshd = start_sshd(known=False)
    for _ in range(2):
        sshd.connection(ansible_ssh_common_args="-o StrictHostKeyChecking=accept-new").open()
    written = sshd.known_hosts.read_text().splitlines()
    assert [line.split()[:2] for line in written] == [[f"[127.0.0.1]:{sshd.port}", "ssh-ed25519"]]
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {make_key(sshd.folder / 'other').with_suffix('.pub').read_text()}")
    with pytest.raises(HostKeyChanged):
        sshd.connection(ansible_ssh_common_args="-o StrictHostKeyChecking=accept-new").open()


def test_checking_that_is_switched_off_takes_any_key(start_sshd: StartSshd) -> None:
    start_sshd(known=False).connection(ansible_host_key_checking=False).open()


def test_wrong_key_says_what_was_tried_for_whom(sshd: Sshd) -> None:
    wrong = make_key(sshd.folder / "wrong")
    with pytest.raises(AuthenticationFailed) as refused:
        sshd.connection(ansible_ssh_private_key_file=str(wrong)).open()
    assert f"did not take the key {wrong}" in refused.value.message
    assert "authorized_keys" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("content", "words", "hint"),
    [
        (None, "there is no private key", "ansible_ssh_private_key_file"),
        ("ssh-ed25519 AAAA not-a-private-key\n", "is not a private key", "not the .pub file"),
    ],
)
def test_key_file_that_cannot_be_used_is_named(sshd: Sshd, content: str | None, words: str, hint: str) -> None:
    path = sshd.folder / "given"
    if content is not None:
        path.write_text(content)
    with pytest.raises(AuthenticationFailed) as refused:
        sshd.connection(ansible_ssh_private_key_file=str(path)).open()
    assert words in refused.value.message
    assert str(path) in refused.value.message
    assert hint in str(refused.value.hint)


@pytest.fixture
def ssh_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "agent.socket"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", str(path)], stdout=subprocess.DEVNULL)
    until(path.exists)
    monkeypatch.setenv("SSH_AUTH_SOCK", str(path))
    yield path
    process.terminate()
    process.wait()


def locked_key(sshd: Sshd) -> Path:
    """A key with a passphrase that the server takes."""
    path = make_key(sshd.folder / "locked", passphrase="a secret")
    with (sshd.folder / "authorized_keys").open("a") as stream:
        stream.write(path.with_suffix(".pub").read_text())
    return path


def test_key_with_a_passphrase_asks_for_the_agent(sshd: Sshd) -> None:
    with pytest.raises(AuthenticationFailed, match="needs a passphrase") as refused:
        sshd.connection(ansible_ssh_private_key_file=str(locked_key(sshd))).open()
    assert "ssh-add" in str(refused.value.hint)


def test_key_with_a_passphrase_is_taken_from_the_agent(sshd: Sshd, ssh_agent: Path) -> None:
    path = locked_key(sshd)
    ask = sshd.folder / "askpass"
    ask.write_text("#!/bin/sh\necho a secret\n")
    ask.chmod(0o700)
    subprocess.run(["ssh-add", "-q", str(path)], check=True, env={**os.environ, "SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force"})
    sshd.connection(ansible_ssh_private_key_file=str(path)).open()


def test_keys_of_the_agent_are_offered_when_none_is_named(sshd: Sshd, ssh_agent: Path) -> None:
    subprocess.run(["ssh-add", "-q", str(sshd.key)], check=True)
    sshd.connection(ansible_ssh_private_key_file=None).open()


def test_named_key_goes_first_when_the_agent_has_more_than_the_server_allows(start_sshd: StartSshd, ssh_agent: Path) -> None:
    sshd = start_sshd("MaxAuthTries 2")
    for number in range(4):
        subprocess.run(["ssh-add", "-q", str(make_key(sshd.folder / f"more{number}"))], check=True)
    sshd.connection().open()
    with pytest.raises(AuthenticationFailed, match="hung up") as refused:
        sshd.connection(ansible_ssh_private_key_file=None).open()
    assert "IdentitiesOnly" in str(refused.value.hint)


def test_agent_that_never_answers_does_not_hold_a_connection(sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent.socket"))
        silent.listen()
        monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "silent.socket"))
        monkeypatch.setattr(keys, "AGENT_ANSWER_S", 0.2)
        with pytest.raises(AuthenticationFailed, match="there is no key"):
            sshd.connection(ansible_ssh_private_key_file=None).open()


def test_nobody_listens(sshd: Sshd) -> None:
    with pytest.raises(ConnectionFailed, match="refused the connection"):
        sshd.connection(ansible_port=free_port()).open()


def test_name_that_cannot_be_resolved(sshd: Sshd) -> None:
    with pytest.raises(ConnectionFailed, match="cannot be resolved"):
        sshd.connection(ansible_host="node01.invalid").open()


def with_limits(connection: HostConnection, **limits: float) -> HostConnection:
    connection.settings = replace(connection.settings, timeouts=Timeouts(**limits))
    return connection


def test_host_that_does_not_answer_ends_at_the_connect_limit(sshd: Sshd) -> None:
    with socket.socket() as full:
        # a queue of one that is full: further SYN packets are dropped, as by a host that is down
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = []
        for _ in range(3):
            client = socket.socket()
            client.settimeout(0)
            client.connect_ex(("127.0.0.1", port))
            waiting.append(client)
        with pytest.raises(ConnectTimeout, match="within 1 s"):
            with_limits(sshd.connection(ansible_port=port), connect_s=1.0).open()
        for client in waiting:
            client.close()


def test_server_without_a_banner_is_told_from_one_that_does_not_answer(sshd: Sshd) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        connection = with_limits(sshd.connection(ansible_port=mute.getsockname()[1]), banner_s=0.3)
        with pytest.raises(ConnectTimeout, match="no SSH banner"):
            connection.open()


def test_server_that_turns_the_first_away_is_asked_again(sshd: Sshd) -> None:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        port = door.getsockname()[1]
        sshd.known_hosts.write_text(sshd.known_hosts.read_text().replace(f":{sshd.port} ", f":{port} "))

        def serve() -> None:
            door.accept()[0].close()
            inner, _ = door.accept()
            outer = socket.create_connection(("127.0.0.1", sshd.port))
            for source, target in ((inner, outer), (outer, inner)):
                threading.Thread(target=relay, args=(source, target), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        connection = sshd.connection(ansible_port=port)
        assert connection.call(call("ping"))["ping"] == "pong"
        connection.close()


def relay(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


def test_noise_of_the_login_is_skipped_and_kept(start_sshd: StartSshd) -> None:
    noisy = "echo 'Welcome to the rack'; printf 'no newline'; echo 'module: not found' >&2; eval \"$SSH_ORIGINAL_COMMAND\""
    connection = start_sshd(f"ForceCommand {noisy}").connection()
    assert connection.call(call("command", {"cmd": "echo clean"}))["stdout"] == "clean"
    assert b"Welcome to the rack" in connection.agent().noise


def test_login_that_ends_at_once_is_told_with_its_words(start_sshd: StartSshd) -> None:
    with pytest.raises(LinkLost, match="This account is currently not available"):
        start_sshd("ForceCommand echo 'This account is currently not available.'; exit 1").connection().agent()


def test_no_python_is_told_and_raw_still_works(sshd: Sshd) -> None:
    connection = sshd.connection(ansible_python_interpreter="/opt/none/bin/python3")
    with pytest.raises(NoInterpreter, match="/opt/none/bin/python3"):
        connection.agent()
    assert connection.raw("echo still here").stdout == b"still here\n"


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho 'pyenv: python3: command not found' >&2\nexit 127\n", "not a program\n"]
)
def test_interpreter_that_does_not_work_is_passed_over(sshd: Sshd, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = sshd.folder / "python3"
    shim.write_text(text)
    shim.chmod(0o755)
    monkeypatch.setattr("ringup.transport.start.CANDIDATES", (str(shim), "/usr/bin/python3"))
    assert sshd.connection().agent().ready["executable"] == "/usr/bin/python3"


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_login_shells_start_the_agent(start_sshd: StartSshd, shell: str) -> None:
    connection = start_sshd(f'ForceCommand {shell} -c "$SSH_ORIGINAL_COMMAND"').connection()
    assert connection.call(call("ping"))["ping"] == "pong"


@pytest.mark.parametrize("letter", ["\n", "\\", "'", "!", "`"])
def test_first_stage_has_no_letter_that_csh_or_fish_read_in_their_own_way(letter: str) -> None:
    assert letter not in FIRST_STAGE


def test_session_that_one_connection_may_not_have_gets_a_further_connection(start_sshd: StartSshd) -> None:
    server = start_sshd("MaxSessions 1")
    connection = server.connection()
    assert connection.call(call("ping"))["ping"] == "pong"
    assert [connection.raw("echo raw").stdout for _ in range(2)] == [b"raw\n"] * 2
    assert len(server.sessions()) == 2
    connection.close()
    until(lambda: not server.sessions())


def test_password_never_shows_in_the_settings(sshd: Sshd) -> None:
    settings = sshd.settings(ansible_password="p4ss", ansible_become_password="b3come")
    assert "p4ss" not in repr(settings)
    assert "b3come" not in repr(settings)
