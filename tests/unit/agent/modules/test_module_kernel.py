"""sysctl, modprobe and hostname; what touches the kernel runs in a UTS namespace of its own."""

import json
import subprocess
import sys

import pytest

from ringup.agent.arguments import parse
from ringup.agent.modules import modprobe, sysctl

IN_NAMESPACE = """
import json, sys
from ringup.agent.host import Host
from ringup.agent.task import perform
print(json.dumps([perform(module, args, Host(check=check)) for module, args, check in json.load(sys.stdin)]))
"""


@pytest.fixture
def in_namespace():
    """Run modules in a fresh UTS and mount namespace, where this machine's name is free to change."""

    def in_namespace(*calls, before="true"):
        script = f'{before} && exec "$0" -c "$1"'
        argv = ["unshare", "--uts", "--mount", "--map-root-user", "--user", "sh", "-ec", script, sys.executable, IN_NAMESPACE]
        done = subprocess.run(argv, input=json.dumps(calls), capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return in_namespace


def test_a_parameter_is_written_changed_and_taken_out(run_four_times, tmp_path):
    path = tmp_path / "90-rack.conf"
    path.write_text("# ours\nvm.swappiness = 10\n")
    args = {"name": "net.core.rmem_max", "sysctl_file": str(path), "reload": False}
    run_four_times(
        "sysctl",
        wanted=dict(args, value="1000"),
        otherwise=dict(args, value="2000"),
        removed=dict(args, state="absent"),
    )
    assert path.read_text() == "# ours\nvm.swappiness = 10\n"
    run_four_times("sysctl", wanted=dict(args, value="yes", sysctl_file=str(tmp_path / "new.conf")))
    assert (tmp_path / "new.conf").read_text() == "net.core.rmem_max=1\n"


@pytest.mark.parametrize(
    ("text", "name", "value", "expected"),
    [
        ("a.b = 1", "a.b", "1", "a.b = 1"),
        ("a.b=1\na.b=2\n", "a.b", "3", "a.b=3\n"),
        ("a/b=1\n", "a.b", "2", "a.b=2\n"),
        ("-a.b=1\n", "a.b", None, ""),
        ("#a.b=1\n", "a.b", "1", "#a.b=1\na.b=1\n"),
        ("c=1", "a.b", "1 2", "c=1\na.b=1 2\n"),
        ("net.ipv4.conf.eth0/1.mtu=1\n", "net/ipv4/conf/eth0.1/mtu", "2", "net/ipv4/conf/eth0.1/mtu=2\n"),
    ],
)
def test_a_parameter_stands_once_in_its_file(text, name, value, expected):
    assert sysctl.with_value(text, name, value) == expected


def test_the_running_kernel_follows(in_namespace, tmp_path):
    path = str(tmp_path / "a.conf")
    args = {"name": "kernel.domainname", "value": "rack.example", "sysctl_file": path, "sysctl_set": True}
    predicted, done, again = in_namespace(["sysctl", args, True], ["sysctl", args, False], ["sysctl", args, False])
    assert predicted["changed"] and done["changed"] and not done.get("failed"), done
    assert not again["changed"]


def test_a_refused_parameter_is_named_and_its_file_is_as_it_was(in_namespace, tmp_path):
    path = tmp_path / "a.conf"
    path.write_text("# before\n")
    args = {"name": "kernel.domainname", "value": "x" * 20, "sysctl_file": str(path)}
    read_only = "mount --bind -o ro /proc/sys/kernel /proc/sys/kernel"
    live, loaded = in_namespace(["sysctl", dict(args, sysctl_set=True), False], ["sysctl", args, False], before=read_only)
    for result in (live, loaded):
        assert result["failed"] and "kernel.domainname" in result["msg"] and "exception" not in result
    assert "container" in live["hint"]
    assert path.read_text() == "# before\n"


def test_an_unknown_parameter_fails_unless_that_is_no_error(run, tmp_path):
    args = {"name": "no.such.thing", "value": "1", "sysctl_file": str(tmp_path / "a"), "sysctl_set": True, "reload": False}
    assert "no parameter no.such.thing" in run("sysctl", **args)["msg"]
    assert run("sysctl", ignoreerrors=True, **args)["changed"]
    assert run("sysctl", name="a b", value="1")["failed"] and run("sysctl", name="a.b")["failed"]


def boot_files(folder, **args):
    """Apply what modprobe wants of its files below a folder, and give what it changed."""
    wanted = parse(modprobe.Args, {"name": "nvidia-peermem", **args})
    changed = modprobe.boot_files(wanted, str(folder / "load"), str(folder / "options"))
    for path, content in changed.items():
        (folder / path).write_bytes(content)
    return sorted(str((folder / path).relative_to(folder)) for path in changed)


def test_a_module_is_loaded_at_boot_with_its_parameters(tmp_path):
    (tmp_path / "load").mkdir()
    (tmp_path / "options").mkdir()
    assert boot_files(tmp_path) == []
    both = ["load/nvidia-peermem.conf", "options/nvidia-peermem.conf"]
    assert boot_files(tmp_path, persistent="present", params="a=1") == both
    assert boot_files(tmp_path, persistent="present", params="a=1") == []
    assert boot_files(tmp_path, persistent="present", params="a=2") == ["options/nvidia-peermem.conf"]
    assert boot_files(tmp_path, persistent="present", params="a=2") == []
    assert "\noptions nvidia-peermem a=2\n" in (tmp_path / "options" / "nvidia-peermem.conf").read_text()
    assert boot_files(tmp_path, persistent="absent") == both
    assert boot_files(tmp_path, persistent="absent") == []


def test_a_module_that_another_file_loads_is_not_listed_twice(tmp_path):
    (tmp_path / "load").mkdir()
    (tmp_path / "load" / "distribution.conf").write_text("nvidia_peermem\n")
    assert boot_files(tmp_path, persistent="present") == []
    assert boot_files(tmp_path, persistent="absent") == ["load/distribution.conf"]


def test_a_module_that_cannot_be_loaded_fails_with_its_name(run):
    result = run("modprobe", name="no-such-module-here")
    assert result["failed"] and "exception" not in result
    assert run("modprobe", name="no-such-module-here", check=True)["changed"]
    assert not run("modprobe", name="no-such-module-here", state="absent")["changed"]


def test_a_host_is_named_now_and_for_the_next_boot(in_namespace, tmp_path):
    # the folder is what is bound: a file that is bound cannot be replaced by a rename
    etc = tmp_path / "etc"
    etc.mkdir()
    (etc / "hostname").write_text("old\n")
    args = {"name": "node07.rack.example", "use": "debian"}
    predicted, done, again = in_namespace(
        ["hostname", args, True], ["hostname", args, False], ["hostname", args, False], before=f"mount --bind {etc} /etc"
    )
    assert predicted["changed"] and done["changed"] and not again["changed"]
    assert done["ansible_facts"]["ansible_hostname"] == "node07" and done["ansible_facts"]["ansible_domain"] == "rack.example"
    assert (etc / "hostname").read_text() == "node07.rack.example\n"


@pytest.mark.parametrize("name", ["", "-a", "a_b", "a..b", "x" * 65, "a b"])
def test_what_is_no_host_name_is_refused(run, name):
    assert "is no host name" in run("hostname", name=name)["msg"]
