"""How a task is written, and what it becomes."""

from __future__ import annotations

from typing import Any

import pytest

from ringup.playbook.values import Block, Task
from ringup.source import Source

PLAY = "- hosts: all\n  tasks:\n"


def task_in(playbook: Any, index: int = 0) -> Task:
    step = playbook.plays[0].tasks[index]
    assert isinstance(step, Task)
    return step


@pytest.mark.parametrize(
    ("written", "action", "args"),
    [
        ("command: uptime", "command", {"cmd": "uptime"}),
        ("command: ls -l chdir=/tmp 'a b'", "command", {"cmd": "ls -l 'a b'", "chdir": "/tmp"}),
        ("command: dd if=/dev/zero of=/x", "command", {"cmd": "dd if=/dev/zero of=/x"}),
        ("command: {argv: [ls, -l]}", "command", {"argv": ["ls", "-l"]}),
        ("command: echo don't", "command", {"cmd": "echo don't"}),
        ("shell: 'echo $HOME && true creates=/x'", "shell", {"cmd": "echo $HOME && true", "creates": "/x"}),
        ("ansible.builtin.copy: {src: a, dest: /b}", "copy", {"src": "a", "dest": "/b"}),
        ("copy: src=a dest=/b mode=0644", "copy", {"src": "a", "dest": "/b", "mode": "0644"}),
        ('copy: content="a b" dest=/b', "copy", {"content": "a b", "dest": "/b"}),
        ("copy: src={{ x | default('a b') }} dest=/b", "copy", {"src": "{{ x | default('a b') }}", "dest": "/b"}),
        ("action: copy src=a dest=/b", "copy", {"src": "a", "dest": "/b"}),
        ("action: {module: copy, src: a, dest: /b}", "copy", {"src": "a", "dest": "/b"}),
        ("meta: flush_handlers", "meta", {"free_form": "flush_handlers"}),
        ("include_tasks: more.yaml", "include_tasks", {"file": "more.yaml"}),
        ("include_tasks: file=more.yaml", "include_tasks", {"file": "more.yaml"}),
        ("include_vars: dir=vars", "include_vars", {"dir": "vars"}),
        ("set_fact: {port: 80, cacheable: true}", "set_fact", {"port": 80, "cacheable": True}),
        ("debug:", "debug", {}),
        ("raw: apt-get install -y python3", "raw", {"cmd": "apt-get install -y python3"}),
    ],
)
def test_every_way_to_write_arguments_gives_the_same_form(load: Any, written: str, action: str, args: dict[str, Any]) -> None:
    task = task_in(load(f"{PLAY}    - {written}\n"))
    assert (task.action, dict(task.args)) == (action, args)


def test_args_add_to_what_the_module_says_and_the_module_wins(load: Any) -> None:
    task = task_in(load(PLAY + "    - command: ls chdir=/tmp\n      args: {chdir: /var, creates: /x}\n"))
    assert task.args == {"cmd": "ls", "chdir": "/tmp", "creates": "/x"}


def test_arguments_may_be_one_template(load: Any) -> None:
    task = task_in(load(PLAY + '    - copy: "{{ wanted }}"\n'))
    assert (task.args, task.args_template) == ({}, "{{ wanted }}")


def test_local_action_is_delegated_to_the_controller(load: Any) -> None:
    task = task_in(load(PLAY + "    - local_action: command uptime\n"))
    assert (task.action, task.keywords.delegate_to) == ("command", "localhost")


def test_a_task_knows_its_place_and_folder(load: Any) -> None:
    task = task_in(load(PLAY + "    - name: a\n      debug:\n"))
    assert task.source == Source("site.yaml", 3, 7)
    assert str(task.folder) == "."


def test_loops_keep_their_lookup_and_control(load: Any) -> None:
    text = """\
    - debug: {msg: "{{ x }}"}
      with_items: [1, 2]
      loop_control: {loop_var: x, index_var: i, label: "{{ x }}", pause: 2, extended: true}
    - debug:
      loop: "{{ range(3) | list }}"
"""
    playbook = load(PLAY + text)
    loop = task_in(playbook).loop
    assert loop is not None
    assert (loop.lookup, loop.loop_var, loop.index_var, loop.label, loop.pause_s, loop.extended) == ("items", "x", "i", "{{ x }}", 2, True)
    second = task_in(playbook, 1).loop
    assert second is not None
    assert (second.lookup, second.items) == (None, "{{ range(3) | list }}")


