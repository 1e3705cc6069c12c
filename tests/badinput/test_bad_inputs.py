"""Each bad input is answered with its place, what is wrong, what to do, an exit code that is not 0, and no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from bad_inputs import AT_LOAD, AT_RUN, BadInput

from ringup.tasks.program import program


def run(case: BadInput, capfd: pytest.CaptureFixture[str], *more: str) -> tuple[int, str]:
    """Run the case as an operator would: its exit code, and all that was printed."""
    words = ["ringup", "playbook", "site.yaml", "-i", "hosts.yaml", *case.arguments, *more]
    with pytest.raises(SystemExit) as ended:
        program.run(words)
    out, err = capfd.readouterr()
    return int(ended.value.code or 0), out + err


def write(case: BadInput, folder: Path) -> None:
    for name, content in case.all_files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("case", AT_LOAD, ids=lambda case: case.name)
def test_a_bad_input_is_refused_before_any_host_is_touched(
    case: BadInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(case, tmp_path)
    monkeypatch.chdir(tmp_path)

    exit_code, answer = run(case, capfd)

    assert exit_code == case.exit_code, answer
    assert f"error: {case.where}" in answer
    assert case.says in answer
    assert "hint: " in answer, "an answer says what to do"
    assert case.hint in answer.partition("hint: ")[2]
    assert "Traceback" not in answer
    assert "PLAY" not in answer


@pytest.mark.parametrize("case", AT_RUN, ids=lambda case: case.name)
def test_a_mistake_that_only_a_host_meets_fails_that_host_with_a_sentence(
    case: BadInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(case, tmp_path)
    monkeypatch.chdir(tmp_path)

    exit_code, answer = run(case, capfd, "--limit", "node01")

    assert exit_code == 2, answer
    assert case.where in answer
    assert case.says in answer
    assert case.hint in answer
    assert "node01" in answer
    assert "Traceback" not in answer
