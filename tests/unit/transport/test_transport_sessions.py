"""Tasks over a connection that goes away, agents that outlive it, files both ways, the host's lock, jump hosts."""

from __future__ import annotations

import getpass
import hashlib
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from loopback import Sshd, call, children, until

from ringup.errors import ConnectionFailed, HostLocked, InputError, LinkLost
from ringup.transport import connection as connections
from ringup.transport import link
from ringup.transport.jumps import JUMPS

StartSshd = Callable[..., Sshd]


def slow_append(mark: Path, begun: Path) -> str:
    """A shell text that says that it has begun, waits for its release, and leaves a line behind."""
    return f"touch {begun}; while [ ! -e {begun}.go ]; do sleep 0.05; done; echo done >> {mark}; echo finished"


def release(begun: Path) -> None:
    begun.with_name(begun.name + ".go").touch()


def test_result_is_collected_when_sshd_is_killed_in_the_middle_of_a_task(sshd: Sshd, tmp_path: Path) -> None:
    mark, begun = tmp_path / "mark", tmp_path / "begun"
    connection = sshd.connection()
    connection.agent()
    (session,) = sshd.sessions()

    def kill() -> None:
        until(begun.exists)
        os.kill(session, signal.SIGKILL)
        for pid in children(session):
            os.kill(pid, signal.SIGKILL)
        release(begun)

    killer = threading.Thread(target=kill)
    killer.start()
    result = connection.call(call("shell", {"cmd": slow_append(mark, begun)}))
    killer.join()
    assert result["stdout"] == "finished"
    assert mark.read_text() == "done\n"


