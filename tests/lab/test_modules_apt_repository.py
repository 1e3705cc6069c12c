"""apt_repository with apt itself on a booted host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringup.lab.rack import LabHost

Perform = Callable[..., dict[str, Any]]


def test_a_source_that_cannot_be_fetched_is_taken_back(perform: Perform, host: LabHost) -> None:
    result = perform("apt_repository", repo="deb [trusted=yes] file:/no/such/repository ./", filename="broken", update_cache_retries=0)
    assert result["failed"]
    assert "Failed to update apt cache" in result["msg"]
    assert host.ssh(["test", "-e", "/etc/apt/sources.list.d/broken.list"]).returncode == 1


def test_a_source_is_read_as_soon_as_it_is_there(perform: Perform, converge: Perform, host: LabHost) -> None:
    host.ssh(["sh", "-c", "mkdir -p /srv/flat && : >/srv/flat/Packages"], user="root")
    line = "deb [trusted=yes] file:/srv/flat ./"
    converge("apt_repository", repo=line)
    assert line in host.ssh(["cat", "/etc/apt/sources.list.d/srv_flat.list"]).stdout
    converge("apt_repository", repo=line, state="absent")
    assert host.ssh(["test", "-e", "/etc/apt/sources.list.d/srv_flat.list"]).returncode == 1
