"""The reference names every keyword there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringup.playbook import keywords

REFERENCE = Path(__file__).parents[3] / "docs" / "playbooks.md"
TABLES = {
    name: getattr(keywords, name)
    for name in ("BLOCK", "HANDLER", "IMPORT_PLAYBOOK", "LOOP_CONTROL", "PLAY", "ROLE", "TASK", "UNSUPPORTED", "VARS_PROMPT")
}


@pytest.mark.parametrize("table", TABLES)
def test_the_reference_names_every_keyword(table: str) -> None:
    text = REFERENCE.read_text()
    assert [keyword for keyword in TABLES[table] if f"`{keyword}`" not in text] == []