def test_children_inherit_and_the_innermost_wins(load: Any) -> None:
    playbook = load("""\
        - hosts: all
          become: true
          tags: p
          environment: {A: play}
          vars: {x: play}
          tasks:
            - when: a
              tags: [b]
              vars: {x: block, y: block}
              environment: {A: block}
              become_user: root
              block:
                - debug:
                  when: [c, d]
                  tags: t, u
                  vars: {y: task}
                  become: false
              rescue:
                - debug:
              always:
                - debug:
    """)
    play = playbook.plays[0]
    block = play.tasks[0]
    assert isinstance(block, Block)
    task = block.block[0]
    own = task.keywords
    assert own.when == ("a", "c", "d")
    assert own.tags == {"p", "b", "t", "u"}
    assert own.vars == {"x": "block", "y": "task"}
    assert own.environment == ({"A": "play"}, {"A": "block"})
    assert (own.become, own.become_user) == (False, "root")
    assert play.vars == {"x": "play"}
    assert block.rescue[0].keywords.when == ("a",)
    assert block.always[0].keywords.become is True


def test_an_include_keeps_what_its_tasks_inherit_apart_from_its_own(load: Any) -> None:
    task = task_in(load(PLAY.replace("tasks", "become: true\n  tasks") + "    - include_tasks: a.yaml\n      when: x\n      tags: t\n"))
    assert (task.keywords.when, task.keywords.tags) == (("x",), {"t"})
    assert (task.inherited.when, task.inherited.tags, task.inherited.become) == ((), frozenset(), True)


def test_imports_are_read_in_place_and_pass_on_their_keywords(load: Any) -> None:
    files = {"more/a.yaml": "- import_tasks: b.yaml\n", "more/b.yaml": "- debug:\n- command: 'true'\n  when: y\n"}
    playbook = load(PLAY + "    - import_tasks: more/a.yaml\n      when: x\n      vars: {v: 1}\n    - debug:\n", files)
    tasks = playbook.plays[0].tasks
    assert [task.action for task in tasks] == ["debug", "command", "debug"]
    assert [task.keywords.when for task in tasks] == [("x",), ("x", "y"), ()]
    assert tasks[0].keywords.vars == {"v": 1}


def test_an_import_may_be_named_by_play_and_extra_variables(load: Any) -> None:
    text = '- hosts: all\n  vars: {which: b}\n  tasks:\n    - import_tasks: "{{ which }}-{{ size }}.yaml"\n'
    playbook = load(text, {"b-2.yaml": "- debug:\n"}, extra_vars={"size": 2})
    assert task_in(playbook).action == "debug"


def test_handlers_listen_and_may_include(load: Any) -> None:
    playbook = load(
        """\
        - hosts: all
          handlers:
            - name: restart
              listen: [web, proxy]
              command: 'true'
            - import_tasks: more.yaml
            - include_tasks: more.yaml
              listen: web
    """,
        {"more.yaml": "- name: other\n  debug:\n"},
    )
    handlers = playbook.plays[0].handlers
    assert [handler.title for handler in handlers] == ["restart", "other", "include_tasks"]
    assert [handler.listen for handler in handlers] == [("web", "proxy"), (), ("web",)]


def test_notify_on_a_block_reaches_its_tasks(load: Any) -> None:
    block = load(PLAY + "    - notify: h\n      block:\n        - debug:\n        - debug:\n          notify: [i]\n").plays[0].tasks[0]
    assert [task.notify for task in block.block] == [("h",), ("i",)]


def test_module_defaults_go_by_canonical_names_and_complete_arguments(load: Any) -> None:
    playbook = load("""\
        - hosts: all
          module_defaults: {ansible.builtin.copy: {dest: /a}}
          tasks:
            - copy: {content: x}
    """)
    assert task_in(playbook).keywords.module_defaults == {"copy": {"dest": "/a"}}


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [
        ("retries: 3", ("retries", 3)),
        ("retries: '3'", ("retries", 3)),
        ("delay: 0.5", ("delay", 0.5)),
        ("register: r", ("register", "r")),
        ("changed_when: false", ("changed_when", (False,))),
        ("failed_when: [a, b]", ("failed_when", ("a", "b"))),
        ("until: r is succeeded", ("until", ("r is succeeded",))),
        ("notify: h", ("notify", ("h",))),
        ("retries: '{{ n }}'", ("retries", "{{ n }}")),
    ],
)
def test_keywords_of_a_task_come_in_their_kinds(load: Any, keyword: str, expected: tuple[str, Any]) -> None:
    task = task_in(load(PLAY + f"    - debug:\n      {keyword}\n"))
    name, value = expected
    assert getattr(task, name) == value


@pytest.mark.parametrize(("written", "value"), [("yes", True), ("'yes'", True), ("'no'", False), ("'{{ b }}'", "{{ b }}")])
def test_booleans_are_true_false_or_templates(load: Any, written: str, value: Any) -> None:
    assert task_in(load(PLAY + f"    - debug:\n      become: {written}\n")).keywords.become == value
