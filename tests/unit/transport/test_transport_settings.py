"""Inventory variables and ~/.ssh/config -> the way to a host."""

from __future__ import annotations

import getpass
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ringup.errors import InputError
from ringup.transport.known_hosts import fingerprint, known_keys
from ringup.transport.route import Hop, route
from ringup.transport.settings import ConnectionSettings


def settings(**variables: Any) -> ConnectionSettings:
    return ConnectionSettings.from_variables("node01", variables)


@pytest.mark.parametrize(
    ("variables", "attribute", "value"),
    [
        ({}, "address", "node01"),
        ({"ansible_host": "198.18.0.1"}, "address", "198.18.0.1"),
        ({"ansible_ssh_host": "198.18.0.2"}, "address", "198.18.0.2"),
        ({"ansible_port": "2222"}, "port", 2222),
        ({"ansible_user": "ops"}, "user", "ops"),
        ({"ansible_ssh_user": "ops"}, "user", "ops"),
        ({"ansible_private_key_file": "/k"}, "private_key", Path("/k")),
        ({"ansible_ssh_private_key_file": "/k"}, "private_key", Path("/k")),
        ({"ansible_connection": "local"}, "kind", "local"),
        ({"ansible_connection": "smart"}, "kind", "ssh"),
        ({"ansible_python_interpreter": "auto_silent"}, "interpreter", None),
        ({"ansible_python_interpreter": "/opt/py/bin/python3"}, "interpreter", "/opt/py/bin/python3"),
        ({"ansible_host_key_checking": "no"}, "check_host_keys", False),
        ({"ansible_ssh_host_key_checking": True}, "check_host_keys", True),
        ({"ansible_ssh_common_args": "-o StrictHostKeyChecking=no"}, "check_host_keys", False),
        ({"ansible_ssh_common_args": "-J gate,inner"}, "proxy_jump", "gate,inner"),
        ({"ansible_ssh_extra_args": "-o ProxyJump=gate"}, "proxy_jump", "gate"),
        ({"ansible_ssh_common_args": "-o UserKnownHostsFile=/a -o ControlMaster=auto -C"}, "known_hosts", (Path("/a"),)),
        ({"ringup_known_hosts_file": "/a /b"}, "known_hosts", (Path("/a"), Path("/b"))),
    ],
)
def test_variable_of_ansible_means_what_it_means_there(variables: dict[str, Any], attribute: str, value: object) -> None:
    assert getattr(settings(**variables), attribute) == value


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"ansible_port": "ssh"}, "ansible_port"),
        ({"ansible_port": 70000}, "ansible_port"),
        ({"ansible_connection": "docker"}, "ansible_connection 'docker'"),
        ({"ansible_ssh_extra_args": "-o ForwardX11=yes"}, "ForwardX11"),
        ({"ansible_ssh_common_args": "-L 1:2:3"}, "'-L'"),
    ],
)
def test_what_cannot_be_honoured_is_refused_with_its_name(variables: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as refused:
        settings(**variables)
    assert refused.value.where == "node01"
    assert refused.value.hint


def ssh_config(home: Path, text: str) -> None:
    (home / ".ssh" / "config").write_text(text)


def host(**variables: Any) -> Hop:
    return route(settings(**variables))[-1]


def test_without_a_word_it_is_the_user_at_port_22() -> None:
    hop = host()
    assert (hop.address, hop.port, hop.user, hop.strict) == ("node01", 22, getpass.getuser(), "yes")


def test_ssh_configuration_fills_what_the_inventory_leaves_open(home: Path) -> None:
    ssh_config(
        home,
        "Host node*\n HostName %h.rack\n User ops\n Port 2200\n IdentityFile ~/.ssh/rack\n IdentitiesOnly yes\n"
        " UserKnownHostsFile ~/.ssh/rack_hosts\n StrictHostKeyChecking accept-new\n HostKeyAlias rack-%h\n",
    )
    hop = host()
    assert (hop.address, hop.user, hop.port, hop.strict) == ("node01.rack", "ops", 2200, "accept-new")
    assert (hop.identities, hop.identities_only) == ((home / ".ssh/rack",), True)
    assert hop.known_hosts == (home / ".ssh/rack_hosts",)
    inventory = host(ansible_user="root", ansible_port=22, ansible_private_key_file="/k", ringup_known_hosts_file="/f")
    assert (inventory.user, inventory.port, inventory.identities, inventory.known_hosts) == ("root", 22, (Path("/k"),), (Path("/f"),))


def test_ssh_configuration_is_read_again_when_it_has_changed(home: Path) -> None:
    ssh_config(home, "Host node01\n User one\n")
    assert host().user == "one"
    ssh_config(home, "Host node01\n User another\n")
    assert host().user == "another"


def test_included_files_stand_in_their_place_and_the_block_goes_on_behind_them(home: Path) -> None:
    (home / ".ssh" / "conf.d").mkdir()
    (home / ".ssh" / "conf.d" / "a").write_text("Host other\n User wrong\n")
    (home / ".ssh" / "conf.d" / "b").write_text("Host node01\n Port 2201\n")
    ssh_config(home, "Host node01\n Include conf.d/*\n User ops\n")
    assert (host().user, host().port) == ("ops", 2201)


def test_files_that_include_each_other_are_refused(home: Path) -> None:
    ssh_config(home, "Include config\n")
    with pytest.raises(InputError, match="circle"):
        host()


def test_broken_ssh_configuration_is_named(home: Path) -> None:
    ssh_config(home, "Host node01\n Port many\n")
    with pytest.raises(InputError) as refused:
        host()
    assert "config" in str(refused.value.where)


def ways(hops: tuple[Hop, ...]) -> list[str]:
    return [f"{hop.user}@{hop.address}:{hop.port}" for hop in hops]


def test_jump_hosts_come_in_order_each_with_its_own_settings(home: Path) -> None:
    ssh_config(home, "Host gate\n HostName gate.example\n User gatekeeper\n ProxyJump outer\nHost outer\n User out\n Port 2022\n")
    hops = route(settings(ansible_user="ops", ansible_ssh_common_args="-o ProxyJump=gate,ada@inner:2200"))
    assert ways(hops) == ["out@outer:2022", "gatekeeper@gate.example:22", "ada@inner:2200", "ops@node01:22"]


@pytest.mark.parametrize(
    "command",
    ["ssh -W %h:%p gate", "ssh -q -W %h:%p gate", "/usr/bin/ssh -W %h:%p -q gate", "ssh gate -W %h:%p"],
)
def test_proxy_command_that_is_a_jump_host_in_older_words_is_one(command: str) -> None:
    hops = route(settings(ansible_ssh_common_args=f'-o ProxyCommand="{command}"'))
    assert [hop.address for hop in hops] == ["gate", "node01"]
    assert hops[-1].proxy_command is None


def test_other_proxy_command_stays_a_program() -> None:
    (hop,) = route(settings(ansible_ssh_common_args='-o ProxyCommand="nc -X connect %h %p"'))
    assert hop.proxy_command == "nc -X connect %h %p"


def test_the_word_none_means_a_direct_way(home: Path) -> None:
    ssh_config(home, "Host *\n ProxyJump gate\n")
    assert [hop.address for hop in route(settings())] == ["gate", "node01"]
    assert [hop.address for hop in route(settings(ansible_ssh_common_args="-o ProxyJump=none"))] == ["node01"]


def make_key(folder: Path) -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)
    return " ".join((folder / "key.pub").read_text().split()[:2])


