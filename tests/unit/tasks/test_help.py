import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("task", ["playbook", "lab.ssh", "lab.reboot", "lab.fault", "provision"])
def test_every_task_shows_its_help_where_people_ask_for_it(task: str) -> None:
    argv = [sys.executable, "-m", "ringup.tasks.program", task, "--help"]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: ringup [--core-opts] {task}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["playbook", "site.yaml", "--forks", "many"], "--forks: 'many' is no number"),
        (["provision"], "--hosts: which hosts?"),
        (["playbook", "no-such.yaml", "-i", "localhost,"], "there is no such file"),
    ],
)
def test_what_is_typed_wrongly_is_a_sentence_with_a_hint_and_no_traceback(words: list[str], said: str) -> None:
    argv = [sys.executable, "-m", "ringup.tasks.program", *words]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert said in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
