"""command, shell and ping."""

import os

import pytest


def test_command_gives_the_keys_that_playbooks_test(run):
    result = run("command", cmd="printf 'one\\ntwo\\n'")
    assert result["changed"] and result["rc"] == 0
    assert result["cmd"] == ["printf", "one\\ntwo\\n"]
    assert (result["stdout"], result["stdout_lines"]) == ("one\ntwo", ["one", "two"])
    assert result["start"] < result["end"] and result["delta"].startswith("0:00:00")


def test_an_exit_code_other_than_zero_fails(run):
    result = run("shell", cmd="echo bad >&2; exit 3")
    assert result["failed"] and result["rc"] == 3 and result["msg"] == "non-zero return code"
    assert result["stderr_lines"] == ["bad"]


def test_command_has_no_shell(run):
    assert run("command", argv=["echo", "a && b | c"])["stdout"] == "a && b | c"


@pytest.mark.parametrize(
    ("expand", "expected"),
    [(True, "value ${UNSET_HERE}"), (False, "$SET ${UNSET_HERE}")],
)
def test_variables_of_the_task_are_expanded_in_arguments(run, expand, expected):
    args = {"argv": ["echo", "$SET", "${UNSET_HERE}"], "expand_argument_vars": expand}
    assert run("command", environment={"SET": "value"}, **args)["stdout"] == expected


@pytest.mark.parametrize("module", ["command", "shell"])
def test_check_mode_skips_and_still_registers_rc_and_stdout(run, module):
    result = run(module, check=True, cmd="touch /nowhere/else")
    assert result["skipped"] and not result["changed"]
    assert (result["rc"], result["stdout"], result["stdout_lines"]) == (0, "", [])


@pytest.mark.parametrize("check", [False, True])
def test_creates_and_removes_decide_before_anything_runs(run, tmp_path, check):
    (tmp_path / "there").touch()
    for args in ({"creates": "there"}, {"creates": "the*"}, {"removes": "missing"}):
        result = run("command", check=check, cmd="touch made", chdir=str(tmp_path), **args)
        assert not result["changed"] and not result.get("skipped") and result["stdout"].startswith("skipped, since")
    assert not (tmp_path / "made").exists()


def test_check_mode_predicts_a_change_when_creates_is_missing(run, tmp_path):
    result = run("shell", check=True, cmd="touch made", chdir=str(tmp_path), creates="made")
    assert result["changed"] and not result.get("skipped")


def test_stdin_ends_with_a_newline_unless_refused(run):
    assert run("command", cmd="wc -l", stdin="a")["stdout"].strip() == "1"
    assert run("command", cmd="wc -l", stdin="a", stdin_add_newline=False)["stdout"].strip() == "0"


def test_line_ends_are_kept_when_asked(run):
    assert run("command", cmd="echo a", strip_empty_ends=False)["stdout"] == "a\n"


def test_output_that_is_not_utf8_survives(run):
    result = run("shell", cmd=r"printf 'a\377b'")
    assert result["rc"] == 0 and result["stdout"] == "a\ufffdb"


def test_shell_runs_in_the_shell_and_folder_that_are_named(run, tmp_path):
    result = run("shell", cmd="[[ -n $BASH ]] && pwd", executable="/bin/bash", chdir=str(tmp_path))
    assert result["stdout"] == os.path.realpath(tmp_path)
    assert result["cmd"] == "[[ -n $BASH ]] && pwd"


def test_a_missing_program_and_a_missing_folder_fail_with_words(run):
    missing = run("command", cmd="no-such-program --x")
    assert missing["failed"] and missing["rc"] == 2 and "no-such-program" in missing["msg"] and missing["stdout"] == ""
    folder = run("command", cmd="true", chdir="/no/such/folder")
    assert folder["failed"] and "/no/such/folder" in folder["msg"] and folder["cmd"] == ["true"]


@pytest.mark.parametrize("args", [{}, {"cmd": "echo 'open"}, {"cmd": "a", "argv": ["a"]}, {"cmd": "a", "creats": "x"}, {"cmd": ""}])
def test_what_is_no_command_is_refused(run, args):
    result = run("command", **args)
    assert result["failed"] and "exception" not in result


def test_ping_answers(run):
    assert run("ping") == {"ping": "pong", "changed": False}
    assert run("ping", data="crash")["failed"]
