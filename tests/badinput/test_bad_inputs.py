"""Each bad input is answered with its place, what is wrong, what to do, an exit code that is not 0, and no traceback."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from bad_inputs import AT_LOAD, BadInput

from ringup.actions import vocabulary
from ringup.display.errors import show_error
from ringup.errors import RingupError
from ringup.inventory import load_inventory
from ringup.playbook import load_playbook

#: What a runner gives: the exit code, and all that was printed.
Runner = Callable[[BadInput], tuple[int, str]]


def by_loading(case: BadInput) -> tuple[int, str]:
    """Read inventory and playbook and select the hosts: all that a run does before it touches one."""
    printed = io.StringIO()
    try:
        inventory = load_inventory([Path("hosts.yaml")])
        for play in load_playbook(Path("site.yaml"), vocabulary()).plays:
            selection = inventory.select(play.hosts, source=play.source)
            for part in selection.unmatched:
                raise inventory.unmatched(part, play.source)
    except RingupError as error:
        show_error(error, printed)
        return error.exit_code, printed.getvalue()
    return 0, printed.getvalue()


@pytest.mark.parametrize("case", AT_LOAD, ids=lambda case: case.name)
def test_a_bad_input_is_answered_with_its_place_and_what_to_do(case: BadInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in case.all_files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)

    exit_code, answer = by_loading(case)

    assert exit_code == case.exit_code, answer
    assert f"error: {case.where}" in answer
    assert case.says in answer
    assert "hint: " in answer, "an answer says what to do"
    assert case.hint in answer.partition("hint: ")[2]
    assert "Traceback" not in answer
