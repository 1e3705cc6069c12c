"""wait_for: ports and files that come and go."""

import socket
import threading

import pytest


@pytest.fixture
def listening():
    """A listening socket of this machine that says a word to whoever connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def speak():
            try:
                while True:
                    connection, _ = server.accept()
                    connection.sendall(b"220 ready version 7\r\n")
                    connection.close()
            except OSError:
                return

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        yield server
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_port_that_answers_is_started(run, listening):
    port = listening.getsockname()[1]
    result = run("wait_for", port=port, timeout=5)
    assert not result["changed"] and not result.get("failed") and result["port"] == port and result["elapsed"] == 0


def test_what_a_port_says_is_searched(run, listening):
    port = listening.getsockname()[1]
    result = run("wait_for", port=port, timeout=5, search_regex=r"version (?P<number>\d)")
    assert result["match_groups"] == ["7"] and result["match_groupdict"] == {"number": "7"}
    assert run("wait_for", port=port, timeout=0, sleep=0, search_regex="nothing")["failed"]


def test_a_port_that_opens_later_is_waited_for(run):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        opener = threading.Timer(0.3, reserved.listen)
        opener.start()
        assert not run("wait_for", port=port, timeout=10).get("failed")
        opener.join()


def test_a_closed_port_is_stopped_and_fails_started(run):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        assert not run("wait_for", port=port, state="stopped", timeout=5).get("failed")
        late = run("wait_for", port=port, timeout=0)
        assert late["failed"] and late["msg"] == f"Timeout when waiting for 127.0.0.1:{port}"
        assert run("wait_for", port=port, timeout=0, msg="the database is not up")["msg"] == "the database is not up"


def test_a_port_is_drained_when_nobody_is_connected(run, listening):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert not run("wait_for", port=port, state="drained", timeout=0).get("failed")
        with socket.create_connection(("127.0.0.1", port)), server.accept()[0]:
            args = {"port": port, "state": "drained", "timeout": 0}
            assert "to drain" in run("wait_for", **args)["msg"]
            assert not run("wait_for", exclude_hosts=["127.0.0.1"], **args).get("failed")
            assert not run("wait_for", active_connection_states=["SYN_RECV"], **args).get("failed")


def test_files_come_speak_and_go(run, tmp_path):
    path = tmp_path / "flag"
    assert not run("wait_for", path=str(path), state="absent", timeout=0).get("failed")
    assert run("wait_for", path=str(path), timeout=0)["msg"].startswith("Timeout when waiting for file")
    path.write_text("one\nready 3\n")
    assert run("wait_for", path=str(path), search_regex=r"^ready (\d)$", timeout=0)["match_groups"] == ["3"]
    assert "search string" in run("wait_for", path=str(path), search_regex="^never", timeout=0)["msg"]
    assert "to be absent" in run("wait_for", path=str(path), state="absent", timeout=0)["msg"]


def test_a_socket_file_is_there_although_it_cannot_be_opened(run, tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert not run("wait_for", path=str(tmp_path / "s"), timeout=0).get("failed")


def test_check_mode_does_not_wait(run):
    assert run("wait_for", check=True, path="/no/such", timeout=300)["skipped"]


@pytest.mark.parametrize(
    "args",
    [
        {"path": "/x", "port": 1},
        {"path": "/x", "state": "drained"},
        {"port": 1, "exclude_hosts": ["a"]},
        {"port": 1, "search_regex": "("},
        {"port": 1, "state": "drained", "active_connection_states": ["OPEN"]},
    ],
)
def test_options_that_do_not_fit_are_refused(run, args):
    result = run("wait_for", timeout=0, **args)
    assert result["failed"] and "exception" not in result
