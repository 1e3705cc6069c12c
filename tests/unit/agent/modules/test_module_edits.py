"""lineinfile, blockinfile and replace: what they share; their rules are compared with ansible-core in tests/conformance."""

import stat
from pathlib import Path

import pytest


@pytest.fixture
def conf(tmp_path):
    path = tmp_path / "conf"
    path.write_text("alpha=1\nbeta=2\ngamma=3\n")
    path.chmod(0o640)
    return path


def test_a_line_is_added_changed_and_removed(run_four_times, conf):
    results = run_four_times(
        "lineinfile",
        wanted={"path": str(conf), "line": "delta=4"},
        otherwise={"path": str(conf), "line": "beta=5", "regexp": "^beta=", "mode": "0600"},
        removed={"path": str(conf), "regexp": "^(beta|gamma)", "state": "absent"},
    )
    assert conf.read_text() == "alpha=1\ndelta=4\n"
    assert results[0]["msg"] == "line added" and results[2]["msg"] == "line replaced" and results[4]["found"] == 2
    assert results[0]["diff"][0]["after"].endswith("delta=4\n")
    assert stat.S_IMODE(conf.stat().st_mode) == 0o600


def test_a_block_is_added_changed_and_removed(run_four_times, conf):
    before = conf.read_text()
    run_four_times(
        "blockinfile",
        wanted={"path": str(conf), "block": "a\nb"},
        otherwise={"path": str(conf), "block": "c", "backup": True},
        removed={"path": str(conf), "state": "absent"},
    )
    assert conf.read_text() == before


def test_two_blocks_with_their_own_markers_live_in_one_file(run, conf):
    for mark in ("one", "two"):
        run("blockinfile", path=str(conf), block=mark, marker="// {mark} " + mark, marker_begin="<", marker_end=">")
    assert conf.read_text().endswith("// < one\none\n// > one\n// < two\ntwo\n// > two\n")


def test_matches_are_replaced(run_four_times, conf):
    results = run_four_times("replace", wanted={"path": str(conf), "regexp": r"^(\w+)=(\d)$", "replace": r"\1: \2"})
    assert conf.read_text() == "alpha: 1\nbeta: 2\ngamma: 3\n" and results[0]["msg"] == "3 replacements made"


@pytest.mark.parametrize("module", ["lineinfile", "blockinfile"])
def test_a_missing_file_is_created_only_when_asked(run, run_four_times, tmp_path, module):
    what = {"line": "x"} if module == "lineinfile" else {"block": "x"}
    path = str(tmp_path / "new" / "conf")
    refused = run(module, path=path, **what)
    assert refused["failed"] and refused["rc"] == 257
    run_four_times(module, wanted=dict(what, path=path, create=True, mode="0600"))
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def test_bytes_that_are_not_utf8_are_left_alone(run, tmp_path):
    path = tmp_path / "latin"
    path.write_bytes(b"caf\xe9\nb\r\n")
    run("lineinfile", path=str(path), line="new", insertafter="^b")
    run("replace", path=str(path), regexp="new", replace="newer")
    run("blockinfile", path=str(path), block="x", insertbefore="BOF", marker="#{mark}")
    assert path.read_bytes() == b"#BEGIN\nx\n#END\ncaf\xe9\nb\r\nnewer\n"


def test_edits_go_through_links_and_keep_them(run, conf, tmp_path):
    link = tmp_path / "link"
    link.symlink_to("conf")
    run("lineinfile", path=str(link), line="more")
    assert link.is_symlink() and conf.read_text().endswith("more\n")
    assert stat.S_IMODE(conf.stat().st_mode) == 0o640


def test_a_refused_validation_changes_nothing(run, conf, tmp_path):
    before = conf.read_text()
    result = run("lineinfile", path=str(conf), line="bad", validate="grep good %s", backup=True)
    assert result["failed"] and "failed to validate" in result["msg"]
    assert conf.read_text() == before and list(tmp_path.iterdir()) == [conf]


def test_a_backup_holds_the_file_as_it_was(run, conf):
    before = conf.read_text()
    kept = run("lineinfile", path=str(conf), line="more", backup=True)["backup"]
    assert Path(kept).read_text() == before
    assert run("lineinfile", path=str(conf), line="more", backup=True)["backup"] == ""


@pytest.mark.parametrize(
    ("module", "args", "words"),
    [
        ("lineinfile", {}, "line is required"),
        ("lineinfile", {"line": "x", "backrefs": True}, "regexp is required"),
        ("lineinfile", {"state": "absent"}, "one of line"),
        ("lineinfile", {"line": "x", "regexp": "("}, "regular expression"),
        ("lineinfile", {"line": "x", "insertafter": "a", "insertbefore": "b"}, "exclude each other"),
        ("lineinfile", {"line": "x", "validate": "true"}, "must contain %s"),
        ("blockinfile", {"block": "x", "insertafter": "("}, "regular expression"),
        ("replace", {"regexp": "("}, "Unable to process replace"),
        ("replace", {"regexp": "alpha", "replace": r"\7"}, "Unable to process replace"),
    ],
)
def test_contradictions_are_said_in_words(run, conf, module, args, words):
    result = run(module, path=str(conf), **args)
    assert result["failed"] and words in result["msg"] and "exception" not in result


@pytest.mark.parametrize(("module", "what"), [("lineinfile", {"line": "x"}), ("blockinfile", {"block": "x"}), ("replace", {"regexp": "x"})])
def test_a_folder_is_no_text_file(run, tmp_path, module, what):
    assert run(module, path=str(tmp_path), **what)["rc"] == 256