def test_result_is_collected_from_an_agent_that_has_not_noticed_the_dead_connection(
    sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, begun = tmp_path / "mark", tmp_path / "begun"
    monkeypatch.setattr(link, "SILENCE_S", 1.0)
    connection = sshd.connection()
    connection.agent()
    (session,) = sshd.sessions()

    def freeze() -> None:
        until(begun.exists)
        os.kill(session, signal.SIGSTOP)
        until(lambda: len(sshd.sessions()) == 2)
        release(begun)

    freezer = threading.Thread(target=freeze)
    freezer.start()
    result = connection.call(call("shell", {"cmd": slow_append(mark, begun)}))
    freezer.join()
    assert result["stdout"] == "finished"
    assert mark.read_text() == "done\n"


def test_result_that_was_sent_and_never_read_is_collected_and_the_task_not_run_again(sshd: Sshd, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    first = sshd.connection()
    agent = first.agent()
    sent = call("shell", {"cmd": f"echo done >> {mark}"})
    agent._send_task(1, sent)
    until(mark.exists)
    for pid in sshd.sessions():
        os.kill(pid, signal.SIGKILL)
    state, result = sshd.connection().agent().collect(sent.key)
    assert state == "done"
    assert result is not None and result["rc"] == 0
    assert mark.read_text() == "done\n"


def test_collected_result_is_forgotten_and_a_task_that_never_began_cannot_begin_later(sshd: Sshd) -> None:
    agent = sshd.connection().agent()
    asked = call("command", {"cmd": "true"})
    assert agent.collect(asked.key) == ("unknown", None)
    assert "given up" in agent.call(asked)["msg"]
    assert agent.call(asked.again())["rc"] == 0


def test_task_finishes_and_waits_in_the_spool_when_the_controller_is_killed(sshd: Sshd, tmp_path: Path) -> None:
    mark, begun = tmp_path / "mark", tmp_path / "begun"
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from ringup.transport.connection import HostConnection
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings
settings = ConnectionSettings(name="node01", address="127.0.0.1", port={sshd.port}, private_key=Path({str(sshd.key)!r}),
                              known_hosts=(Path({str(sshd.known_hosts)!r}),))
HostConnection(settings).call(Call("shell", {{"cmd": {slow_append(mark, begun)!r}}}, "key-of-a-killed-controller-{os.getpid()}"))
"""
    controller = subprocess.Popen([sys.executable, "-c", program])
    until(begun.exists)
    controller.kill()
    controller.wait()
    until(lambda: not sshd.sessions())
    release(begun)
    state, result = sshd.connection().agent().collect(f"key-of-a-killed-controller-{os.getpid()}")
    assert state == "done"
    assert result is not None and result["stdout"] == "finished"


def test_task_that_has_no_meaning_without_its_controller_ends_with_it(sshd: Sshd, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    connection = sshd.connection()
    text = f"sleep 600 & echo $! >> {pids}; echo $$ >> {pids}; trap '' TERM; wait; sleep 600"

    def run() -> None:
        with pytest.raises(LinkLost):
            connection.call(call("shell", {"cmd": text}, dies_with_controller=True))

    runner = threading.Thread(target=run)
    runner.start()
    until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    for pid in sshd.sessions():
        os.kill(pid, signal.SIGKILL)
    runner.join()
    for pid in pids.read_text().split():
        until(lambda pid=pid: not alive(int(pid)))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_host_that_does_not_come_back_is_given_up(sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "RECONNECT_S", 0.3)
    begun = tmp_path / "begun"
    connection = sshd.connection()

    def kill() -> None:
        until(begun.exists)
        for pid in (sshd.process.pid, *sshd.sessions()):
            os.kill(pid, signal.SIGKILL)
        release(begun)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(ConnectionFailed, match="refused the connection"):
        connection.call(call("shell", {"cmd": slow_append(tmp_path / "mark", begun)}))
    killer.join()


def test_cancelled_task_ends_with_its_programs_and_says_so(sshd: Sshd, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    connection = sshd.connection()

    def cancel() -> None:
        until(begun.exists)
        connection.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    result = connection.call(call("shell", {"cmd": f"echo $$ > {begun}.new; mv {begun}.new {begun}; sleep 600"}))
    canceller.join()
    assert result["failed"]
    assert "cancelled" in result["msg"]
    assert not alive(int(begun.read_text()))
    assert connection.call(call("ping"))["ping"] == "pong"


def test_task_past_its_limit_ends_with_its_programs(sshd: Sshd, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    result = sshd.connection().call(call("shell", {"cmd": f"sleep 600 & echo $! > {pid}; wait"}, timeout_s=0.5))
    assert result["failed"]
    assert result["timedout"] == {"period": 0.5}
    assert not alive(int(pid.read_text()))


def test_output_larger_than_every_window_comes_whole(sshd: Sshd) -> None:
    result = sshd.connection().call(
        call("shell", {"cmd": "head -c 50000000 /dev/zero | tr '\\0' x; head -c 5000000 /dev/zero | tr '\\0' y >&2"})
    )
    assert (len(result["stdout"]), len(result["stderr"])) == (50_000_000, 5_000_000)


def test_raw_output_on_both_streams_comes_whole_with_the_exit_status(sshd: Sshd) -> None:
    answer = sshd.connection().raw("head -c 8000000 /dev/zero >&2; head -c 8000000 /dev/zero; exit 7")
    assert (answer.rc, len(answer.stdout), len(answer.stderr)) == (7, 8_000_000, 8_000_000)


def test_raw_command_that_reads_its_input_meets_its_end(sshd: Sshd) -> None:
    assert sshd.connection().raw("cat", stdin=b"given").stdout == b"given"
    assert sshd.connection().raw("cat; echo over").stdout == b"over\n"


def test_raw_command_past_its_limit_is_left(sshd: Sshd) -> None:
    with pytest.raises(LinkLost, match=r"within 0\.3 s"):
        sshd.connection().raw("sleep 600", timeout_s=0.3)


def test_files_go_both_ways_without_sftp(sshd: Sshd, tmp_path: Path) -> None:
    content = os.urandom(1 << 20) * 21
    source, target, back = tmp_path / "source", tmp_path / "target", io.BytesIO()
    source.write_bytes(content)
    connection = sshd.connection()
    args = {"upload": "content", "dest": str(target), "checksum": hashlib.sha1(content).hexdigest()}
    uploaded = connection.call(call("copy", {key: value for key, value in args.items() if key != "checksum"}, uploads={"content": source}))
    assert uploaded.get("changed"), uploaded
    assert target.read_bytes() == content
    connection.call(call("send_file", {"src": str(target)}, sink=back))
    assert back.getvalue() == content


def test_second_run_is_told_who_holds_the_host_until_the_first_leaves(sshd: Sshd) -> None:
    first, second = sshd.connection(), sshd.connection()
    first.lock({"run": "one", "user": "ada", "host": "desk", "pid": 7, "since": "noon"}, 0.0)
    with pytest.raises(HostLocked, match="ada@desk, run one, process 7, since noon"):
        second.lock({"run": "two", "user": "bob"}, 0.0)
    first.close()
    second.lock({"run": "two", "user": "bob"}, 30.0)


def test_lock_is_kept_over_a_lost_connection(sshd: Sshd, tmp_path: Path) -> None:
    mark, begun = tmp_path / "mark", tmp_path / "begun"
    first, second = sshd.connection(), sshd.connection()
    first.lock({"run": "one", "user": "ada", "host": "desk"}, 0.0)
    (session,) = sshd.sessions()

    def kill() -> None:
        until(begun.exists)
        os.kill(session, signal.SIGKILL)
        release(begun)

    killer = threading.Thread(target=kill)
    killer.start()
    assert first.call(call("shell", {"cmd": slow_append(mark, begun)}))["stdout"] == "finished"
    killer.join()
    with pytest.raises(HostLocked, match="ada@desk"):
        second.lock({"run": "two"}, 0.3)


def through(gate: Sshd) -> dict[str, str]:
    return {"ansible_ssh_common_args": f"-o ProxyJump={getpass.getuser()}@127.0.0.1:{gate.port}"}


def trusting(*servers: Sshd) -> None:
    together = "".join(server.known_hosts.read_text() for server in servers)
    for server in servers:
        server.known_hosts.write_text(together)


def authorized(server: Sshd, key_of: Sshd) -> None:
    (server.folder / "authorized_keys").write_text((key_of.folder / "operator.pub").read_text())


def test_hosts_behind_a_jump_host_share_one_connection_to_it(start_sshd: StartSshd) -> None:
    gate, inner = start_sshd(), start_sshd()
    trusting(gate, inner)
    authorized(gate, inner)
    one, two = inner.connection(**through(gate)), inner.connection(**through(gate))
    assert one.call(call("ping"))["ping"] == two.call(call("ping"))["ping"] == "pong"
    assert len(gate.sessions()) == 1
    assert one.local_address() == ""
    one.close()
    assert two.call(call("ping"))["ping"] == "pong"
    two.close()
    until(lambda: not gate.sessions())
    assert JUMPS._gates == {}


def test_chain_of_jump_hosts_from_the_ssh_configuration(start_sshd: StartSshd, home: Path) -> None:
    outer, gate, inner = start_sshd(), start_sshd(), start_sshd()
    trusting(outer, gate, inner)
    for server in (outer, gate):
        authorized(server, inner)
    (home / ".ssh" / "racks").write_text(
        f"Host outer\n HostName 127.0.0.1\n Port {outer.port}\nHost gate\n HostName 127.0.0.1\n Port {gate.port}\n ProxyJump outer\n"
    )
    (home / ".ssh" / "config").write_text(
        f"Include racks\nHost node01\n HostName 127.0.0.1\n Port {inner.port}\n User {getpass.getuser()}\n ProxyJump gate\n"
        f" IdentityFile {inner.key}\n UserKnownHostsFile {inner.known_hosts}\n"
        f"Host outer gate\n IdentityFile {inner.key}\n UserKnownHostsFile {inner.known_hosts}\n"
    )
    names = ("ansible_host", "ansible_port", "ansible_user", "ansible_ssh_private_key_file", "ringup_known_hosts_file")
    connection = inner.connection(**dict.fromkeys(names))
    assert connection.call(call("ping"))["ping"] == "pong"
    assert len(outer.sessions()) == len(gate.sessions()) == 1


def test_jump_host_that_cannot_reach_the_host_is_named(start_sshd: StartSshd, sshd: Sshd) -> None:
    gate = start_sshd("AllowTcpForwarding no")
    trusting(gate, sshd)
    authorized(gate, sshd)
    with pytest.raises(ConnectionFailed) as refused:
        sshd.connection(**through(gate)).open()
    assert "AllowTcpForwarding" in str(refused.value.hint)
    assert JUMPS._gates == {}


def test_jump_hosts_in_a_circle_are_refused(sshd: Sshd, home: Path) -> None:
    (home / ".ssh" / "config").write_text("Host a\n ProxyJump b\nHost b\n ProxyJump a\n")
    with pytest.raises(InputError, match="a:22 -> b:22 -> a:22"):
        sshd.connection(ansible_host="a", ansible_port=None).open()


def test_local_connection_runs_the_same_agent(sshd: Sshd) -> None:
    connection = sshd.connection(ansible_connection="local")
    assert connection.call(call("command", {"cmd": "echo here"}))["stdout"] == "here"
    assert connection.raw("echo raw; exit 2").rc == 2
