"""setup on this machine: subsets, filters, and the same values as ansible-core's."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ringup.agent.arguments import ArgumentError
from ringup.agent.facts.subjects import GPU, HARDWARE, MIN, PARTS, chosen
from ringup.agent.host import Host
from ringup.agent.modules.setup import matches
from ringup.agent.task import perform

#: facts that move by themselves, and those of which we say more
MOVING = {"date_time", "memfree_mb", "memory_mb", "uptime_seconds", "loadavg", "env", "fqdn", "domain", "interfaces", "devices", "mounts"}
#: facts of subjects that we leave out: nothing here needs iSCSI, LVM, fibre channel or capabilities
LEFT_OUT = {
    "device_links", "fibre_channel_wwn", "hostnqn", "iscsi_iqn", "locally_reachable_ips", "lvm", "system_capabilities",
    "system_capabilities_enforced",
}  # fmt: skip


def facts(**args):
    result = perform("setup", args, Host())
    assert not result.get("failed"), result
    return result["ansible_facts"]


@pytest.mark.parametrize(
    ("subset", "parts"),
    [
        (["all"], set(PARTS)),
        (["!all", "!min", "gpu"], set(GPU)),
        (["!hardware"], set(PARTS) - set(HARDWARE)),
        (["network"], {*MIN, "interfaces"}),
        (["!all"], set(MIN)),
        (["!all", "!min"], set()),
        (["min"], set(MIN)),
        (["all", "!gpu"], set(PARTS) - set(GPU)),
        (["!all", "!min", "mounts"], {"mounts"}),
        (["!min", "default_ipv4"], {"interfaces"}),
        (["hardware", "!mounts"], {*MIN, *HARDWARE} - {"mounts"}),
    ],
)
def test_a_subset_names_and_leaves_out(subset, parts):
    assert set(chosen(subset)) == parts


def test_a_subset_that_there_is_not_is_refused_with_the_nearest():
    with pytest.raises(ArgumentError) as refused:
        chosen(["hardwear"])
    assert refused.value.hint == "did you mean 'hardware'?"


@pytest.fixture(scope="module")
def by_ansible(tmp_path_factory):
    """What `ansible localhost -m setup` says of this machine, without the prefix."""
    tree = tmp_path_factory.mktemp("facts")
    argv = [Path(sys.executable).parent / "ansible", "localhost", "-m", "setup", "--tree", tree]
    subprocess.run(argv, check=True, capture_output=True, env=dict(os.environ, ANSIBLE_PYTHON_INTERPRETER=sys.executable))
    told = json.loads((tree / "localhost").read_text())["ansible_facts"]
    return {name[len("ansible_") :]: value for name, value in told.items() if name.startswith("ansible_")}


def test_facts_have_the_values_that_ansible_finds(by_ansible):
    ours = facts()
    per_interface = {name for name in by_ansible if isinstance(by_ansible[name], dict) and "device" in by_ansible[name]}
    compared = by_ansible.keys() - MOVING - LEFT_OUT - per_interface - {"python"}
    for name in ("all_ipv4_addresses", "all_ipv6_addresses"):
        # racks of other tests come and go: those of the default route's interface stay
        compared.discard(name)
    for name in ("virtualization_tech_guest", "virtualization_tech_host"):
        ours[name], by_ansible[name] = set(ours[name]), set(by_ansible[name])
    assert {name: ours.get(name, "missing") for name in compared} == {name: by_ansible[name] for name in compared}
    assert ours["python"]["version"] == by_ansible["python"]["version"]
    assert ours["memory_mb"].keys() == by_ansible["memory_mb"].keys()
    assert ours["date_time"].keys() == by_ansible["date_time"].keys()


def test_an_interface_has_the_values_that_ansible_finds(by_ansible):
    name = by_ansible["default_ipv4"]["interface"]
    theirs = dict(by_ansible[name])
    assert {key: facts()[name].get(key) for key in theirs} == theirs


def test_a_mount_has_the_values_that_ansible_finds(by_ansible):
    theirs = next(one for one in by_ansible["mounts"] if one["mount"] == "/")
    ours = next(one for one in facts()["mounts"] if one["mount"] == "/")
    assert theirs.keys() == ours.keys()
    steady = ("device", "fstype", "options", "block_size", "block_total", "inode_total", "size_total", "uuid")
    assert {key: ours[key] for key in steady} == {key: theirs[key] for key in steady}


def test_no_program_is_started_for_facts():
    class Watched(Host):
        def run(self, argv, **how):
            raise AssertionError(f"facts started {argv}")

    assert not perform("setup", {}, Watched()).get("failed")


def test_a_name_server_that_does_not_answer_does_not_hold_the_facts_up(monkeypatch):
    from ringup.agent.facts import system

    answered = []
    asked = __import__("threading").Event()
    monkeypatch.setattr(system, "LOOKUP_S", 0.01)
    monkeypatch.setattr(socket, "getfqdn", lambda name: (asked.wait(), answered.append(name))[0])
    assert system.full_name("no-host-of-this-name") == "no-host-of-this-name"
    assert answered == []
    asked.set()


def test_a_filter_takes_names_with_and_without_their_prefix():
    assert matches("kernel", "ansible_kern*")
    assert matches("kernel", "kern*")
    assert set(facts(filter="ansible_kernel")) == {"kernel"}


def test_local_facts_are_json_ini_or_programs_and_a_broken_one_says_so_in_its_place(tmp_path):
    (tmp_path / "rack.fact").write_text('{"slot": 7}')
    (tmp_path / "old.fact").write_text("[place]\nroom = 3\n")
    (tmp_path / "bad.fact").write_text("{")
    (tmp_path / "asked.fact").write_text("#!/bin/sh\necho '{\"answer\": 42}'\n")
    (tmp_path / "failing.fact").write_text("#!/bin/sh\necho sorry >&2\nexit 3\n")
    for name in ("asked", "failing"):
        (tmp_path / f"{name}.fact").chmod(0o755)
    found = facts(gather_subset=["!all", "!min", "local"], fact_path=str(tmp_path))["local"]
    assert (found["rack"], found["old"], found["asked"]) == ({"slot": 7}, {"place": {"room": "3"}}, {"answer": 42})
    assert "bad.fact" in found["bad"]
    assert "sorry" in found["failing"]
