from pathlib import Path

import pytest

from ringup.agent.host import Host
from ringup.agent.modules.setup import local_facts, matches, wanted
from ringup.agent.task import perform


@pytest.mark.parametrize(
    ("subset", "subjects"),
    [
        (["all"], {"hardware", "network", "gpu"}),
        (["!all", "!min", "gpu"], {"gpu"}),
        (["!hardware"], {"network", "gpu"}),
        (["network"], {"network"}),
        (["!all"], set()),
        (["min"], set()),
        (["all", "!gpu"], {"hardware", "network"}),
    ],
)
def test_a_subset_names_and_leaves_out(subset: list[str], subjects: set[str]) -> None:
    assert wanted(subset) == subjects


def test_facts_are_those_of_this_machine() -> None:
    facts = perform("setup", {}, Host())["ansible_facts"]
    assert facts["system"] == "Linux"
    assert facts["kernel"] == Path("/proc/sys/kernel/osrelease").read_text().strip()
    assert facts["memtotal_mb"] > 0
    assert "lo" in facts["interfaces"]
    assert facts["lo"]["ipv4"]["address"] == "127.0.0.1"
    assert {python["version"] for python in facts["pythons"]} <= {f"3.{minor}" for minor in range(40)}


def test_a_filter_takes_names_with_and_without_their_prefix() -> None:
    assert matches("kernel", "ansible_kern*")
    assert matches("kernel", "kern*")
    facts = perform("setup", {"filter": "ansible_kernel"}, Host())["ansible_facts"]
    assert set(facts) == {"kernel"}


def test_a_local_fact_that_cannot_be_read_says_so_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "rack.fact").write_text('{"slot": 7}')
    (tmp_path / "bad.fact").write_text("{")
    found = local_facts([str(tmp_path)])
    assert found["rack"] == {"slot": 7}
    assert found["bad"].startswith("error:")
