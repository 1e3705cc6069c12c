import pytest

from ringup.errors import InputError
from ringup.nccl.interfaces import Interface, interfaces, ring_interface
from ringup.nccl.profile import Setting, build_profile

HOST = (
    Interface("lo", "127.0.0.1", 8),
    Interface("eth0", "198.18.0.1", 24),
    Interface("eth1", "198.18.1.1", 24, 9000),
    Interface("docker0", "172.17.0.1", 16),
)


@pytest.mark.parametrize(
    ("wishes", "name"),
    [
        ({"wished": "eth1"}, "eth1"),
        ({"address": "198.18.1.1"}, "eth1"),
        ({"wished": "eth1", "address": "198.18.1.1"}, "eth1"),
        ({"subnet": "198.18.1.0/24"}, "eth1"),
        ({"subnet": "198.18.0.0/24"}, "eth0"),
    ],
)
def test_the_rings_interface_is_found_by_what_the_inventory_says(wishes: dict[str, str], name: str) -> None:
    found = ring_interface(HOST, **wishes)
    assert found.interface.name == name
    assert found.because


@pytest.mark.parametrize(
    "wishes",
    [
        {"wished": "eth7"},
        {"address": "198.18.9.9"},
        {"wished": "eth0", "address": "198.18.1.1"},
        {"subnet": "10.0.0.0/8"},
        {"subnet": "172.17.0.0/16"},
        {"subnet": "not a network"},
        {},
    ],
)
def test_what_is_not_there_or_not_clear_is_refused_with_what_is_there(wishes: dict[str, str]) -> None:
    with pytest.raises(InputError) as refused:
        ring_interface(HOST, where="node01", **wishes)
    assert refused.value.where == "node01"
    assert refused.value.hint


def test_a_host_with_one_real_interface_needs_no_wish() -> None:
    assert ring_interface(HOST[:2] + HOST[3:]).interface.name == "eth0"


def test_facts_by_ansibles_names_become_interfaces() -> None:
    facts = {
        "interfaces": ["lo", "eth1", "eth1.100"],
        "lo": {"device": "lo", "ipv4": {"address": "127.0.0.1", "netmask": "255.0.0.0"}},
        "eth1": {
            "device": "eth1",
            "mtu": 9000,
            "ipv4": {"address": "10.0.0.5", "prefix": "24"},
            "ipv4_secondaries": [{"address": "10.0.0.6", "prefix": "24"}],
        },
        "eth1_100": {"device": "eth1.100", "ipv4": {"address": "10.1.0.5", "netmask": "255.255.0.0"}},
    }
    assert [(one.name, one.address, one.prefix) for one in interfaces(facts)] == [
        ("lo", "127.0.0.1", 8),
        ("eth1", "10.0.0.5", 24),
        ("eth1", "10.0.0.6", 24),
        ("eth1.100", "10.1.0.5", 16),
    ]


def test_every_setting_of_a_profile_carries_its_reason_into_the_file() -> None:
    profile = build_profile(ring_interface(HOST, wished="eth1"), "bring-up")
    assert all(setting.because for setting in profile.settings)
    text = profile.nccl_conf()
    assert "NCCL_SOCKET_IFNAME==eth1\n" in text
    assert "GLOO" not in text
    assert "export GLOO_SOCKET_IFNAME=eth1\n" in profile.profile_d()


def test_production_is_quiet_and_the_operators_settings_win() -> None:
    profile = build_profile(ring_interface(HOST, wished="eth1"), "production", [Setting("NCCL_DEBUG", "VERSION", "asked for")])
    assert profile.as_environment()["NCCL_DEBUG"] == "VERSION"
    assert "NCCL_DEBUG_SUBSYS" not in profile.as_environment()


def test_debug_levels_stay_out_of_the_file_and_the_file_has_no_blanks_that_would_become_values() -> None:
    profile = build_profile(ring_interface(HOST, wished="eth1"), "bring-up")
    assert "NCCL_DEBUG" not in profile.nccl_conf()
    assert "export NCCL_DEBUG=INFO" in profile.profile_d()
    lines = [line for line in profile.nccl_conf().splitlines() if not line.startswith("#")]
    assert all(" " not in line and '"' not in line for line in lines)
