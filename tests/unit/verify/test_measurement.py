import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.verify.measurement import Blame, Measurement, SumCheck, algbw, busbw, sweep_points, wrong_sums
from ringup.verify.plan import powers


@pytest.mark.parametrize(("ranks", "factor"), [(2, 1.0), (4, 1.5), (8, 1.75)])
def test_busbw_is_algbw_times_the_share_each_link_carries(ranks: int, factor: float) -> None:
    assert busbw(10.0, ranks) == pytest.approx(10.0 * factor)


def test_one_rank_has_no_bus() -> None:
    with pytest.raises(ValueError, match="no bus"):
        busbw(10.0, 1)


def test_algbw_counts_in_powers_of_ten() -> None:
    assert algbw(10**9, 1.0) == 1.0


def timed(rank: int, size: int, seconds: float) -> dict[str, object]:
    return {"rank": rank, "size_bytes": size, "dtype": "float32", "iterations": 9, "median_s": seconds, "min_s": seconds / 2}


def test_a_size_is_as_slow_as_its_slowest_rank() -> None:
    (point,) = sweep_points([timed(0, 10**6, 0.001), timed(1, 10**6, 0.004)], {0: "a", 1: "b"})
    assert point.median_s == 0.004
    assert point.algbw_gbps == pytest.approx(0.25)
    assert [time.host for time in point.per_rank] == ["a", "b"]


def test_a_size_that_one_rank_did_not_finish_is_left_out() -> None:
    assert sweep_points([timed(0, 1024, 0.1)], {0: "a", 1: "b"}) == ()


def test_a_wrong_sum_names_its_hosts_and_first_index() -> None:
    good = SumCheck(0, "a", "float16", 4096, 1024, 0)
    bad = SumCheck(1, "b", "float16", 4096, 1024, 3, {"index": 17, "seen": 5.0, "expected": 6.0})
    (blame,) = wrong_sums([good, bad])
    assert blame.host == "b"
    assert "index 17: 5.0 instead of 6.0" in blame.message


def test_a_sum_that_is_wrong_everywhere_blames_the_ring_not_a_host() -> None:
    bad = [SumCheck(rank, host, "float32", 8, 2, 1, {"index": 0}) for rank, host in enumerate("ab")]
    assert [blame.host for blame in wrong_sums(bad)] == [None]


@given(st.integers(4, 10**6), st.integers(0, 10**9), st.integers(2, 10))
def test_sizes_rise_from_the_lowest_to_exactly_the_highest(low: int, more: int, factor: int) -> None:
    sizes = powers(low, low + more, factor)
    assert sizes[0] == low
    assert sizes[-1] == low + more
    assert list(sizes) == sorted(set(sizes))


def test_a_ring_that_never_came_together_says_so() -> None:
    lines = Measurement("incomplete", 4, "", "eth1", blame=(Blame("node03", "preflight", "interface eth1 is down"),)).summary()
    assert lines == ("ring incomplete: 4 ranks did not come together over eth1", "node03: interface eth1 is down")
