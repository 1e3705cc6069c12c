from __future__ import annotations

from pathlib import Path

import pytest

from ringup.errors import UsageError
from ringup.lab import inventory, network, overview
from ringup.lab.plan import MOST_HOSTS, Rack, RackSpec, plan
from ringup.lab.ssh import command


def made(name: str = "lab", hosts: int = 4, index: int = 0, plain: bool = False) -> Rack:
    return plan(RackSpec(name, hosts, "none", plain=plain), index, Path("/racks"))


@pytest.mark.parametrize("name", ["a", "lab", "rack-2", "ninechars"])
def test_every_interface_name_fits_the_kernel(name: str) -> None:
    names = [thing.name for thing in made(name, MOST_HOSTS).things() if thing.kind in ("link", "bridge")]
    assert max(map(len, names)) <= 15
    assert len(names) == len(set(names))
    assert all(one.startswith(f"{name}-") for one in names)


def test_no_two_hosts_share_an_address_with_each_other_or_the_machine() -> None:
    rack = made(hosts=MOST_HOSTS, index=7)
    addresses = [rack.gateway, rack.ring_gateway, *(a for host in rack.hosts for a in (host.address, host.ring_address))]
    assert len(addresses) == len(set(addresses))
    assert all(address.startswith(("198.18.7.", "198.19.7.")) for address in addresses)


def test_racks_of_other_names_and_indices_share_nothing() -> None:
    first, second = set(made("one", index=0).things()), set(made("two", index=1).things())
    assert first.isdisjoint(second)


def test_a_host_is_found_by_name_and_a_stranger_is_named_with_those_there_are() -> None:
    assert made().host("node03").address == "198.18.0.3"
    with pytest.raises(UsageError) as refused:
        made().host("node05")
    assert refused.value.hint == "its hosts are node01 to node04"


@pytest.mark.parametrize("name", ["", "Lab", "1st", "much-too-long", "a/b", "lab-", "-lab", "a_b"])
def test_a_name_that_no_interface_could_carry_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        RackSpec(name)


@pytest.mark.parametrize("hosts", [0, -1, MOST_HOSTS + 1])
def test_a_number_of_hosts_that_no_subnet_holds_is_refused(hosts: int) -> None:
    with pytest.raises(UsageError):
        RackSpec(hosts=hosts)


def test_an_unknown_release_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as refused:
        RackSpec(release="buster")
    assert "bookworm" in str(refused.value.hint)


def test_only_the_management_network_gets_out() -> None:
    rules = network.nat_rules(made("rack-2", index=3))
    assert "table ip ringup_rack_2 {" in rules
    assert 'ip saddr 198.18.3.0/24 oifname != "rack-2-m" masquerade' in rules
    assert "198.19" not in rules


@pytest.mark.parametrize(("plain", "user"), [(False, "operator"), (True, "root")])
def test_plain_hosts_are_entered_as_root_because_sudo_may_be_missing(plain: bool, user: str) -> None:
    assert inventory.document(made(plain=plain), {})["gpu-rack"]["vars"]["ansible_user"] == user


def test_group_variables_are_added_to_the_inventory() -> None:
    variables = inventory.document(made(), {"nvidia_repository_url": "http://198.18.0.254:8080/"})["gpu-rack"]["vars"]
    assert variables["nvidia_repository_url"] == "http://198.18.0.254:8080/"
    assert variables["ring_interface"] == "eth1"


def test_each_rack_has_an_inventory_of_its_own() -> None:
    assert inventory.default_path("lab") == Path("inventory/lab.yaml")
    assert inventory.default_path("two") == Path("inventory/two.yaml")


def test_ssh_reads_no_configuration_and_trusts_only_the_racks_keys() -> None:
    words = command(made().host("node01").login, "operator", ["echo", "two words"])
    assert words[:3] == ["ssh", "-F", "/dev/null"]
    assert "UserKnownHostsFile=/racks/lab/known_hosts" in words
    assert words[-2:] == ["operator@198.18.0.1", "echo 'two words'"]


def test_the_welcome_says_how_to_go_on_with_a_rack_of_another_name() -> None:
    text = overview.welcome("two", 4, Path("inventory/two.yaml"), 2.04)
    assert "4 hosts in 2.0 s" in text
    assert "invoke lab.down --name two" in text
    assert "--name" not in overview.welcome("lab", 4, Path("inventory/lab.yaml"), 2.0)


def test_an_empty_list_says_how_to_begin() -> None:
    assert "invoke lab.up" in overview.text([])
