"""The rack that all lab tests share: made once, taken down at the end. Needs root."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack, RackSpec

# another name lets two checkouts of one machine run their tests side by side
NAME = os.environ.get("RINGUP_TEST_RACK", "test")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/tests/lab/" in str(item.path):
            item.add_marker(pytest.mark.lab)


@pytest.fixture(scope="session")
def rack() -> Iterator[Rack]:
    """Four booted hosts, each with eight simulated H100 on its PCI bus."""
    lab.down(NAME)
    made = lab.up(RackSpec(NAME, hosts=4, gpus="8xH100"), say=print)
    yield made
    lab.down(NAME)


@pytest.fixture
def host(rack: Rack) -> Iterator[LabHost]:
    """The first host; faults that the test made on it are undone."""
    yield rack.host("node01")
    lab.clear(rack, "node01")
