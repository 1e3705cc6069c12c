"""Statements 79 to 83 of Ansible's behaviour, tried on ansible-core 2.18 and 2.19."""

from __future__ import annotations

import pytest

from ringup.playbook import selected


@pytest.mark.parametrize(
    ("tags", "run", "skip", "runs"),
    [
        ("", "", "", True),
        ("a", "", "", True),
        ("never", "", "", False),
        ("always", "", "", True),
        ("a", "a", "", True),
        ("a", "b", "", False),
        ("", "a", "", False),
        ("always", "a", "", True),
        ("never a", "a", "", True),
        ("never", "never", "", True),
        ("never a", "all", "", False),
        ("never", "all never", "", True),
        ("a", "tagged", "", True),
        ("", "tagged", "", False),
        ("never a", "tagged", "", False),
        ("", "untagged", "", True),
        ("a", "untagged", "", False),
        ("always", "untagged", "", True),
        ("a", "a", "a", False),
        ("a b", "a", "b", False),
        ("always", "", "always", False),
        ("always", "", "a", True),
        ("a", "", "tagged", False),
        ("", "", "tagged", True),
        ("", "", "untagged", False),
        ("a", "", "all", False),
        ("always", "", "all", True),
        ("always", "", "all always", False),
    ],
)
def test_a_run_selects_by_tags_as_ansible_does(tags: str, run: str, skip: str, runs: bool) -> None:
    assert selected(frozenset(tags.split()), frozenset(run.split()), frozenset(skip.split())) is runs
