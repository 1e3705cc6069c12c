"""Plays, imports of playbooks, and includes while a play runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ringup.actions import vocabulary
from ringup.errors import PlaybookError
from ringup.playbook import find_tasks_file, load_role, load_tasks


def test_what_a_play_says_is_kept(load: Any) -> None:
    play = load("""\
        - name: racks
          hosts: [gpu, "!node01"]
          serial: [1, "30%"]
          max_fail_percentage: 25%
          gather_facts: false
          order: sorted
          strategy: ansible.builtin.linear
          force_handlers: true
          vars_files: [a.yaml, [b.yaml, c.yaml]]
          vars_prompt: [{name: who, prompt: "who?", private: false}]
          pre_tasks: [{debug: }]
          post_tasks: [{debug: }]
    """).plays[0]
    assert (play.name, play.hosts, play.serial, play.order, play.strategy) == ("racks", "gpu,!node01", (1, "30%"), "sorted", "linear")
    assert (play.gather_facts, play.force_handlers, play.max_fail_percentage) == (False, True, 25.0)
    assert play.vars_files == ("a.yaml", ("b.yaml", "c.yaml"))
    assert play.vars_prompt == ({"name": "who", "prompt": "who?", "private": False},)
    assert (len(play.pre_tasks), len(play.post_tasks)) == (1, 1)


def test_a_play_without_a_name_is_named_by_its_hosts(load: Any) -> None:
    assert load("- hosts: gpu\n").plays[0].name == "gpu"


def test_an_imported_playbook_gets_the_imports_tags_conditions_and_variables(load: Any) -> None:
    playbook = load(
        "- hosts: a\n- import_playbook: more/other.yaml\n  tags: t\n  when: x\n  vars: {v: import}\n- hosts: c\n",
        {"more/other.yaml": "- hosts: b\n  vars: {v: own, w: own}\n  tasks:\n    - include_tasks: z.yaml\n"},
    )
    assert [play.hosts for play in playbook.plays] == ["a", "b", "c"]
    play = playbook.plays[1]
    assert play.vars == {"v": "import", "w": "own"}
    assert play.tasks[0].keywords.when == ("x",)
    assert play.tasks[0].keywords.tags == {"t"}
    assert play.folder == Path("more")


def test_an_include_finds_its_file_and_its_tasks_inherit_from_its_parents(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  become: true\n  tasks:\n    - include_tasks: more.yaml\n      tags: t\n      vars: {p: 1}\n",
        {"more.yaml": "- debug:\n- import_role: {name: r}\n", "roles/r/handlers/main.yml": "- name: h\n  debug:\n"},
    )
    include = playbook.plays[0].tasks[0]
    path = find_tasks_file("more.yaml", include, Path())
    included = load_tasks(
        path, include, vocabulary(), playbook_folder=Path(), params={"p": 1, "item": 2}, apply={"tags": ["u"], "when": "z"}
    )
    task = included.steps[0]
    assert (task.keywords.become, task.keywords.tags, task.keywords.when) == (True, {"u"}, ("z",))
    assert task.params == {"p": 1, "item": 2}
    assert [handler.name for handler in included.handlers] == ["h"]


def test_an_included_role_brings_steps_handlers_and_when_public_its_variables(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  tasks:\n    - include_role: {name: r}\n",
        {
            "roles/r/tasks/main.yml": "- debug:\n",
            "roles/r/tasks/other.yml": "- command: 'true'\n",
            "roles/r/handlers/main.yml": "- name: h\n  debug:\n",
        },
    )
    include = playbook.plays[0].tasks[0]
    private = load_role("r", include, vocabulary(), playbook_folder=Path())
    public = load_role("r", include, vocabulary(), playbook_folder=Path(), public=True, from_files={"tasks": "other"})
    assert [task.action for task in private.steps] == ["debug"]
    assert private.roles == ()
    assert [task.action for task in public.steps] == ["command"]
    assert [role.name for role in public.roles] == ["r"]
    assert [handler.name for handler in public.handlers] == ["h"]


def test_a_task_in_a_role_finds_files_beside_itself_then_in_the_role(load: Any) -> None:
    playbook = load(
        "- hosts: all\n  roles: [r]\n",
        {
            "roles/r/tasks/main.yml": "- import_tasks: deep/a.yml\n",
            "roles/r/tasks/deep/a.yml": "- import_tasks: b.yml\n- import_tasks: c.yml\n",
            "roles/r/tasks/deep/b.yml": "- debug:\n",
            "roles/r/tasks/c.yml": "- command: 'true'\n",
        },
    )
    assert [task.action for task in playbook.plays[0].roles[0].steps] == ["debug", "command"]


def test_several_mistakes_are_told_in_one_run(load: Any) -> None:
    text = "- hosts: all\n  tasks:\n" + "".join(f"    - debug:\n      wen{number}: x\n" for number in range(12))
    with pytest.raises(PlaybookError) as caught:
        load(text)
    lines = caught.value.message.splitlines()
    assert lines[0] == "12 mistakes:"
    assert len(lines) == 12
    assert lines[1].strip().startswith("site.yaml:4:7: unknown keyword 'wen0'")
    assert lines[-1] == "  and 2 more"
