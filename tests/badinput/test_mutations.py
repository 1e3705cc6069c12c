"""Damaged playbooks: whatever a slip of the keyboard makes of one, it loads or is refused with a place and a hint. Seeded."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from ringup.actions import vocabulary
from ringup.errors import InputError
from ringup.playbook import load_playbook

WHOLE = Path(__file__).with_name("whole.yaml")
VALUES = (
    *("", "null", "[]", "{}", "1", "-1", "1.5", "true", "'{{ x }}'", "'{{'", "[1, [2]]", "{a: {b: c}}", "!vault x", "!unsafe '{{ x }}'"),
    *("x y=z", '"', "*a", "&a b", "2024-01-01", "{1: 2}", "[null]", "'a b'", "? a"),
)
LETTERS = "{}[]:'\"-# \t%!&*|>x1"


def damaged(text: str, chance: random.Random) -> str:
    """The text with one to three slips: a line lost, doubled, indented or given another value; a letter more or less."""
    lines = text.splitlines()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(lines))
        head, colon, rest = lines[at].partition(":")
        column = chance.randrange(len(lines[at]) + 1)
        slips = {
            "lost": [],
            "doubled": [lines[at], lines[chance.randrange(len(lines))]],
            "another value": [f"{head}{colon} {chance.choice(VALUES)}"],
            "a letter more": [lines[at][:column] + chance.choice(LETTERS) + lines[at][column:]],
            "a letter less": [head[:-1] + colon + rest],
            "indented": [" " * chance.randrange(4) + lines[at]],
        }
        lines[at : at + 1] = slips[chance.choice(list(slips))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seeds", [range(300), pytest.param(range(300, 5000), marks=pytest.mark.slow)], ids=["some", "many"])
def test_a_damaged_playbook_loads_or_is_refused_with_place_and_hint(seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(WHOLE, "whole.yaml")
    Path("roles/r/tasks").mkdir(parents=True)
    Path("roles/r/tasks/main.yml").write_text("- debug:\n")
    Path("more.yaml").write_text("- debug:\n")
    words = vocabulary()
    load_playbook(Path("whole.yaml"), words)
    refused = 0
    for seed in seeds:
        Path("damaged.yaml").write_text(damaged(WHOLE.read_text(), random.Random(seed)))
        try:
            load_playbook(Path("damaged.yaml"), words)
        except InputError as error:
            refused += 1
            assert error.where, f"seed {seed}: {error}"
            assert error.hint, f"seed {seed}: {error}"
    assert refused > len(seeds) // 2
