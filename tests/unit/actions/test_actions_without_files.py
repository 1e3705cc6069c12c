"""The small actions: what they set, show, judge and wait for."""

from __future__ import annotations

from typing import Any

import pytest

from ringup.actions import specs
from ringup.actions.validate_argument_spec import mistakes
from ringup.agent.arguments import ArgumentError, Arguments
from ringup.errors import TaskFailed, TemplateError


def test_every_action_says_what_it_is_for_and_what_each_option_means() -> None:
    for name, spec in specs().items():
        assert spec.summary, name
        assert issubclass(spec.args, Arguments)
        assert (spec.run is None) == (spec.kind == "flow"), name
        for option_name, declared in spec.args.options().items():
            assert declared.help, f"{name}: {option_name}"


def test_set_fact_takes_any_name_even_those_of_its_own_declaration(act: Any) -> None:
    values = act("set_fact", {"port": 80, "facts": [1], "cacheable": True})
    assert values["ansible_facts"] == {"port": 80, "facts": [1]}
    assert values["ansible_facts_cacheable"] is True
    with pytest.raises(TaskFailed, match="my-port"):
        act("set_fact", {"my-port": 80})
    with pytest.raises(TaskFailed, match="no variable"):
        act("set_fact", {"cacheable": True})


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ({}, {"msg": "Hello world!"}),
        ({"msg": ["a", 1]}, {"msg": ["a", 1]}),
        ({"var": "x.y"}, {"x.y": 2}),
        ({"var": "x.y + 1"}, {"x.y + 1": 3}),
        ({"var": "nope"}, {"nope": "VARIABLE IS NOT DEFINED!"}),
        ({"msg": "a", "verbosity": 1}, {"skipped": True, "skipped_reason": "Verbosity threshold not met."}),
    ],
)
def test_debug_shows_messages_and_values(act: Any, given: dict[str, Any], values: dict[str, Any]) -> None:
    assert act("debug", given, {"x": {"y": 2}}) == {"changed": False, **values}


def test_assert_tells_the_first_condition_that_does_not_hold(act: Any) -> None:
    assert act("assert", {"that": ["x == 1", True]}, {"x": 1}) == {"changed": False, "msg": "All assertions passed"}
    values = act("assert", {"that": ["x == 1", "x == 2"], "fail_msg": "no"}, {"x": 1})
    assert (values["failed"], values["assertion"], values["evaluated_to"], values["msg"]) == (True, "x == 2", False, "no")
    with pytest.raises(TemplateError, match="true or false"):
        act("assert", {"that": "x"}, {"x": 1})


def test_fail_fails(act: Any) -> None:
    assert act("fail", {}) == {"changed": False, "failed": True, "msg": "Failed as requested from task"}


@pytest.mark.parametrize(
    ("name", "host", "port"),
    [
        ("n1", "n1", None),
        ("n1:2222", "n1", 2222),
        ("198.18.0.1:22", "198.18.0.1", 22),
        ("[fd00::1]:22", "fd00::1", 22),
        ("fd00::1", "fd00::1", None),
    ],
)
def test_add_host_reads_a_port_from_the_name(act: Any, name: str, host: str, port: int | None) -> None:
    added = act("add_host", {"hostname": name, "groups": "a, b,a", "rack": 3})["add_host"]
    expected = {"rack": 3} if port is None else {"rack": 3, "ansible_port": port}
    assert added == {"host_name": host, "groups": ["a", "b"], "host_vars": expected}


def test_group_by_writes_dashes_for_blanks(act: Any) -> None:
    assert act("group_by", {"key": "os Debian 12"}) == {"changed": True, "add_group": "os-Debian-12", "parent_groups": ["all"]}


def test_set_stats_gives_data_to_the_end_of_the_run(act: Any) -> None:
    assert act("set_stats", {"data": {"a": 1}})["ansible_stats"] == {"data": {"a": 1}, "per_host": False, "aggregate": True}


@pytest.mark.parametrize(("given", "waited"), [({"seconds": 3}, 3.0), ({"minutes": 2}, 120.0), ({"seconds": 0}, 1.0)])
def test_pause_waits_as_long_as_it_says(act: Any, reach: Any, given: dict[str, Any], waited: float) -> None:
    values = act("pause", given)
    assert reach.waited == [waited]
    assert values["stdout"].startswith("Paused for ")