@pytest.mark.parametrize("name", ["node01", "[node01]:2222", "node02.rack", "gate", "198.18.0.1", "unknown"])
@pytest.mark.parametrize("hashed", [False, True])
def test_known_names_are_those_that_openssh_finds(tmp_path: Path, name: str, hashed: bool) -> None:
    key, file = make_key(tmp_path), tmp_path / "known_hosts"
    lines = ["# a comment", "", f"node01,198.18.0.1 {key} trailing words", f"[node01]:2222 {key}", f"*.rack,!node02.rack {key}"]
    file.write_text("\n".join([*lines, f"@cert-authority gate {key}"]) + "\n")
    if hashed:
        subprocess.run(["ssh-keygen", "-q", "-H", "-f", str(file)], check=True, capture_output=True)
    found = subprocess.run(["ssh-keygen", "-F", name, "-f", str(file)], capture_output=True, text=True).stdout.splitlines()
    expected = [int(line.split("line ")[1]) for line in found if line.startswith("# Host") and "CA" not in line]
    assert [known.source.line for known in known_keys(name, [file])] == expected
    shown = subprocess.run(["ssh-keygen", "-lf", str(tmp_path / "key.pub")], check=True, capture_output=True, text=True).stdout.split()[1]
    assert {fingerprint(known.blob) for known in known_keys(name, [file])} <= {shown}


def test_lines_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    key, file = make_key(tmp_path), tmp_path / "known_hosts"
    file.write_text(f"broken\nnode01 ssh-ed25519 not-base64\n|1|short {key}\n@odd node01 {key}\n\xff\nnode01 {key}\n")
    assert [known.source.line for known in known_keys("node01", [file, tmp_path / "missing"])] == [6]
