"""copy: the host's side of copy and template."""

import base64
import hashlib
import os
import stat
from pathlib import Path

import pytest

from ringup.agent.host import Host
from ringup.agent.task import perform_at_once


def sha1(content):
    return hashlib.sha1(content).hexdigest()


def test_content_is_written_changed_and_converges(run_four_times, tmp_path):
    dest = str(tmp_path / "etc" / "conf")
    (tmp_path / "etc").mkdir()
    results = run_four_times(
        "copy",
        wanted={"dest": dest, "content": "one\n", "mode": "0600"},
        otherwise={"dest": dest, "content": "two\n", "mode": "0600", "backup": True},
        removed={"dest": dest, "content_b64": base64.b64encode(b"\x00\xff").decode()},
    )
    assert results[0]["diff"] == [{"before_header": dest, "after_header": dest, "before": "", "after": "one\n"}]
    assert (results[0]["mode"], results[0]["state"], results[0]["size"]) == ("0600", "file", 4)
    assert results[0]["checksum"] == sha1(b"one\n") and results[0]["dest"] == dest
    assert Path(results[2]["backup_file"]).read_text() == "one\n"
    assert Path(dest).read_bytes() == b"\x00\xff"


def test_a_mode_alone_changes_a_file_without_writing_it(run, run_four_times, tmp_path):
    dest = tmp_path / "file"
    dest.write_text("same")
    inode = dest.stat().st_ino
    run_four_times("copy", wanted={"dest": str(dest), "content": "same", "mode": "u=rw,go="})
    assert dest.stat().st_ino == inode


def test_a_replaced_file_keeps_its_mode(run, tmp_path):
    dest = tmp_path / "file"
    dest.write_text("old")
    dest.chmod(0o640)
    run("copy", dest=str(dest), content="new")
    assert stat.S_IMODE(dest.stat().st_mode) == 0o640


def test_an_unchanged_upload_is_never_sent(run, tmp_path):
    dest = tmp_path / "big"
    upload = tmp_path / "upload"
    upload.write_bytes(b"x" * 300_000)
    args = {"dest": str(dest), "checksum": sha1(upload.read_bytes()), "original_basename": "big", "mode": "0644"}
    probed = run("copy", probe=True, **args)
    assert probed["needed"] is True and not probed["changed"] and not dest.exists()
    sent = run("copy", upload="u1", uploads={"u1": str(upload)}, diff=True, **args)
    assert sent["changed"] and "300000 bytes" in sent["diff"][0]["after"]
    again = run("copy", probe=True, **args)
    assert again["needed"] is False and not again["changed"] and again["checksum"] == args["checksum"]
    dest.chmod(0o600)
    attributes = run("copy", probe=True, **args)
    assert attributes["needed"] is False and attributes["changed"] and attributes["mode"] == "0644"


def test_check_mode_needs_only_the_checksum(run, tmp_path):
    result = run("copy", check=True, dest=str(tmp_path / "new"), checksum=sha1(b"content"))
    assert result["changed"] and not (tmp_path / "new").exists()


def test_content_that_did_not_come_is_a_failure_and_not_an_empty_file(run, tmp_path):
    result = run("copy", dest=str(tmp_path / "new"), checksum=sha1(b"content"))
    assert result["failed"] and not (tmp_path / "new").exists()


def test_a_wrong_checksum_is_refused(run, tmp_path):
    result = run("copy", dest=str(tmp_path / "new"), content="content", checksum=sha1(b"other"))
    assert result["failed"] and result["checksum"] == sha1(b"content") and result["expected_checksum"] == sha1(b"other")


def test_a_folder_takes_the_file_under_its_own_name(run_four_times, tmp_path):
    dest = str(tmp_path / "new" / "folder") + "/"
    results = run_four_times("copy", wanted={"dest": dest, "content": "x", "original_basename": "name", "directory_mode": "0700"})
    assert results[0]["dest"] == dest + "name"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("dest", "words"),
    [("missing/file", "does not exist"), ("folder", "can not use content with a dir")],
)
def test_destinations_that_cannot_be(run, tmp_path, dest, words):
    (tmp_path / "folder").mkdir()
    assert words in run("copy", dest=str(tmp_path / dest), content="x")["msg"]


