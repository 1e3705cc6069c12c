from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ringup.errors import LabError
from ringup.lab import identity, keys, processes, state
from ringup.lab.plan import RackSpec, plan


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RINGUP_LAB_HOME", str(tmp_path))
    return tmp_path


def begun(home: Path) -> state.State:
    rack = plan(RackSpec("lab", 2, "none"), 5, home)
    return state.State(rack, "making", rack.things(), Path("/somewhere/lab.yaml"))


def test_what_is_written_is_read_again(home: Path) -> None:
    written = begun(home)
    state.write(written)
    assert state.read("lab") == written
    state.write(written.in_phase("going"))
    assert state.phase_of(home / "lab") == "going"
    assert state.names() == ("lab",)


def test_the_state_is_for_its_owner_only(home: Path) -> None:
    state.write(begun(home))
    assert (home / "lab").stat().st_mode & 0o777 == 0o700
    assert (home / "lab" / "rack.json").stat().st_mode & 0o777 == 0o600


def test_a_rack_that_is_not_there_is_none(home: Path) -> None:
    assert state.read("lab") is None
    assert state.phase_of(home / "lab") is None
    assert state.names() == ()


@pytest.mark.parametrize("text", ["{", json.dumps({"version": 99})])
def test_a_state_file_of_somebody_else_is_an_error_that_names_it(home: Path, text: str) -> None:
    (home / "lab").mkdir()
    (home / "lab" / "rack.json").write_text(text)
    with pytest.raises(LabError) as refused:
        state.read("lab")
    assert refused.value.where == str(home / "lab" / "rack.json")
    assert refused.value.hint


def test_a_recorded_process_is_ended_and_a_later_one_of_its_number_is_not(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        handle = processes.handle_of(sleeper.pid)
        assert handle is not None
        processes.record(tmp_path / "sleeper.json", handle)
        assert processes.recorded(tmp_path / "sleeper.json") == handle
        stranger = processes.Handle(handle.pid, handle.started - 1)
        assert processes.kill(stranger)
        assert handle.alive
        assert processes.kill(handle)
        assert not handle.alive


def test_a_record_that_is_missing_or_broken_names_no_process(tmp_path: Path) -> None:
    assert processes.recorded(tmp_path / "none.json") is None
    (tmp_path / "broken.json").write_text('{"pid": 1}')
    assert processes.recorded(tmp_path / "broken.json") is None


def test_this_process_has_a_start_time() -> None:
    assert processes.start_of(os.getpid())
    assert processes.start_of(2**22 + 1) is None


def test_hosts_know_each_other_by_name(home: Path) -> None:
    rack = begun(home).rack
    lines = identity.hosts_file(rack, rack.host("node01")).splitlines()
    assert "127.0.1.1 node01" in lines
    assert "198.18.5.2 node02" in lines
    assert "198.19.5.1 node01-ring" in lines
    assert "198.18.5.1 node01" not in lines


def test_a_password_is_set_for_one_account_and_no_other(tmp_path: Path) -> None:
    shadow = tmp_path / "shadow"
    shadow.write_text("root:*:1:0:::::\nsecured:!:2:0:::::\nsecured2:!:3:0:::::\n")
    identity.set_password(shadow, "secured", "$6$x")
    assert shadow.read_text() == "root:*:1:0:::::\nsecured:$6$x:2:0:::::\nsecured2:!:3:0:::::\n"


def test_a_new_key_is_one_that_openssh_reads(tmp_path: Path) -> None:
    pair = keys.new_pair()
    private = tmp_path / "key"
    private.write_text(pair.private)
    private.chmod(0o600)
    shown = subprocess.run(["ssh-keygen", "-y", "-f", private], capture_output=True, text=True, check=True).stdout
    assert shown.split()[:2] == pair.public.split()
