"""Roles: where they are found, what they bring, in which order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ringup.errors import PlaybookError
from ringup.playbook.values import RoleUse

TASK = "- debug: {msg: %s}\n"


def uses(playbook: Any) -> tuple[RoleUse, ...]:
    found: tuple[RoleUse, ...] = playbook.plays[0].roles
    return found


def test_dependencies_come_first_and_know_their_parents(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  roles: [web]\n",
        {
            "roles/web/meta/main.yml": "dependencies: [{role: tls, at: 443}]\n",
            "roles/tls/meta/main.yaml": "dependencies: [base]\n",
            "roles/base/tasks/main.yaml": TASK % "base",
            "roles/tls/tasks/main.yml": TASK % "tls",
            "roles/web/tasks/main.yml": TASK % "web",
        },
    )
    assert [use.role.name for use in uses(playbook)] == ["base", "tls", "web"]
    assert [use.role.parents for use in uses(playbook)] == [("web", "tls"), ("web",), ()]
    assert uses(playbook)[1].role.params == {"at": 443}
    assert uses(playbook)[0].role.params == {"at": 443}, "a dependency sees the parameters of those that brought it in"


def test_variables_rank_parents_dependencies_own_use(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  roles: [{role: web, vars: {d: use}}]\n",
        {
            "roles/web/meta/main.yml": "dependencies: [dep]\n",
            "roles/web/vars/main.yml": "{a: web, c: web, d: web}\n",
            "roles/web/defaults/main.yml": "{x: web, y: web}\n",
            "roles/dep/vars/main.yml": "{a: dep, b: dep}\n",
            "roles/dep/defaults/main.yml": "{x: dep, z: dep}\n",
        },
    )
    dep, web = (use.role for use in uses(playbook))
    assert web.vars == {"a": "web", "b": "dep", "c": "web", "d": "use"}
    assert web.exported == {"a": "web", "b": "dep", "c": "web", "d": "web"}
    assert web.defaults == {"x": "web", "y": "web", "z": "dep"}
    assert dep.vars == {"a": "dep", "b": "dep", "c": "web", "d": "use"}
    assert dep.exported == {"a": "dep", "b": "dep"}


def test_a_folder_of_variables_is_merged_in_order_of_names(load: Any) -> None:
    files = {"roles/r/defaults/main/10.yml": "{a: 1, b: 1}\n", "roles/r/defaults/main/20.yaml": "{b: 2}\n"}
    assert uses(load("- hosts: all\n  roles: [r]\n", files))[0].role.defaults == {"a": 1, "b": 2}


def test_keywords_of_a_use_reach_tasks_handlers_and_dependencies(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  roles: [{role: web, tags: t, when: x, become: true}]\n",
        {
            "roles/web/meta/main.yml": "dependencies: [dep]\n",
            "roles/web/tasks/main.yml": "- debug:\n  when: y\n",
            "roles/web/handlers/main.yml": "- name: h\n  debug:\n",
            "roles/dep/tasks/main.yml": "- debug:\n",
        },
    )
    dep, web = uses(playbook)
    assert web.steps[0].keywords.when == ("x", "y")
    assert (dep.steps[0].keywords.tags, dep.steps[0].keywords.become) == ({"t"}, True)
    assert [handler.name for handler in web.handlers] == ["h"]
    assert web.steps[0].role is web.role


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("r", "r", True),
        ("{role: r, p: 1}", "{role: r, p: 1}", True),
        ("{role: r, p: 1}", "{role: r, p: 2}", False),
        ("{role: r, vars: {p: 1}}", "{role: r, vars: {p: 2}}", False),
        ("{role: r, tags: a}", "{role: r, tags: b}", False),
        ("{role: r, when: a}", "r", False),
    ],
)
def test_uses_are_the_same_by_parameters_variables_tags_and_conditions(load: Any, first: str, second: str, same: bool) -> None:
    one, other = uses(load(f"- hosts: all\n  roles:\n    - {first}\n    - {second}\n", {"roles/r/tasks/main.yml": "- debug:\n"}))
    assert (one.role.key == other.role.key) is same


def test_an_imported_role_is_read_in_place_and_seen_by_the_play(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  tasks:\n    - import_role: {name: r, tasks_from: install}\n      when: x\n    - debug:\n",
        {
            "roles/r/tasks/install.yml": TASK % "install",
            "roles/r/handlers/main.yml": "- name: h\n  debug:\n",
            "roles/r/vars/main.yml": "v: 1\n",
        },
    )
    play = playbook.plays[0]
    assert [task.args for task in play.tasks] == [{"msg": "install"}, {}]
    assert play.tasks[0].keywords.when == ("x",)
    assert play.tasks[0].role.allow_duplicates
    assert [handler.name for handler in play.handlers] == ["h"]
    assert [role.exported for role in play.imported_roles] == [{"v": 1}]


def test_roles_beside_the_playbook_go_before_the_roles_path(load: Any, tmp_path: Path) -> None:
    (tmp_path / "own" / "r" / "tasks").mkdir(parents=True)
    (tmp_path / "own" / "s").mkdir(parents=True)
    playbook = load("- hosts: all\n  roles: [r, s]\n", {"roles/r/tasks/main.yml": "- debug:\n"}, roles_path=[tmp_path / "own"])
    assert [use.role.path for use in uses(playbook)] == [Path("roles/r"), tmp_path / "own" / "s"]


def test_a_declared_role_begins_with_a_check_of_its_arguments(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  roles: [{role: r, at: 1}]\n",
        {
            "roles/r/meta/argument_specs.yml": "argument_specs: {main: {options: {at: {type: int, required: true}}}}\n",
            "roles/r/tasks/main.yml": "- debug:\n",
        },
    )
    check, _ = uses(playbook)[0].steps
    assert check.action == "validate_argument_spec"
    assert check.args["provided_arguments"] == {"at": 1}
    assert "always" in check.keywords.tags


def test_a_ring_of_roles_is_printed(load: Any) -> None:
    files = {"roles/a/meta/main.yml": "dependencies: [b]\n", "roles/b/meta/main.yml": "dependencies: [a]\n"}
    with pytest.raises(PlaybookError) as caught:
        load("- hosts: all\n  roles: [a]\n", files)
    assert "role a -> role b -> role a" in caught.value.message
    assert str(caught.value.where) == "roles/b/meta/main.yml:1:16"


def test_a_role_may_import_another_file_of_itself(load: Any) -> None:
    files = {"roles/r/tasks/main.yml": "- import_role: {name: r, tasks_from: more}\n", "roles/r/tasks/more.yml": "- debug:\n"}
    assert [task.action for task in uses(load("- hosts: all\n  roles: [r]\n", files))[0].steps] == ["debug"]
