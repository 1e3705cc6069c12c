"""The rack that all lab tests share: made once, taken down at the end. Needs root."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack, RackSpec
from ringup.transport.connection import HostConnection
from ringup.transport.link import Call
from ringup.transport.settings import ConnectionSettings

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


#: runs a module on the first host as root: name, then `check=True` if so, then its options; gives the result
Perform = Callable[..., dict[str, Any]]


@pytest.fixture
def perform(rack: Rack, host: LabHost) -> Iterator[Perform]:
    """Modules on the first host, as root, through a connection of their own."""
    variables = {
        "ansible_host": host.address,
        "ansible_user": "operator",
        "ansible_ssh_private_key_file": str(rack.key),
        "ringup_known_hosts_file": str(rack.known_hosts),
    }
    connection = HostConnection(ConnectionSettings.from_variables(host.name, variables))

    def perform(module: str, *, check: bool = False, progress: Callable[[str], None] | None = None, **options: Any) -> dict[str, Any]:
        call = Call(module, options, key=uuid.uuid4().hex, check=check, diff=True, on_progress=progress)
        return connection.call(call, become_user="root")

    yield perform
    connection.close()


@pytest.fixture
def converge(perform: Perform) -> Perform:
    """A change that check mode foretells, that happens once, and that is then seen to have happened."""

    def converge(module: str, **options: Any) -> dict[str, Any]:
        foretold = perform(module, check=True, **options)
        done = perform(module, **options)
        again = perform(module, **options)
        for result in (foretold, done, again):
            assert not result.get("failed"), result
        assert foretold["changed"] and done["changed"] and not again["changed"], (foretold, done, again)
        assert foretold["diff"] == done["diff"]
        assert not perform(module, check=True, **options)["changed"]
        return done

    return converge
