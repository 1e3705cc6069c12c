"""A folder for a playbook, and the loader with the toolkit's real vocabulary."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ringup.actions import vocabulary
from ringup.playbook import load_playbook
from ringup.playbook.values import Playbook

Load = Callable[..., Playbook]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """load(playbook, files={...}): writes `site.yaml` and other files into the working folder and loads it."""
    monkeypatch.chdir(tmp_path)

    def write_and_load(playbook: str, files: Mapping[str, str] | None = None, **words: object) -> Playbook:
        for name, text in {"site.yaml": playbook, **(files or {})}.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return load_playbook(Path("site.yaml"), vocabulary(**words))  # type: ignore[arg-type]

    return write_and_load
