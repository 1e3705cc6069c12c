"""Batches of a play, and when too many of one have failed (statements 19, 48 and 49)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.engine.batches import batch_size, batches, ordered, too_many
from ringup.errors import PlaybookError


@pytest.mark.parametrize(
    ("size", "total", "hosts"),
    [(2, 4, 2), ("2", 4, 2), ("30%", 4, 1), ("50%", 4, 2), ("1%", 4, 1), ("100%", 4, 4), ("33.4%", 3, 1), (0, 4, 4), (9, 4, 9)],
)
def test_a_percentage_is_rounded_down_and_at_least_one_host(size: int | str, total: int, hosts: int) -> None:
    assert batch_size(size, total) == hosts


@pytest.mark.parametrize("size", ["half", "%", "", "1.5"])
def test_a_size_that_is_none_is_told_with_what_to_write(size: str) -> None:
    with pytest.raises(PlaybookError) as caught:
        batch_size(size, 4)
    assert "serial: 2" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("serial", "cut"),
    [
        ((), ["abcde"]),
        ((2,), ["ab", "cd", "e"]),
        ((1, 3), ["a", "bcd", "e"]),
        ((1, "40%"), ["a", "bc", "de"]),
        ((0,), ["abcde"]),
    ],
)
def test_the_last_size_repeats_until_no_host_is_left(serial: tuple[int | str, ...], cut: list[str]) -> None:
    assert batches("abcde", serial) == [list(batch) for batch in cut]


@given(st.lists(st.integers(), unique=True), st.lists(st.one_of(st.integers(0, 9), st.integers(0, 100).map("{}%".format)), max_size=4))
def test_every_host_is_in_exactly_one_batch(hosts: list[int], serial: list[int | str]) -> None:
    names = [f"n{host}" for host in hosts]
    cut = batches(names, serial)
    assert [host for batch in cut for host in batch] == names
    assert all(cut)


@pytest.mark.parametrize(
    ("failed", "total", "percentage", "stops"),
    [(1, 4, 25, False), (1, 4, 24, True), (1, 2, 49, True), (0, 4, 0, False), (1, 4, 0, True), (4, 4, None, False), (0, 0, 0, False)],
)
def test_the_percentage_must_be_exceeded(failed: int, total: int, percentage: float | None, stops: bool) -> None:
    assert too_many(failed, total, percentage) is stops


@pytest.mark.parametrize(
    ("order", "hosts"),
    [(None, "bca"), ("inventory", "bca"), ("reverse_inventory", "acb"), ("sorted", "abc"), ("reverse_sorted", "cba")],
)
def test_hosts_come_in_the_order_of_the_play(order: str | None, hosts: str) -> None:
    assert ordered("bca", order) == list(hosts)


def test_shuffling_loses_no_host() -> None:
    assert sorted(ordered("bca", "shuffle")) == ["a", "b", "c"]
