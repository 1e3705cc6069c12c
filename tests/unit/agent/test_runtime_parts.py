"""The agent's small parts: spool, lock, uploads, environment, frames, bundle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.agent import bundle, environment, uploads, wire
from ringup.agent.folders import private_folder
from ringup.agent.lock import HostLock
from ringup.agent.spool import KEPT_S, Spool, start_of
from ringup.agent.uploads import Uploads


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool([str(tmp_path)])


def test_task_that_runs_is_told_from_one_that_ended_without_a_result(spool: Spool, tmp_path: Path) -> None:
    assert spool.begin("mine")
    assert spool.collect("mine") == ("running", os.getpid())
    (tmp_path / "task-gone.running").symlink_to(f"{os.getpid()}-1")
    assert spool.collect("gone") == ("lost", None)


def test_result_is_kept_until_it_has_arrived(spool: Spool, tmp_path: Path) -> None:
    spool.begin("mine")
    spool.keep("mine", {"rc": 0})
    assert spool.collect("mine") == ("done", {"rc": 0})
    spool.end("mine")
    assert list(tmp_path.iterdir()) == []


def test_result_in_the_spool_is_private(spool: Spool, tmp_path: Path) -> None:
    spool.keep("mine", {"stdout": "secret"})
    assert (tmp_path / "task-mine.json").stat().st_mode & 0o777 == 0o600


def test_task_that_was_asked_for_in_vain_cannot_begin(spool: Spool) -> None:
    assert spool.collect("late") == ("unknown", None)
    assert not spool.begin("late")


def test_result_goes_to_the_next_folder_when_the_first_is_full(tmp_path: Path) -> None:
    full = tmp_path / "full"
    second = tmp_path / "second"
    second.mkdir()
    spool = Spool([str(full), str(second)])
    spool.begin("mine")
    spool.keep("mine", {"rc": 0})
    assert spool.collect("mine") == ("done", {"rc": 0})


def test_forgotten_results_are_removed_after_a_day_and_running_tasks_are_not(spool: Spool, tmp_path: Path) -> None:
    spool.begin("runs")
    spool.keep("old", {})
    spool.keep("new", {})
    (tmp_path / "task-dead.running").symlink_to("1-1")
    old = time.time() - KEPT_S - 60
    for name in ("task-runs.running", "task-old.json", "task-dead.running"):
        os.utime(tmp_path / name, (old, old), follow_symlinks=False)
    spool.prune()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["task-new.json", "task-runs.running"]


def test_ended_process_that_nobody_has_asked_about_does_not_count_as_running() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    assert start_of(pid) == ""
    os.waitpid(pid, 0)
    assert start_of(pid) == ""


def test_folder_of_another_user_by_our_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / f"ringup-{os.getuid()}"
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    assert private_folder(str(tmp_path)) is None


def test_own_folder_is_made_private(tmp_path: Path) -> None:
    (tmp_path / f"ringup-{os.getuid()}").mkdir(mode=0o755)
    folder = private_folder(str(tmp_path))
    assert folder is not None
    assert Path(folder).stat().st_mode & 0o777 == 0o700


def test_lock_names_its_holder_and_is_free_again_when_its_process_is_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[2]); from ringup.agent.lock import HostLock; lock = HostLock([sys.argv[1]]);"
        "assert lock.take({'run': 'one', 'user': 'ada'}) is None; print('held', flush=True); time.sleep(600)"
    )
    root = str(Path(bundle.__file__).parents[2])
    holder = subprocess.Popen([sys.executable, "-c", program, path, root], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    lock = HostLock([path])
    assert lock.take({"run": "two"}) == {"run": "one", "user": "ada"}
    holder.kill()
    holder.communicate()
    assert lock.take({"run": "two"}) is None
    assert json.loads(Path(path).read_text()) == {"run": "two"}
    lock.release()


def test_lock_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"):
        HostLock([str(tmp_path / "lock")]).take({})


def test_lock_is_shared_with_later_agents_of_the_same_run_only(tmp_path: Path) -> None:
    path = [str(tmp_path / "lock")]
    first, second, other = HostLock(path), HostLock(path), HostLock(path)
    assert first.take({"run": "one"}) is None
    assert second.take({"run": "one"}) is None
    first.release()
    assert other.take({"run": "two"}) == {"run": "one"}
    second.release()
    assert other.take({"run": "two"}) is None
    other.release()


def test_upload_comes_in_pieces_is_private_and_goes_with_its_task(tmp_path: Path) -> None:
    kept = Uploads(str(tmp_path))
    message = {"uploads": {"content": "key-content"}}
    for piece in (b"one", b"two"):
        kept.receive({"upload": "key-content", "size": 6}, piece)
    path = Path(kept.named(message)["content"])
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"onetwo", 0o600)
    kept.forget(message)
    assert not path.exists()


def test_upload_that_cannot_be_kept_fails_its_own_task_only(tmp_path: Path) -> None:
    kept = Uploads(str(tmp_path / "missing"))
    kept.receive({"upload": "key-content", "size": 3}, b"one")
    kept.receive({"upload": "key-content", "size": 3}, b"two")
    with pytest.raises(OSError, match="No such file"):
        kept.named({"uploads": {"content": "key-content"}})
    kept.forget({"uploads": {"content": "key-content"}})
    with pytest.raises(OSError, match="never came"):
        kept.named({"uploads": {"content": "key-content"}})


def test_large_upload_does_not_go_to_the_folder_in_memory(tmp_path: Path) -> None:
    kept = Uploads(str(tmp_path))
    kept.receive({"upload": "big", "size": uploads.SMALL_BYTES + 1}, b"x")
    path = Path(kept.named({"uploads": {"content": "big"}})["content"])
    assert path.parent != tmp_path
    kept.clear()
    assert not path.exists()


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ({"https_proxy": "http://proxy:3128", "LC_TIME": "de_DE", "LANGUAGE": "de", "SHLVL": "1"}, {"https_proxy": "http://proxy:3128"}),
        (
            {"PATH": "/opt/site/bin:/usr/bin"},
            {"PATH": "/opt/site/bin:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin:/snap/bin"},
        ),
    ],
)
def test_tasks_see_what_the_host_set_in_one_locale(login: dict[str, str], expected: dict[str, str]) -> None:
    fresh = environment.fresh_environment(login, "C.UTF-8")
    assert {**expected, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}.items() <= fresh.items()
    assert set(fresh) == {*expected, "PATH", "LANG", "LC_ALL"}


messages = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), max_size=4)


@given(st.lists(st.tuples(messages, st.binary(max_size=50)), max_size=6), st.integers(1, 40))
def test_frames_come_out_as_they_went_in_whatever_the_pieces(frames: list[tuple[dict[str, object], bytes]], size: int) -> None:
    stream = b"".join(wire.encode(message, blob) for message, blob in frames)
    decoder = wire.Decoder()
    found = [frame for start in range(0, len(stream), size) for frame in decoder.feed(stream[start : start + size])]
    assert found == frames


@pytest.mark.parametrize("noise", [b"Connection closed by foreign host.\r\n", b"\0\0\0\x04\0\0\0\0nope"])
def test_bytes_that_are_no_frame_are_refused(noise: bytes) -> None:
    with pytest.raises(wire.ProtocolError):
        wire.Decoder().feed(noise)


def test_bundle_is_the_same_bytes_each_time_and_holds_no_controller_side() -> None:
    first = bundle.payload()
    bundle._packed.cache_clear()
    assert bundle.payload() == first
    assert first[:16].isdigit()
