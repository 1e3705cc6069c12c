"""Facts of a booted host, through its agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ringup.lab.rack import LabHost

Perform = Callable[..., dict[str, Any]]


def test_a_lab_host_is_told_by_its_facts(perform: Perform, host: LabHost) -> None:
    facts = perform("setup")["ansible_facts"]
    assert (facts["distribution"], facts["os_family"], facts["pkg_mgr"], facts["service_mgr"]) == ("Debian", "Debian", "apt", "systemd")
    assert facts["hostname"] == host.name
    assert facts["user_id"] == "root"
    assert "container" in facts["virtualization_tech_guest"]
    assert facts["default_ipv4"]["address"] == host.address
    assert facts["eth1"]["ipv4"]["address"] == host.ring_address
    assert facts["boot_id"] == host.boot_id()
    assert "/" in {mount["mount"] for mount in facts["mounts"]}
    assert facts["python"]["version"]["major"] == 3


def test_simulated_gpus_switches_and_links_are_seen_without_a_driver(perform: Perform) -> None:
    facts = perform("setup", gather_subset=["!all", "!min", "gpu"])["ansible_facts"]
    assert [gpu["vendor"] for gpu in facts["gpus"]] == ["0x10de"] * 8
    assert {gpu["numa_node"] for gpu in facts["gpus"]} == {0, 1}
    assert {gpu["current_link_speed"] for gpu in facts["gpus"]} == {"32.0 GT/s PCIe"}
    assert len(facts["nvswitches"]) == 4
    assert "hostname" not in facts


def test_a_hold_is_a_fact(perform: Perform) -> None:
    before = perform("dpkg_selections", name="procps", selection="hold")
    assert not before.get("failed")
    assert "procps" in perform("setup", filter="package_holds")["ansible_facts"]["package_holds"]
    perform("dpkg_selections", name="procps", selection="install")
    assert "procps" not in perform("setup", filter="package_holds")["ansible_facts"]["package_holds"]
