"""find, tempfile and assemble."""

import os
import stat
import time
from pathlib import Path

import pytest


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "a.log").write_text("first\nerror here\n")
    (tmp_path / "b.txt").write_bytes(b"x" * 2048)
    (tmp_path / ".hidden.log").touch()
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "sub" / "c.log").touch(mode=0o600)
    (tmp_path / "sub" / "deep" / "d.log").touch()
    (tmp_path / "link.log").symlink_to("a.log")
    old = time.time() - 3 * 86400
    os.utime(tmp_path / "b.txt", (old, old))
    (tmp_path / "a.log").chmod(0o644)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, ["a.log", "b.txt"]),
        ({"patterns": "*.log"}, ["a.log"]),
        ({"patterns": ["*.log", "*.txt"], "excludes": "b*"}, ["a.log"]),
        ({"patterns": r"[ab]\..*", "use_regex": True}, ["a.log", "b.txt"]),
        ({"patterns": "*.log", "hidden": True}, [".hidden.log", "a.log"]),
        ({"patterns": "*.log", "recurse": True}, ["a.log", "sub/c.log", "sub/deep/d.log"]),
        ({"patterns": "*.log", "recurse": True, "depth": 2}, ["a.log", "sub/c.log"]),
        ({"file_type": "directory", "recurse": True}, ["sub", "sub/deep"]),
        ({"file_type": "link"}, ["link.log"]),
        ({"file_type": "any"}, ["a.log", "b.txt", "link.log", "sub"]),
        ({"age": "2d"}, ["b.txt"]),
        ({"age": "-1h"}, ["a.log"]),
        ({"size": "1k"}, ["b.txt"]),
        ({"size": "-1k"}, ["a.log"]),
        ({"contains": "error.*"}, ["a.log"]),
        ({"contains": "here"}, []),
        ({"contains": "here", "read_whole_file": True}, ["a.log"]),
        ({"mode": "0600", "recurse": True}, ["sub/c.log"]),
        ({"mode": "u=rw,g=r,o=r", "patterns": "a*"}, ["a.log"]),
        ({"mode": "o=r", "exact_mode": False, "recurse": True, "patterns": "[ac]*"}, ["a.log"]),
    ],
)
def test_find_gives_what_is_asked_for(run, tree, args, expected):
    result = run("find", paths=str(tree), **args)
    assert sorted(os.path.relpath(entry["path"], tree) for entry in result["files"]) == sorted(expected)
    assert result["matched"] == len(expected) and not result["changed"]


def test_find_tells_what_was_found_and_what_was_not_looked_at(run, tree):
    result = run("find", paths=[str(tree), "/no/such"], patterns="a.log", get_checksum=True)
    (found,) = result["files"]
    assert found["mode"] == "0644" and found["size"] == 17 and len(found["checksum"]) == 40
    assert result["skipped_paths"] == {"/no/such": "'/no/such' is not a directory"}
    assert len(run("find", paths=str(tree), limit=1, recurse=True)["files"]) == 1


@pytest.mark.parametrize("args", [{"age": "old"}, {"size": "big"}, {"limit": 0}, {"patterns": "(", "use_regex": True}])
def test_find_refuses_what_it_cannot_read(run, tree, args):
    result = run("find", paths=str(tree), **args)
    assert result["failed"] and "exception" not in result


@pytest.mark.parametrize("state", ["file", "directory"])
def test_a_temporary_path_is_private(run, tmp_path, state):
    args = {"state": state, "path": str(tmp_path), "prefix": "p.", "suffix": ".s"}
    assert run("tempfile", check=True, **args)["skipped"] and not list(tmp_path.iterdir())
    result = run("tempfile", **args)
    assert result["changed"] and result["state"] == state
    assert Path(result["path"]).name.startswith("p.") and result["path"].endswith(".s")
    assert stat.S_IMODE(os.lstat(result["path"]).st_mode) & 0o077 == 0


def test_fragments_become_one_file(run_four_times, tmp_path):
    (tmp_path / "d").mkdir()
    for name, content in (("20-b", "two"), ("10-a", "one\n"), (".hidden", "no\n"), ("30-c", "three\n")):
        (tmp_path / "d" / name).write_text(content)
    dest = tmp_path / "whole"
    args = {"src": str(tmp_path / "d"), "dest": str(dest), "ignore_hidden": True, "mode": "0600"}
    results = run_four_times("assemble", wanted=args, otherwise=dict(args, delimiter=r"---\n", regexp="^[12]"))
    assert dest.read_text() == "one\n---\ntwo" and results[0]["mode"] == "0600"
    assert results[0]["diff"][0]["after"] == "one\ntwo\nthree\n"


def test_a_refused_assembly_changes_nothing(run, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_text("bad")
    result = run("assemble", src=str(tmp_path / "d"), dest=str(tmp_path / "whole"), validate="grep good %s")
    assert result["failed"] and not (tmp_path / "whole").exists()
    assert "is not a directory" in run("assemble", src=str(tmp_path / "none"), dest="/x")["msg"]
    assert "cannot be 'False'" in run("assemble", src=str(tmp_path), dest="/x", remote_src=False)["msg"]
