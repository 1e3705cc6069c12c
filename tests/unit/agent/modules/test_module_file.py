"""file, stat and slurp."""

import base64
import hashlib
import os
import stat
import time

import pytest


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_a_folder_is_made_with_its_parents_changed_and_removed(run_four_times, tmp_path):
    path = str(tmp_path / "a" / "b")
    results = run_four_times(
        "file",
        wanted={"path": path, "state": "directory", "mode": "0750"},
        otherwise={"path": path, "state": "directory", "mode": "u=rwx,go="},
        removed={"path": str(tmp_path / "a"), "state": "absent"},
    )
    assert results[0]["mode"] == "0750" and results[0]["state"] == "directory" and results[0]["path"] == path
    assert [entry["after_header"] for entry in results[0]["diff"]] == [str(tmp_path / "a"), path]
    assert results[2]["mode"] == "0700"
    assert results[4]["state"] == "absent" and path in results[4]["diff"][0]["before"]


def test_a_link_is_made_led_elsewhere_and_removed(run_four_times, tmp_path):
    (tmp_path / "one").touch()
    (tmp_path / "two").touch()
    link = str(tmp_path / "link")
    run_four_times(
        "file",
        wanted={"path": link, "src": "one", "state": "link"},
        otherwise={"path": link, "src": str(tmp_path / "two"), "state": "link", "mode": "0600"},
        removed={"path": link, "state": "absent"},
    )
    assert mode_of(tmp_path / "two") == 0o600
    assert (tmp_path / "two").exists()


def test_a_hard_link_shares_its_file(run_four_times, tmp_path):
    (tmp_path / "one").write_text("x")
    (tmp_path / "two").write_text("y")
    path = str(tmp_path / "hard")
    run_four_times(
        "file",
        wanted={"path": path, "src": str(tmp_path / "one"), "state": "hard"},
        otherwise={"path": path, "src": str(tmp_path / "two"), "state": "hard", "force": True},
        removed={"path": path, "state": "absent"},
    )
    assert (tmp_path / "two").read_text() == "y"


def test_an_empty_file_is_touched_once_when_times_are_preserved(run_four_times, run, tmp_path):
    path = str(tmp_path / "stamp")
    args = {"path": path, "state": "touch", "mode": "0640", "modification_time": "preserve", "access_time": "preserve"}
    run_four_times("file", wanted=args, removed={"path": path, "state": "absent"})
    assert run("file", path=path, state="touch")["changed"]
    assert run("file", path=path, state="touch")["changed"]


def test_times_are_set_to_a_stamp(run_four_times, tmp_path):
    path = tmp_path / "stamped"
    path.touch()
    stamp = {"path": str(path), "state": "file", "modification_time": "202001020304.05"}
    run_four_times("file", wanted=stamp)
    assert time.strftime("%Y%m%d%H%M.%S", time.localtime(path.stat().st_mtime)) == "202001020304.05"


def test_a_tree_gets_modes_that_tell_folders_from_files(run_four_times, tmp_path):
    inner = tmp_path / "tree" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").touch(mode=0o600)
    (inner / "loop").symlink_to(tmp_path / "tree")
    run_four_times("file", wanted={"path": str(tmp_path / "tree"), "state": "directory", "recurse": True, "mode": "u=rwX,g=rX,o="})
    assert mode_of(inner) == 0o750 and mode_of(inner / "file") == 0o640


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"state": "file"}, "is absent, cannot continue"),
        ({"state": "link", "src": "missing"}, "src file does not exist"),
        ({"state": "link"}, "src is required"),
        ({"state": "hard", "src": "/no/such"}, "src does not exist"),
        ({"state": "touch", "recurse": True}, "recurse option requires"),
        ({"state": "directory", "src": "/etc"}, "src option requires"),
        ({"state": "directory", "mode": "99"}, None),
        ({"state": "directory", "mode": "u=z"}, "is not a file mode"),
        ({"state": "directory", "owner": "nobody-here"}, "user 'nobody-here' does not exist"),
        ({"state": "touch", "modification_time": "yesterday"}, "is no time in the format"),
        ({"stat": "directory"}, "unknown option 'stat'"),
    ],
)
def test_what_cannot_be_is_said_in_words(run, tmp_path, args, words):
    result = run("file", path=str(tmp_path / "subject"), **args)
    assert result["failed"] and "exception" not in result
    assert words is None or words in result["msg"]


def test_a_full_folder_and_the_root_are_never_replaced(run, tmp_path):
    (tmp_path / "full" / "inner").mkdir(parents=True)
    assert "not empty" in run("file", path=str(tmp_path / "full"), src="/etc", state="link", force=True)["msg"]
    assert "root of the file system" in run("file", path="/", state="absent", check=True)["msg"]


def test_a_user_that_an_earlier_task_will_make_is_a_change_in_check_mode(run, tmp_path):
    assert run("file", path=str(tmp_path), owner="made-by-an-earlier-task", check=True)["changed"]
    assert run("file", path=str(tmp_path), owner="made-by-an-earlier-task")["failed"]


@pytest.mark.parametrize(
    ("text", "current", "is_folder", "expected"),
    [
        ("0644", 0o777, False, 0o644),
        ("644", 0o777, False, 0o644),
        ("0o755", 0, False, 0o755),
        ("1777", 0, True, 0o1777),
        ("u=rw,g=r,o=", 0o777, False, 0o640),
        ("a+x", 0o644, False, 0o755),
        ("u+x,g-w", 0o664, False, 0o744),
        ("u+rw-x", 0o500, False, 0o600),
        ("g=u", 0o640, False, 0o660),
        ("o=", 0o1777, True, 0o770),
        ("u+s,o+t", 0o755, True, 0o5755),
        ("a=rX", 0o600, False, 0o444),
        ("a=rX", 0o600, True, 0o555),
    ],
)
def test_modes_are_read_as_chmod_and_ansible_read_them(text, current, is_folder, expected):
    from ringup.agent.modes import parse_mode

    assert parse_mode(text, current, is_folder) == expected


def test_stat_tells_what_is_at_a_path(run, tmp_path):
    path = tmp_path / "file"
    path.write_text("content\n")
    path.chmod(0o4640)
    found = run("stat", path=str(path))["stat"]
    assert found["exists"] and found["isreg"] and not found["isdir"] and found["isuid"]
    assert (found["size"], found["mode"], found["checksum"]) == (8, "4640", hashlib.sha1(b"content\n").hexdigest())
    assert found["rusr"] and found["rgrp"] and not found["roth"]
    assert run("stat", path=str(path), checksum_algorithm="sha256")["stat"]["checksum"] == hashlib.sha256(b"content\n").hexdigest()


def test_stat_looks_at_a_link_or_through_it(run, tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to("target")
    link = run("stat", path=str(tmp_path / "link"))["stat"]
    assert link["islnk"] and link["lnk_target"] == "target" and link["lnk_source"] == os.path.realpath(tmp_path / "target")
    assert run("stat", path=str(tmp_path / "link"), follow=True)["stat"]["isdir"]
    assert run("stat", path=str(tmp_path / "none"))["stat"] == {"exists": False}


def test_slurp_gives_bytes_in_base64(run, tmp_path):
    (tmp_path / "f").write_bytes(b"\x00\xff")
    result = run("slurp", src=str(tmp_path / "f"))
    assert base64.b64decode(result["content"]) == b"\x00\xff" and result["encoding"] == "base64"
    assert "file not found" in run("slurp", path=str(tmp_path / "none"))["msg"]
    assert "is a directory" in run("slurp", path=str(tmp_path))["msg"]