def test_pause_asks_a_person_or_says_that_nobody_is_there(act: Any, reach: Any) -> None:
    assert act("pause", {"prompt": "go?"}, ask=lambda prompt, secret: f"{prompt} yes")["user_input"] == "go? yes"
    assert act("pause", {"prompt": "go?"})["user_input"] == ""
    assert "nobody can be asked" in reach.events[-1].message


def test_raw_gives_what_the_shell_said(act: Any) -> None:
    values = act("raw", {"cmd": "echo out; echo err >&2; exit 4"})
    assert (values["rc"], values["stdout_lines"], values["stderr_lines"]) == (4, ["out"], ["err"])
    assert (values["failed"], values["changed"], values["msg"]) == (True, True, "non-zero return code")
    assert act("raw", {"cmd": "false"}, check=True)["skipped"]


def test_wait_for_connection_asks_over_a_new_connection(act: Any, reach: Any) -> None:
    assert act("wait_for_connection", {"delay": 2})["elapsed"] == 0
    assert (reach.resets, reach.waited) == (1, [2])


def test_reboot_refuses_to_reboot_the_controller(act: Any) -> None:
    values = act("reboot", {}, {"ansible_connection": "local"})
    assert values["failed"]
    assert "would reboot the control node" in values["msg"]


def test_reboot_in_check_mode_touches_nothing(act: Any, reach: Any) -> None:
    assert act("reboot", {}, check=True) == {"changed": True, "elapsed": 0, "rebooted": True}
    assert reach.asked == []


def test_reboot_waits_for_another_boot_over_a_new_connection(act: Any, reach: Any, tmp_path: Any) -> None:
    """The reboot itself is tried on the lab's hosts; here a file stands for the boot id and a command changes it."""
    boots = tmp_path / "boots"
    boots.write_text("first\n")
    given = {"boot_time_command": f"cat {boots}", "reboot_command": f"/bin/sh -c 'echo second > {boots}'", "test_command": "true"}

    def wait_until_it_is_up(seconds: float) -> None:
        reach.waited.append(seconds)

    values = act("reboot", given)
    assert values["rebooted"]
    assert reach.resets >= 1
    assert boots.read_text() == "second\n"


@pytest.mark.parametrize(
    ("spec", "given", "errors"),
    [
        ({"port": {"type": "int", "required": True}}, {}, ["missing required arguments: port"]),
        ({"port": {"type": "int"}}, {"port": "x"}, ["argument 'port' is 'x' and must be a whole number"]),
        ({"port": {"type": "int"}}, {"port": "80"}, []),
        ({"a": {"choices": ["x", "y"]}}, {"a": "z"}, ["value of a must be one of: x, y, got: z"]),
        ({"a": {"type": "list", "elements": "int"}}, {"a": [1, "b"]}, ["argument 'a[1]' is 'b' and must be a whole number"]),
        (
            {"d": {"type": "list", "elements": "dict", "options": {"path": {"type": "str", "required": True}}}},
            {"d": [{"path": "/a"}, {"pth": "/b"}]},
            ["missing required arguments: path found in d[1]", "d[1].pth is not supported: did you mean 'path'?"],
        ),
        ({"a": {"aliases": ["b"], "required": True}}, {"b": "x"}, []),
        ({"a": {"default": 1, "required": True}}, {}, []),
    ],
)
def test_a_roles_arguments_are_held_against_its_declaration(spec: Any, given: Any, errors: list[str]) -> None:
    assert list(mistakes(given, spec)) == errors


def test_validate_argument_spec_takes_values_from_variables(act: Any) -> None:
    given = {"argument_spec": {"port": {"type": "int", "required": True}}, "provided_arguments": {}}
    assert act("validate_argument_spec", given, {"port": "{{ base + 1 }}", "base": 1})["msg"] == "The arg spec validation passed"
    assert act("validate_argument_spec", given)["argument_errors"] == ["missing required arguments: port"]


def test_an_unknown_option_names_the_nearest(act: Any) -> None:
    with pytest.raises(ArgumentError) as caught:
        act("fetch", {"src": "a", "dst": "b"})
    assert caught.value.hint == "did you mean 'dest'?"
