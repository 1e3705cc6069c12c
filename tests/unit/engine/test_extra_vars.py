"""The forms of `-e`, and keywords that are true or false once rendered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ringup.engine.options import parse_extra_vars
from ringup.engine.truth import truth
from ringup.errors import TemplateError, UsageError


@pytest.mark.parametrize(
    ("given", "variables"),
    [
        ([], {}),
        (["a=1"], {"a": "1"}),
        (["a=1 b='two words'"], {"a": "1", "b": "two words"}),
        (["a=x=y"], {"a": "x=y"}),
        (['{"a": 1, "b": [true]}'], {"a": 1, "b": [True]}),
        (["{a: 1, b: yes}"], {"a": 1, "b": True}),
        (["a=1", "a=2"], {"a": "2"}),
    ],
)
def test_words_are_texts_and_json_and_yaml_keep_their_types(given: list[str], variables: dict[str, Any]) -> None:
    assert parse_extra_vars(given) == variables


def test_a_file_of_variables_is_read(tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text("a: 1\n")
    assert parse_extra_vars([f"@{tmp_path / 'more.yaml'}", "b=2"]) == {"a": 1, "b": "2"}


@pytest.mark.parametrize("text", ["word", "1a=2", "[1, 2]", "@/nowhere/vars.yaml"])
def test_what_is_none_of_these_is_told(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_extra_vars([text])
    assert caught.value.where == "-e"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("value", "means"),
    [(True, True), ("yes", True), (1, True), (False, False), ("false", False), ("no", False), (None, False), ("", False)],
)
def test_a_rendered_keyword_is_what_its_text_says(value: object, means: bool) -> None:
    assert truth(value, "run_once") is means


def test_a_keyword_that_is_neither_is_an_error() -> None:
    with pytest.raises(TemplateError, match="run_once must be true or false, not 'maybe'"):
        truth("maybe", "run_once")
