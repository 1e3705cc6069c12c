"""apt_repository on folders of this test; what apt says to a new source is for the lab."""

import pytest

from ringup.agent.modules import apt_repository


@pytest.fixture
def sources(monkeypatch, tmp_path):
    """A sources.list with one line, and an empty folder beside it."""
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text("# main\ndeb http://deb.example/debian bookworm main\n")
    monkeypatch.setattr(apt_repository, "LIST", str(tmp_path / "sources.list"))
    monkeypatch.setattr(apt_repository, "PARTS", str(tmp_path / "sources.list.d"))
    return tmp_path


def test_a_line_comes_once_changes_and_goes_with_its_file(sources, run_four_times):
    line = "deb [signed-by=/etc/apt/keyrings/x.asc arch=amd64] https://repo.example/x/debian stable main"
    results = run_four_times(
        "apt_repository",
        {"repo": line, "update_cache": False},
        removed={"repo": line, "state": "absent", "update_cache": False},
    )
    file = str(sources / "sources.list.d/repo_example_x_debian.list")
    assert results[0]["sources_added"] == results[2]["sources_removed"] == [file]
    assert list((sources / "sources.list.d").iterdir()) == []


def test_a_line_that_any_file_holds_is_there_whatever_its_spaces(sources, run):
    same = "deb   http://deb.example/debian  bookworm   main   # a comment"
    assert run("apt_repository", repo=same, update_cache=False)["changed"] is False
    assert run("apt_repository", repo=same.replace("main", "contrib"), update_cache=False, filename="more")["changed"] is True
    assert (sources / "sources.list.d/more.list").exists()


def test_sources_list_itself_is_kept_when_its_last_line_goes(sources, run):
    assert run("apt_repository", repo="deb http://deb.example/debian bookworm main", state="absent", update_cache=False)["changed"]
    assert (sources / "sources.list").read_text() == "# main\n"


@pytest.mark.parametrize("line", ["ppa:someone/thing", "deb", "rpm http://x y z", "deb http://x"])
def test_what_is_no_source_is_refused_with_its_form(sources, run, line):
    result = run("apt_repository", repo=line)
    assert "Invalid repository string" in result["msg"]
    assert "deb URI SUITE" in result["hint"]
