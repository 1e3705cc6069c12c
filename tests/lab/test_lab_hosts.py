"""A lab host is a real host: systemd, sshd, sudo, apt, names, two networks."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ringup.lab import inventory, keys, parts
from ringup.lab.plan import REPOSITORY_PORT
from ringup.lab.rack import LabHost, Rack


def answers(rack: Rack, command: str) -> list[str]:
    """What each host prints, all of them having succeeded."""
    done = [host.ssh(command) for host in rack.hosts]
    assert [one.returncode for one in done] == [0] * len(done), [one.stderr for one in done]
    return [one.stdout.strip() for one in done]


def test_every_host_runs_systemd_without_a_failed_unit(rack: Rack) -> None:
    assert answers(rack, "cat /proc/1/comm") == ["systemd"] * 4
    assert answers(rack, "systemctl is-system-running --wait") == ["running"] * 4


def test_hosts_have_names_and_ids_of_their_own(rack: Rack) -> None:
    assert answers(rack, "hostname") == [host.name for host in rack.hosts]
    assert len(set(answers(rack, "cat /etc/machine-id"))) == 4
    assert len(set(answers(rack, "cat /etc/ssh/ssh_host_ed25519_key.pub"))) == 4
    assert len(set(answers(rack, "cat /proc/sys/kernel/random/boot_id"))) == 4


def test_operator_is_root_by_sudo_without_a_password(host: LabHost) -> None:
    assert host.ssh(["id", "-un"]).stdout == "operator\n"
    assert host.ssh(["sudo", "-n", "id", "-u"]).stdout == "0\n"


def test_secured_is_root_by_sudo_with_its_password_only(rack: Rack, host: LabHost) -> None:
    assert host.ssh(["sudo", "-n", "id", "-u"], user="secured").returncode == 1
    password = rack.secured_password.read_text()
    assert host.ssh(["sudo", "-k", "-S", "id", "-u"], user="secured", stdin=password).stdout == "0\n"
    assert host.ssh(["sudo", "-k", "-S", "id", "-u"], user="secured", stdin="wrong\n").returncode == 1


def test_private_state_is_for_root_only(rack: Rack) -> None:
    assert rack.folder.stat().st_mode & 0o777 == 0o700
    for path in (rack.key, rack.secured_password):
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_host_with_another_key_is_refused(host: LabHost, tmp_path: Path) -> None:
    impostor = tmp_path / "known_hosts"
    impostor.write_text(keys.known_hosts_line(host, keys.new_pair()))
    login = dataclasses.replace(host.login, known_hosts=impostor)
    refused = dataclasses.replace(host, login=login).ssh(["true"])
    assert refused.returncode == 255
    assert "Host key verification failed" in refused.stderr


@pytest.mark.parametrize("name", ["node02", "node03-ring"])
def test_hosts_reach_each_other_by_name(host: LabHost, name: str) -> None:
    assert host.ssh(["ping", "-c", "1", "-W", "5", name]).returncode == 0


def test_the_two_networks_are_apart(rack: Rack, host: LabHost) -> None:
    route = host.ssh(["ip", "-o", "route", "get", rack.host("node02").ring_address]).stdout
    assert "dev eth1" in route
    assert f"src {host.ring_address}" in route
    assert "dev eth0" in host.ssh(["ip", "-o", "route", "show", "default"]).stdout


def test_a_host_sees_its_own_interfaces_and_none_of_the_machine(host: LabHost) -> None:
    assert host.ssh(["ls", "/sys/class/net"]).stdout.split() == ["eth0", "eth1", "lo"]


def test_apt_installs_packages_from_the_archives_through_nat(host: LabHost) -> None:
    updated = host.ssh("sudo apt-get -qq update", timeout_s=180)
    assert updated.returncode == 0, updated.stderr
    installed = host.ssh("sudo apt-get -qq install -y --no-install-recommends less", timeout_s=180)
    assert installed.returncode == 0, installed.stderr
    assert host.ssh(["less", "--version"]).returncode == 0


def test_inventory_names_all_that_ringup_needs_to_log_in(rack: Rack) -> None:
    group = inventory.document(rack, {"nvidia_repository_url": "http://198.18.0.254/"})["gpu-rack"]
    assert list(group["hosts"]) == [host.name for host in rack.hosts]
    assert group["hosts"]["node02"]["ansible_host"] == rack.host("node02").address
    assert group["vars"]["ansible_user"] == "operator"
    assert Path(group["vars"]["ansible_ssh_private_key_file"]).exists()
    assert Path(group["vars"]["ringup_known_hosts_file"]).exists()
    assert group["vars"]["nvidia_repository_url"] == "http://198.18.0.254/"


def test_the_pci_bus_shows_the_gpus_that_were_asked_for(host: LabHost) -> None:
    listed = host.ssh("cat /sys/bus/pci/devices/*/device").stdout.split()
    assert listed.count("0x2330") == 8
    assert host.ssh("sudo touch /sys/bus/pci/devices/x").returncode == 1


def test_nvidia_smi_is_there_once_its_package_is_installed_and_not_before(rack: Rack, host: LabHost) -> None:
    assert host.ssh(["which", "nvidia-smi"]).returncode == 1
    served = parts.repository_variables(rack, f"http://{rack.gateway}:{REPOSITORY_PORT}")
    fetch = "import sys, urllib.request as web; web.urlretrieve(*sys.argv[1:])"
    fetched = host.ssh(["sudo", "python3", "-c", fetch, served["nvidia_repository_key_url"], "/etc/apt/keyrings/lab.gpg"])
    assert fetched.returncode == 0, fetched.stderr
    source = f"deb [signed-by=/etc/apt/keyrings/lab.gpg] {served['nvidia_repository_url']} /\n"
    host.ssh("sudo tee /etc/apt/sources.list.d/lab.list", stdin=source)
    quiet = "sudo apt-get -qq -o Dir::Etc::SourceList=/dev/null"  # only the rack's own repository
    installed = host.ssh(f"{quiet} update && {quiet} install -y --no-install-recommends nvidia-open", timeout_s=180)
    assert installed.returncode == 0, installed.stderr
    assert "H100" in host.ssh(["nvidia-smi"]).stdout
    # the next test is not to take the lists of this one repository for all there are
    host.ssh("sudo rm -rf /etc/apt/sources.list.d/lab.list /var/lib/apt/lists")
    host.ssh("sudo mkdir /var/lib/apt/lists && sudo touch -d @0 /var/lib/apt/lists")