def test_check_mode_takes_a_missing_folder_as_made_by_an_earlier_task(run, tmp_path):
    result = run("copy", check=True, dest=str(tmp_path / "missing" / "file"), content="x")
    assert result["changed"]


def test_without_force_a_file_stays(run, tmp_path):
    dest = tmp_path / "file"
    dest.write_text("mine")
    result = run("copy", dest=str(dest), content="x", force=False, mode="0600")
    assert not result["changed"] and dest.read_text() == "mine"
    assert run("copy", dest=str(tmp_path / "new"), content="x", force=False)["changed"]


@pytest.mark.parametrize("follow", [False, True])
def test_a_link_is_replaced_or_followed(run, run_four_times, tmp_path, follow):
    (tmp_path / "target").write_text("old")
    link = tmp_path / "link"
    link.symlink_to("target")
    run_four_times("copy", wanted={"dest": str(link), "content": "new", "follow": follow, "mode": "0600"})
    assert link.is_symlink() is follow
    assert (tmp_path / "target").read_text() == ("new" if follow else "old")


def test_a_refused_validation_leaves_the_file_and_no_backup(run, tmp_path):
    dest = tmp_path / "sudoers"
    dest.write_text("good")
    bad = run("copy", dest=str(dest), content="bad", validate="grep good %s", backup=True)
    assert bad["failed"] and "failed to validate" in bad["msg"] and bad["rc"] == 1
    assert dest.read_text() == "good" and list(tmp_path.iterdir()) == [dest]
    assert run("copy", dest=str(dest), content="good too", validate="grep good %s")["changed"]
    assert "must contain %s" in run("copy", dest=str(dest), content="x", validate="true")["msg"]


def test_a_file_of_the_host_is_copied_with_its_mode(run_four_times, tmp_path):
    source = tmp_path / "source"
    source.write_text("x")
    source.chmod(0o751)
    results = run_four_times("copy", wanted={"src": str(source), "dest": str(tmp_path / "dest"), "remote_src": True, "mode": "preserve"})
    assert results[0]["mode"] == "0751"


def test_a_folder_of_the_host_is_copied_whole(run_four_times, run, tmp_path):
    (tmp_path / "src" / "sub").mkdir(parents=True)
    (tmp_path / "src" / "sub" / "file").write_text("x")
    (tmp_path / "src" / "link").symlink_to("sub/file")
    (tmp_path / "dest").mkdir()
    args = {"src": str(tmp_path / "src"), "dest": str(tmp_path / "dest"), "remote_src": True, "local_follow": False}
    run_four_times("copy", wanted=args, otherwise=dict(args, src=str(tmp_path / "src") + "/"))
    assert (tmp_path / "dest" / "src" / "link").readlink() == Path("sub/file")
    assert (tmp_path / "dest" / "sub" / "file").read_text() == "x"


def test_options_of_one_file_are_refused_for_a_folder(run, tmp_path):
    (tmp_path / "src").mkdir()
    result = run("copy", src=str(tmp_path / "src"), dest=str(tmp_path / "dest"), remote_src=True, validate="true %s")
    assert "is for one file" in result["msg"] and not (tmp_path / "dest").exists()


@pytest.mark.parametrize(
    ("module", "args", "answered"),
    [
        ("copy", {"dest": "{file}", "content": "same"}, True),
        ("copy", {"dest": "{file}", "content": "other"}, False),
        ("copy", {"dest": "{file}", "src": "{file}", "remote_src": True}, False),
        ("file", {"path": "{file}"}, True),
        ("file", {"path": "{file}/..", "state": "directory", "recurse": True}, False),
    ],
)
def test_only_what_is_quick_and_as_wanted_is_answered_without_a_fork(tmp_path, module, args, answered):
    path = tmp_path / "file"
    path.write_text("same")
    filled = {name: value.replace("{file}", str(path)) if isinstance(value, str) else value for name, value in args.items()}
    assert (perform_at_once({"module": module, "args": filled}, Host) is not None) is answered
    assert path.read_text() == "same"


def test_an_answer_without_a_fork_has_the_keys_of_any_other():
    assert perform_at_once({"module": "ping"}, Host) == {"ping": "pong", "changed": False}


def test_a_device_is_never_replaced_by_a_file(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "no regular file" in run("copy", dest=str(tmp_path / "pipe"), content="x")["msg"]
