"""Hosts that cannot be reached, or must not be: each says why and what to do, and the others go on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from playing import inventory, play

from ringup.lab import rack as lab
from ringup.lab.rack import LabHost, Rack

PING = "- {hosts: all, gather_facts: false, tasks: [{ping: }]}\n"

TOUCH = """
- hosts: all
  gather_facts: false
  tasks:
    - copy: {content: "{{ stamp }}\\n", dest: /home/operator/stamp}
    - command: cat /home/operator/stamp
"""


@pytest.mark.parametrize("missing", ["link", "address"])
def test_a_host_that_is_down_is_unreachable_in_time_and_the_others_finish(rack: Rack, host: LabHost, tmp_path: Path, missing: str) -> None:
    changes = {"node01": {"ansible_timeout": 2}}
    if missing == "link":
        lab.fault(rack, "node01", "link-down", "eth0")
    else:
        # an address of the rack's network that no host has
        changes["node01"]["ansible_host"] = host.address.rpartition(".")[0] + ".77"
    played = play(tmp_path, TOUCH, inventory(rack, ("node01", "node02", "node03"), **changes), "-e", f"stamp={missing}")
    assert played.code == 4
    (told,) = played.results("node01")
    assert told["unreachable"]
    address = changes["node01"].get("ansible_host", host.address)
    assert told["msg"] in (f"no answer from {address}:22 within 2 s", f"cannot connect to {address}:22: No route to host")
    assert "is the host up" in told["hint"]
    assert played.counted("node01") == {"unreachable": 1}
    for other in ("node02", "node03"):
        assert played.counted(other) == {"ok": 2, "changed": 2}
        assert rack.host(other).ssh("cat stamp").stdout == f"{missing}\n"
    assert "Traceback" not in played.stdout + played.stderr


def fingerprint(public_key: str) -> str:
    """As OpenSSH's own tool prints it."""
    return subprocess.run(["ssh-keygen", "-lf", "-"], input=public_key, capture_output=True, text=True, check=True).stdout.split()[1]


def new_key(path: Path) -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path.with_suffix(".pub").read_text()


def test_a_wrong_key_is_named_with_the_command_to_try_it_by_hand(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    new_key(tmp_path / "stranger")
    changes = {"ansible_ssh_private_key_file": str(tmp_path / "stranger")}
    played = play(tmp_path, PING, inventory(rack, ("node01", "node02"), node01=changes))
    assert played.code == 4
    (told,) = played.results()
    assert told["msg"] == f"operator@{host.address} did not take the key {tmp_path}/stranger"
    assert f"ssh -i {tmp_path}/stranger -p 22 operator@{host.address}" in told["hint"]
    assert played.counted("node02") == {"ok": 1}


def test_an_unknown_host_key_is_refused_with_its_fingerprint_and_the_way_to_accept_it(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    known = tmp_path / "known"
    changes = {"ringup_known_hosts_file": str(known)}
    played = play(tmp_path / "refused", PING, inventory(rack, ("node01", "node02"), node01=changes))
    assert played.code == 4
    (told,) = played.results()
    shown = fingerprint(host.ssh(["cat", "/etc/ssh/ssh_host_ed25519_key.pub"]).stdout)
    assert told["msg"] == f"the host key of {host.address} is not known: ssh-ed25519 {shown}"
    assert not known.exists()
    assert played.counted("node02") == {"ok": 1}
    # what the hint says is followed to the letter
    _, _, command = told["hint"].partition("then: ")
    subprocess.run(command, shell=True, check=True, stderr=subprocess.DEVNULL)
    assert play(tmp_path / "accepted", PING, inventory(rack, node01=changes)).code == 0


def test_a_changed_host_key_is_refused_with_both_fingerprints_before_anything_secret_is_sent(
    rack: Rack, host: LabHost, tmp_path: Path
) -> None:
    old = new_key(tmp_path / "old")
    known = tmp_path / "known"
    known.write_text(f"# the rack as it was\n{host.address} {' '.join(old.split()[:2])}\n")
    secret = "not-for-a-stranger"
    changes = {"ringup_known_hosts_file": str(known), "ansible_password": secret, "ansible_become_password": secret}
    begin = host.ssh(["date", "+%s"]).stdout.strip()
    played = play(tmp_path, PING, inventory(rack, ("node01", "node02"), node01=changes))
    assert played.code == 4
    (told,) = played.results()
    shown = fingerprint(host.ssh(["cat", "/etc/ssh/ssh_host_ed25519_key.pub"]).stdout)
    assert f"{known}:2" in told["msg"]
    assert fingerprint(old) in told["msg"]
    assert shown in told["msg"]
    assert f"ssh-keygen -R '{host.address}' -f {known}" in told["hint"]
    assert secret not in played.stdout + played.stderr
    log = host.ssh(["sudo", "journalctl", "-q", "-u", "ssh", "--since", f"@{begin}", "-o", "cat"]).stdout
    # our own ways into the host log in with keys; nobody came as far as a password
    assert "password" not in log.lower()
    assert played.counted("node02") == {"ok": 1}


def test_a_host_whose_shells_print_noise_works(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    noise = "for number in $(seq 1000); do echo WELCOME $number; echo noise $number >&2; done\n"
    files = ("/etc/profile", "/home/operator/.bashrc", "/home/operator/.bash_profile", "/root/.bashrc", "/root/.profile")
    for file in files:
        kept = host.ssh(f"sudo cp -a {file} {file}.kept 2>/dev/null; sudo tee {file} >/dev/null", stdin=noise)
        assert kept.returncode == 0
    try:
        playbook = """
- hosts: all
  tasks:
    - ping:
    - command: id -un
      become: true
    - copy: {content: "quiet\\n", dest: /root/quiet}
      become: true
    - raw: echo raw
"""
        played = play(tmp_path, playbook, inventory(rack))
        assert played.code == 0, played.results()
        _, _, become, _, raw = played.results()
        assert become["stdout"] == "root"
        assert raw["stdout"].splitlines()[-1] == "raw"
        assert host.ssh(["sudo", "cat", "/root/quiet"]).stdout.endswith("quiet\n")
    finally:
        host.ssh("; ".join(f"sudo mv -f {file}.kept {file} 2>/dev/null || sudo rm {file}" for file in files))


def test_a_host_without_sftp_and_with_two_sessions_a_connection_works(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    settings = "/etc/ssh/sshd_config"
    host.ssh(
        f"sudo cp -a {settings} {settings}.kept; sudo sed -i '/^Subsystem/d' {settings};"
        f" echo 'MaxSessions 2' | sudo tee -a {settings} >/dev/null; sudo systemctl restart ssh"
    )
    try:
        (tmp_path / "big").write_bytes(os.urandom(1 << 20))
        playbook = f"""
- hosts: all
  tasks:
    - copy: {{src: {tmp_path}/big, dest: /root/big}}
      become: true
    - command: id -un
      become: true
      become_user: secured
    - fetch: {{src: /root/big, dest: {tmp_path}/back, flat: true}}
      become: true
    - raw: echo raw
    - command: id -un
"""
        played = play(tmp_path, playbook, inventory(rack))
        assert played.code == 0, played.results()
        assert (tmp_path / "back").read_bytes() == (tmp_path / "big").read_bytes()
        assert [result.get("stdout", "").strip() for result in played.results()[-4:]] == ["secured", "", "raw", "operator"]
    finally:
        host.ssh(f"sudo mv {settings}.kept {settings}; sudo systemctl restart ssh; sudo rm -f /root/big")
