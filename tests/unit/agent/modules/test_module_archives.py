"""unarchive: tar and zip."""

import os
import stat
import subprocess
import tarfile
import zipfile

import pytest


@pytest.fixture
def tree(tmp_path):
    """A folder `pack` with a few things in it, beside an empty folder `dest`."""
    pack = tmp_path / "pack"
    (pack / "bin").mkdir(parents=True)
    (pack / "bin" / "tool").write_text("#!/bin/sh\n")
    (pack / "bin" / "tool").chmod(0o755)
    (pack / "notes with blank").write_text("notes")
    (pack / "link").symlink_to("bin/tool")
    (tmp_path / "dest").mkdir()
    return tmp_path


def tar(tree, name, option):
    subprocess.run(["tar", option, "-cf", str(tree / name), "-C", str(tree), "pack"], check=True)
    return str(tree / name)


@pytest.mark.parametrize(
    ("name", "option"),
    [("a.tar", "--no-auto-compress"), ("a.tar.gz", "-z"), ("a.tar.bz2", "-j"), ("a.tar.xz", "-J"), ("a.tar.zst", "--zstd")],
)
def test_a_tar_is_unpacked_once_and_again_when_a_file_differs(run, run_four_times, tree, name, option):
    args = {"src": tar(tree, name, option), "dest": str(tree / "dest"), "remote_src": True, "list_files": True}
    results = run_four_times("unarchive", wanted=args)
    assert results[0]["handler"] == "TarArchive" and "pack/bin/tool" in results[0]["files"]
    assert os.access(tree / "dest" / "pack" / "bin" / "tool", os.X_OK)
    assert (tree / "dest" / "pack" / "link").is_symlink()
    (tree / "dest" / "pack" / "notes with blank").write_text("other")
    run_four_times("unarchive", wanted=args)
    assert (tree / "dest" / "pack" / "notes with blank").read_text() == "notes"


def test_a_zip_is_unpacked_once_and_again_when_a_file_is_gone(run_four_times, tree):
    subprocess.run(["zip", "-qr", "--symlinks", "a.zip", "pack"], cwd=tree, check=True)
    args = {"src": str(tree / "a.zip"), "dest": str(tree / "dest"), "remote_src": True}
    results = run_four_times("unarchive", wanted=args)
    assert results[0]["handler"] == "ZipArchive"
    assert stat.S_IMODE((tree / "dest" / "pack" / "bin" / "tool").stat().st_mode) == 0o755
    assert (tree / "dest" / "pack" / "link").is_symlink()
    (tree / "dest" / "pack" / "notes with blank").unlink()
    run_four_times("unarchive", wanted=args)


def test_options_of_tar_shape_what_is_unpacked(run_four_times, tree):
    args = {"src": tar(tree, "a.tgz", "-z"), "dest": str(tree / "dest"), "remote_src": True, "extra_opts": ["--strip-components=1"]}
    run_four_times("unarchive", wanted=args)
    assert (tree / "dest" / "bin" / "tool").exists()


@pytest.mark.parametrize("args", [{"exclude": ["pack/notes*"]}, {"include": ["pack/bin/tool"]}])
def test_members_are_chosen(run_four_times, tree, args):
    run_four_times("unarchive", wanted=dict(args, src=tar(tree, "a.tgz", "-z"), dest=str(tree / "dest"), remote_src=True))
    assert (tree / "dest" / "pack" / "bin" / "tool").exists()
    assert not (tree / "dest" / "pack" / "notes with blank").exists()


def test_every_member_gets_the_mode_that_is_asked_for(run_four_times, tree):
    args = {"src": tar(tree, "a.tgz", "-z"), "dest": str(tree / "dest"), "remote_src": True, "mode": "u=rwX,go="}
    run_four_times("unarchive", wanted=args)
    assert stat.S_IMODE((tree / "dest" / "pack" / "bin" / "tool").stat().st_mode) == 0o700
    assert stat.S_IMODE((tree / "dest" / "pack" / "notes with blank").stat().st_mode) == 0o600


def test_newer_files_stay_when_asked(run_four_times, run, tree):
    args = {"src": tar(tree, "a.tgz", "-z"), "dest": str(tree / "dest"), "remote_src": True, "keep_newer": True}
    run_four_times("unarchive", wanted=args)
    (tree / "dest" / "pack" / "notes with blank").write_text("mine!")
    assert not run("unarchive", **args)["changed"]
    assert (tree / "dest" / "pack" / "notes with blank").read_text() == "mine!"


def test_an_archive_that_came_with_the_task_is_unpacked(run, tree):
    uploads = {"archive": tar(tree, "sent", "-z")}
    assert run("unarchive", src="a.tgz", upload="archive", uploads=uploads, dest=str(tree / "dest"))["changed"]


def test_creates_makes_it_needless(run, tree):
    result = run("unarchive", src="/nothing", dest=str(tree / "dest"), creates=str(tree / "pa*"))
    assert result["skipped"] and not result["changed"]


def test_members_that_would_leave_the_folder_are_refused(run, tree):
    with tarfile.open(tree / "evil.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("../outside"))
    with zipfile.ZipFile(tree / "evil.zip", "w") as archive:
        archive.writestr("a/../../outside", "x")
    for name in ("evil.tar", "evil.zip"):
        result = run("unarchive", src=str(tree / name), dest=str(tree / "dest"), remote_src=True)
        assert result["failed"] and "would leave" in result["msg"]
    assert not (tree / "outside").exists()


def test_a_link_in_a_zip_does_not_lead_out_of_the_folder(run, tree):
    with zipfile.ZipFile(tree / "evil.zip", "w") as archive:
        link = zipfile.ZipInfo("out")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(tree))
        archive.writestr("out/outside", "x")
    result = run("unarchive", src=str(tree / "evil.zip"), dest=str(tree / "dest"), remote_src=True)
    assert result["failed"] and not (tree / "outside").exists()


def test_what_is_no_archive_is_said_in_words(run, tree):
    (tree / "text").write_text("no archive")
    for args in ({"src": str(tree / "text")}, {"src": str(tree / "none")}, {"src": "https://example.org/a.tgz"}):
        result = run("unarchive", dest=str(tree / "dest"), remote_src=True, **args)
        assert result["failed"] and "exception" not in result
    result = run("unarchive", src=tar(tree, "a.tar", "-z"), dest=str(tree / "none"), remote_src=True)
    assert "is not a directory" in result["msg"]
