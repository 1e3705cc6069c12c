"""Reaching real hosts: su, requiretty, no Python, a login that ends while its task goes on, sudo over a lost connection."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ringup.errors import BecomeFailed, NoInterpreter
from ringup.lab import rack as lab
from ringup.lab import waiting
from ringup.lab.rack import LabHost, Rack
from ringup.transport.connection import HostConnection
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings

Connect = Callable[..., HostConnection]
PASSWORD = "open-5esame"


@pytest.fixture
def connect(rack: Rack, host: LabHost) -> Iterator[Connect]:
    """connect(ansible_user="root"): a connection to the first host, closed behind the test."""
    opened: list[HostConnection] = []

    def make(**variables: Any) -> HostConnection:
        merged = {
            "ansible_host": host.address,
            "ansible_user": "operator",
            "ansible_ssh_private_key_file": str(rack.key),
            "ringup_known_hosts_file": str(rack.known_hosts),
            **variables,
        }
        opened.append(HostConnection(ConnectionSettings.from_variables(host.name, merged)))
        return opened[-1]

    yield make
    for connection in opened:
        connection.close()


def call(text: str, **options: Any) -> Call:
    return Call("shell", {"cmd": text}, uuid.uuid4().hex, **options)


@pytest.fixture
def root_password(host: LabHost) -> Iterator[str]:
    host.ssh("chpasswd", user="root", stdin=f"root:{PASSWORD}\n")
    yield PASSWORD
    host.ssh("passwd -d root && passwd -l root", user="root")


def test_su_with_its_password(connect: Connect, root_password: str) -> None:
    connection = connect(ansible_become_method="su", ansible_become_password=root_password)
    assert connection.call(call("id -un"), "root")["stdout"] == "root"
    assert connection.raw("id -un; cat", stdin=b"given", become_user="root").stdout == b"root\ngiven"


def test_su_from_root_asks_nothing_and_sends_no_password_into_the_program(connect: Connect) -> None:
    connection = connect(ansible_user="root", ansible_become_method="su", ansible_become_password="never asked for")
    assert connection.call(call("id -un"), "operator")["stdout"] == "operator"
    assert connection.raw("id -un; cat", become_user="operator").stdout == b"operator\n"


@pytest.mark.parametrize(("given", "said"), [("wrong", "Authentication failure"), (None, "asks for a password")])
def test_su_that_refuses_is_told_in_its_words(connect: Connect, root_password: str, given: str | None, said: str) -> None:
    connection = connect(ansible_become_method="su", **({"ansible_become_password": given} if given else {}))
    with pytest.raises(BecomeFailed, match=said) as refused:
        connection.agent("root")
    assert "ansible_become_password" in str(refused.value.hint)


def test_requiretty_is_named_as_what_refuses(connect: Connect, host: LabHost) -> None:
    host.ssh("echo 'Defaults:operator requiretty' > /etc/sudoers.d/zz-tty", user="root")
    try:
        with pytest.raises(BecomeFailed, match="tty") as refused:
            connect().agent("root")
        assert "requiretty" in str(refused.value.hint)
    finally:
        host.ssh("rm /etc/sudoers.d/zz-tty", user="root")


def test_user_without_any_sudo_rights_is_told(connect: Connect, host: LabHost) -> None:
    host.ssh("mv /etc/sudoers.d/operator /root/operator.away 2>/dev/null || mv /etc/sudoers.d/*operator* /root/operator.away", user="root")
    try:
        with pytest.raises(BecomeFailed, match="a password is required"):
            connect().agent("root")
    finally:
        host.ssh("mv /root/operator.away /etc/sudoers.d/operator", user="root")


def test_become_to_a_user_who_is_not_root(connect: Connect) -> None:
    connection = connect()
    assert connection.call(call("id -un; pwd; umask"), "secured")["stdout"].split() == ["secured", "/home/secured", "0022"]


@pytest.fixture
def without_python(host: LabHost) -> Iterator[None]:
    away = "for p in /usr/bin/python3*; do [ -e $p ] && mv $p /root/${p##*/}.away; done"
    back = "for p in /root/python3*.away; do n=${p##*/}; mv $p /usr/bin/${n%.away}; done"
    host.ssh(away, user="root")
    yield
    host.ssh(back, user="root")


@pytest.mark.usefixtures("without_python")
def test_host_without_python_is_told_and_raw_works(connect: Connect) -> None:
    connection = connect()
    with pytest.raises(NoInterpreter) as refused:
        connection.agent()
    assert "bootstrap" in str(refused.value.hint)
    assert connection.raw("id -un").stdout == b"operator\n"
    assert connection.raw("id -un", become_user="root").stdout == b"root\n"
    with pytest.raises(NoInterpreter):
        connection.agent("root")


@pytest.mark.parametrize("user", [None, "root"])
def test_result_outlives_the_connection_also_under_sudo(connect: Connect, host: LabHost, user: str | None) -> None:
    connection = connect()
    connection.agent(user)
    text = "rm -f /tmp/go-on; touch /tmp/begun; while [ ! -e /tmp/go-on ]; do sleep 0.1; done; echo once >> /tmp/mark; id -un"

    def kill() -> None:
        assert waiting.until(lambda: host.ssh("test -e /tmp/begun", user="root").returncode == 0)
        killed.append(host.ssh("pkill -KILL -f '^sshd: operator' && touch /tmp/go-on", user="root").returncode)

    killed: list[int] = []
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        assert connection.call(call(text), user)["stdout"] == (user or "operator")
        killer.join()
        assert killed == [0]
        assert host.ssh("cat /tmp/mark", user="root").stdout == "once\n"
    finally:
        killer.join()
        host.ssh("rm -f /tmp/mark /tmp/begun /tmp/go-on", user="root")


def test_result_waits_for_its_controller_after_the_last_session_of_the_user(connect: Connect, rack: Rack, host: LabHost) -> None:
    first = connect()
    agent = first.agent()
    sent = call("sleep 1; echo waited")
    agent._send_task(1, sent)
    assert waiting.until(lambda: host.ssh("pgrep -x sleep", user="root").returncode == 0)
    assert host.ssh("pkill -KILL -f '^sshd: operator'", user="root").returncode == 0
    # logind removes /run/user/UID some time after the user's last session has ended
    assert waiting.until(lambda: host.ssh("test -e /run/user/$(id -u operator)", user="root").returncode != 0, 60.0)
    state, result = connect().agent().collect(sent.key)
    assert state == "done"
    assert result is not None and result["stdout"] == "waited"


def test_agent_works_on_a_full_disk(connect: Connect, rack: Rack, host: LabHost) -> None:
    lab.fault(rack, host.name, "disk-full")
    connection = connect()
    connection.lock({"run": str(os.getpid()), "user": "ada"}, 5.0)
    assert connection.call(call("echo fine"))["stdout"] == "fine"
    assert connection.call(call("echo fine"), "root")["stdout"] == "fine"
    result = connection.call(
        Call("copy", {"dest": "/home/operator/big", "upload": "content"}, uuid.uuid4().hex, uploads={"content": b"x" * (32 << 20)})
    )
    assert result["failed"]
    assert "No space left on device" in result["msg"]
    assert connection.call(call("echo fine"))["stdout"] == "fine"
