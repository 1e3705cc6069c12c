"""copy, template, fetch, script and their like, against a real agent on this machine."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from ringup.actions.sending import SMALL_BYTES
from ringup.errors import TaskFailed, TemplateError


@pytest.fixture
def play(tmp_path: Path, act: Any) -> Path:
    return tmp_path / "play"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    folder = tmp_path / "host"
    folder.mkdir()
    return folder


def test_a_file_is_copied_once(act: Any, play: Path, host: Path) -> None:
    (play / "files").mkdir()
    (play / "files" / "motd").write_text("hello\n")
    given = {"src": "motd", "dest": str(host / "motd"), "mode": "0640"}
    first, second = act("copy", given), act("copy", given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert (host / "motd").read_text() == "hello\n"
    assert (host / "motd").stat().st_mode & 0o777 == 0o640
    assert first["checksum"] == "f572d396fae9206628714fb2ce00f72e94f2258f"


@pytest.mark.parametrize("content", [b"\xff\x00binary", b"x" * (SMALL_BYTES + 1), b""])
def test_any_content_arrives_as_it_is(act: Any, play: Path, host: Path, content: bytes) -> None:
    (play / "blob").write_bytes(content)
    assert act("copy", {"src": "blob", "dest": f"{host}/"})["changed"]
    assert (host / "blob").read_bytes() == content


def test_a_large_file_is_sent_only_when_the_host_has_not_got_it(act: Any, reach: Any, play: Path, host: Path) -> None:
    (play / "big").write_bytes(os.urandom(SMALL_BYTES * 4))
    given = {"src": "big", "dest": str(host / "big")}
    assert act("copy", given, check=True)["changed"]
    assert not (host / "big").exists()
    assert act("copy", given)["changed"]
    reach.asked.clear()
    assert not act("copy", given)["changed"]
    assert reach.asked == ["copy"], "one question, no upload"


@pytest.mark.parametrize(("written", "expected"), [("text", "text"), ({"a": 1}, '{"a": 1}'), ([1, "b"], '[1, "b"]')])
def test_content_is_a_text_or_json(act: Any, host: Path, written: Any, expected: str) -> None:
    act("copy", {"content": written, "dest": str(host / "f")})
    assert (host / "f").read_text() == expected


def test_the_mode_of_the_source_can_be_preserved(act: Any, play: Path, host: Path) -> None:
    (play / "run.sh").write_text("#!/bin/sh\n")
    (play / "run.sh").chmod(0o751)
    act("copy", {"src": "run.sh", "dest": str(host / "run.sh"), "mode": "preserve"})
    assert (host / "run.sh").stat().st_mode & 0o777 == 0o751


@pytest.mark.parametrize(("slash", "root"), [("", "tree/"), ("/", "")])
def test_a_folder_is_copied_with_or_without_itself(act: Any, play: Path, host: Path, slash: str, root: str) -> None:
    (play / "tree" / "deep").mkdir(parents=True)
    (play / "tree" / "deep" / "a").write_text("a")
    (play / "tree" / "link").symlink_to("deep/a")
    given = {"src": f"tree{slash}", "dest": str(host / "to"), "local_follow": False, "directory_mode": "0750"}
    assert act("copy", given, check=True)["changed"]
    assert not (host / "to").exists()
    assert act("copy", given)["changed"]
    top = host / "to" / root
    assert (top / "deep" / "a").read_text() == "a"
    assert (top / "link").readlink() == Path("deep/a")
    assert (top / "deep").stat().st_mode & 0o777 == 0o750
    assert not act("copy", given)["changed"]


def test_a_missing_source_names_the_folders_it_was_looked_for_in(act: Any, play: Path, host: Path) -> None:
    with pytest.raises(TaskFailed) as caught:
        act("copy", {"src": "nothing", "dest": str(host / "f")})
    assert "could not find 'nothing'" in caught.value.message
    assert str(play / "files") in (caught.value.hint or "")


def test_a_template_is_rendered_with_the_hosts_variables(act: Any, play: Path, host: Path) -> None:
    (play / "templates").mkdir()
    (play / "templates" / "part.j2").write_text("part of {{ name }}\n")
    (play / "templates" / "conf.j2").write_text("# {{ template_path | basename }}\n{% include 'part.j2' %}, to {{ template_destpath }}\n")
    dest = str(host / "conf")
    given = {"src": "conf.j2", "dest": dest, "mode": "0600"}
    first = act("template", given, {"name": "{{ first }}!", "first": "rack"}, diff=True)
    assert first["changed"]
    assert first["diff"][0]["after"].startswith("# conf.j2\n")
    assert (host / "conf").read_text() == f"# conf.j2\npart of rack!, to {dest}\n"
    assert not act("template", given, {"name": "rack!"})["changed"]


def test_a_templates_options_are_jinjas(act: Any, play: Path, host: Path) -> None:
    (play / "t").write_text("[[ a ]] {{ b }}\n")
    given = {"src": "t", "dest": str(host / "t"), "variable_start_string": "[[", "variable_end_string": "]]", "newline_sequence": "\r\n"}
    act("template", given, {"a": 1})
    assert (host / "t").read_bytes() == b"1 {{ b }}\r\n"


def test_a_mistake_in_a_template_names_its_file(act: Any, play: Path, host: Path) -> None:
    (play / "t.j2").write_text("a\n{{ nope }}\n")
    with pytest.raises(TemplateError) as caught:
        act("template", {"src": "t.j2", "dest": str(host / "t")})
    assert "t.j2" in str(caught.value.where)
    assert "nope" in caught.value.message


def test_fetch_keeps_a_folder_for_each_host(act: Any, play: Path, host: Path) -> None:
    (host / "log").write_bytes(b"line\n" * 50_000)
    given = {"src": str(host / "log"), "dest": "logs"}
    first, second = act("fetch", given), act("fetch", given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["dest"] == str(play / "logs" / "node01" / str(host / "log").lstrip("/"))
    assert Path(first["dest"]).read_bytes() == b"line\n" * 50_000
    assert first["checksum"] == first["remote_checksum"]


def test_fetch_flat_wants_a_slash_after_a_folder(act: Any, play: Path, host: Path) -> None:
    (host / "log").write_text("x")
    assert act("fetch", {"src": str(host / "log"), "dest": "out/", "flat": True})["dest"] == str(play / "out" / "log")
    with pytest.raises(TaskFailed, match="existing directory"):
        act("fetch", {"src": str(host / "log"), "dest": "out", "flat": True})


def test_fetch_never_leaves_the_hosts_folder(act: Any, play: Path, host: Path) -> None:
    (host / "log").write_text("x")
    fetched = act("fetch", {"src": f"{host}/../host/log", "dest": "logs"})
    assert Path(fetched["dest"]).is_relative_to(play / "logs" / "node01")


@pytest.mark.parametrize(("fail", "failed"), [(True, True), (False, False)])
def test_fetch_of_nothing_fails_unless_told_otherwise(act: Any, host: Path, fail: bool, failed: bool) -> None:
    values = act("fetch", {"src": str(host / "nothing"), "dest": "x", "fail_on_missing": fail})
    assert values.get("failed", False) is failed
    assert values["msg"].startswith("the remote file does not exist")


def test_a_script_runs_with_its_arguments(act: Any, play: Path, host: Path) -> None:
    (play / "s.sh").write_text('#!/bin/sh\necho "$1-$2"; pwd; exit 3\n')
    values = act("script", {"cmd": "s.sh 'a b' c", "chdir": str(host)})
    assert values["stdout_lines"] == ["a b-c", str(host)]
    assert (values["rc"], values["changed"]) == (3, True)
    assert not act("script", {"cmd": "s.sh", "creates": str(host)})["changed"]


def test_include_vars_reads_files_and_folders(act: Any, play: Path) -> None:
    (play / "vars" / "deep").mkdir(parents=True)
    (play / "vars" / "a.yml").write_text("{x: 1, m: {a: 1}}\n")
    (play / "vars" / "deep" / "b.yaml").write_text("x: 2\n")
    (play / "vars" / "notes.txt").write_text("no\n")
    assert act("include_vars", {"file": "a.yml"})["ansible_facts"] == {"x": 1, "m": {"a": 1}}
    values = act("include_vars", {"dir": "vars", "ignore_unknown_extensions": True, "name": "all_of_it"})
    assert values["ansible_facts"] == {"all_of_it": {"x": 2, "m": {"a": 1}}}
    assert len(values["ansible_included_var_files"]) == 2
    assert act("include_vars", {"dir": "vars", "depth": 1, "files_matching": "a"})["ansible_facts"]["x"] == 1
    merged = act("include_vars", {"file": "a.yml", "hash_behaviour": "merge"}, {"m": {"b": 2}})
    assert merged["ansible_facts"]["m"] == {"a": 1, "b": 2}
    with pytest.raises(TaskFailed, match="extensions"):
        act("include_vars", {"dir": "vars"})


def test_an_archive_is_unpacked_once(act: Any, play: Path, host: Path) -> None:
    (play / "a.txt").write_text("a")
    with tarfile.open(play / "a.tar.gz", "w:gz") as archive:
        archive.add(play / "a.txt", "deep/a.txt")
    given = {"src": "a.tar.gz", "dest": str(host)}
    first, second = act("unarchive", given), act("unarchive", given)
    assert (first["changed"], second["changed"]) == (True, False)
    assert (host / "deep" / "a.txt").read_text() == "a"
    assert act("unarchive", {**given, "creates": str(host / "deep")})["skipped"]


def test_fragments_of_the_controller_are_put_together(act: Any, play: Path, host: Path) -> None:
    (play / "parts").mkdir()
    for name, text in (("10", "b"), ("05", "a\n"), (".hidden", "no")):
        (play / "parts" / name).write_text(text)
    given = {"src": "parts", "dest": str(host / "whole"), "remote_src": False, "delimiter": "--", "ignore_hidden": True}
    assert act("assemble", given)["changed"]
    assert (host / "whole").read_text() == "a\n--\nb"
    assert not act("assemble", given)["changed"]
