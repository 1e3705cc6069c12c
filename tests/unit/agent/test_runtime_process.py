"""Programs on the host: their output whole, their input ended, their groups gone."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ringup.agent.process import CommandTimeout, run


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_fifty_megabytes_on_both_streams_come_whole() -> None:
    result = run(["sh", "-c", "head -c 50000000 /dev/zero & head -c 50000000 /dev/zero >&2; wait"], on_line=lambda line: None)
    assert (len(result.stdout_bytes), len(result.stderr_bytes), result.rc) == (50_000_000, 50_000_000, 0)


def test_output_that_is_not_utf8_is_kept_and_shown_with_replacements() -> None:
    result = run(["printf", r"caf\351"])
    assert result.stdout_bytes == b"caf\xe9"
    assert result.stdout == "caf\ufffd"


def test_daemon_left_behind_does_not_hold_the_result() -> None:
    begin = time.monotonic()
    result = run(["sh", "-c", "sleep 60 & echo $!"])
    assert time.monotonic() - begin < 30
    os.kill(int(result.stdout), 9)


def test_program_past_its_limit_is_ended_with_its_whole_group(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    text = f"trap '' TERM; (trap '' TERM; echo $$ >> {pids}; exec sleep 600) & echo $! >> {pids}; wait; sleep 600"
    with pytest.raises(CommandTimeout, match=r"sh did not end within 0\.5 s"):
        run(["sh", "-c", text], timeout_s=0.5)
    assert not any(alive(int(pid)) for pid in pids.read_text().split())


def test_member_that_outlives_the_leader_of_an_ended_group_is_ended_too(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    with pytest.raises(CommandTimeout):
        run(["sh", "-c", f"(trap '' TERM; sleep 600; sleep 600) & echo $! > {pid}; wait"], timeout_s=0.5)
    assert not alive(int(pid.read_text()))


@pytest.mark.parametrize("size", [0, 1, 5_000_000])
def test_input_of_any_size_reaches_the_program_and_ends(size: int) -> None:
    assert run(["cat"], stdin=b"x" * size).stdout_bytes == b"x" * size


def test_program_that_does_not_read_its_input_ends_well() -> None:
    assert run(["true"], stdin=b"x" * 5_000_000).rc == 0


def test_program_without_input_reads_its_end() -> None:
    assert run(["cat"]).stdout == ""


def test_lines_are_told_while_the_program_runs() -> None:
    lines: list[str] = []
    run(["sh", "-c", r"printf 'one\ntw'; printf 'o\r50%%\r'; echo warning >&2; printf 'no end'"], on_line=lines.append)
    assert [line for line in lines if line != "warning"] == ["one", "two", "50%"]
    assert "warning" in lines


def test_negative_exit_code_names_the_signal() -> None:
    assert run(["sh", "-c", "kill -9 $$"]).rc == -9


def test_umask_folder_and_environment_are_the_ones_asked_for(tmp_path: Path) -> None:
    result = run(["sh", "-c", "umask; pwd; echo $GIVEN; echo ${HOME-gone}"], umask=0o077, cwd=str(tmp_path), env={"GIVEN": 1, "HOME": None})
    assert result.stdout.split() == ["0077", str(tmp_path), "1", "gone"]


def test_program_that_is_not_there_raises() -> None:
    with pytest.raises(FileNotFoundError):
        run(["/nowhere/program"])
