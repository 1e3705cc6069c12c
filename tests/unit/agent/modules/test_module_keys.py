"""known_hosts and authorized_key, judged by OpenSSH's own programs."""

import os
import pwd
import stat
import subprocess

import pytest

ME = pwd.getpwuid(os.getuid()).pw_name


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Three public keys: two of ed25519, one of ecdsa."""
    folder = tmp_path_factory.mktemp("keys")
    made = []
    for name, kind in (("one", "ed25519"), ("two", "ed25519"), ("three", "ecdsa")):
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", name, "-f", str(folder / name)], check=True)
        made.append((folder / f"{name}.pub").read_text().strip())
    return made


def found(host, path):
    """What ssh-keygen finds for a host."""
    done = subprocess.run(["ssh-keygen", "-F", host, "-f", str(path)], capture_output=True, text=True, check=False)
    return [line.split()[2] for line in done.stdout.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("hashed", [False, True])
@pytest.mark.parametrize("host", ["node01", "[node01]:2222"])
def test_a_host_key_is_known_replaced_and_forgotten(run_four_times, tmp_path, keys, host, hashed):
    path = tmp_path / "ssh" / "known_hosts"
    one, two = (" ".join([host, *key.split()[:2]]) for key in keys[:2])
    args = {"name": host, "path": str(path), "hash_host": hashed}
    run_four_times("known_hosts", wanted=dict(args, key=one), otherwise=dict(args, key=two), removed=dict(args, state="absent"))
    run_four_times("known_hosts", wanted=dict(args, key=two))
    assert found(host, path) == [two.split()[2]]
    assert ("node01" in path.read_text()) is not hashed
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_other_hosts_and_other_types_stay(run_four_times, tmp_path, keys):
    path = tmp_path / "known_hosts"
    lines = ["# a comment", "other " + keys[0], "@revoked * " + keys[0], "node01,198.18.0.1 " + keys[2]]
    path.write_text("\n".join(lines) + "\n")
    args = {"name": "node01", "path": str(path)}
    run_four_times("known_hosts", wanted=dict(args, key="node01 " + keys[1]))
    assert path.read_text().splitlines() == [*lines, "node01 " + keys[1]]
    run_four_times("known_hosts", wanted=dict(args, key="node01 " + keys[1], state="absent"))
    assert path.read_text().splitlines() == lines


@pytest.mark.parametrize("args", [{}, {"key": "node02 ssh-rsa AAAA"}, {"key": "nonsense"}])
def test_a_key_that_is_not_the_hosts_is_refused(run, tmp_path, args):
    result = run("known_hosts", name="node01", path=str(tmp_path / "known_hosts"), **args)
    assert result["failed"] and "exception" not in result


def test_a_login_key_is_added_changed_and_removed(run_four_times, tmp_path, keys):
    path = tmp_path / "ssh" / "authorized_keys"
    args = {"user": ME, "path": str(path), "key": keys[0]}
    run_four_times(
        "authorized_key",
        wanted=args,
        otherwise=dict(args, key_options='no-pty,from="198.18.0.0/15, 10.0.0.1"', comment="new words"),
        removed=dict(args, state="absent"),
    )
    assert path.read_text() == ""
    run_four_times("authorized_key", wanted=args)
    assert path.read_text() == keys[0] + "\n"
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    assert subprocess.run(["ssh-keygen", "-l", "-f", str(path)], check=False).returncode == 0


def test_exclusive_removes_all_other_keys_and_keeps_comments(run_four_times, tmp_path, keys):
    path = tmp_path / "authorized_keys"
    path.write_text(f'# by hand\ncommand="a b" {keys[0]}\n{keys[1]}\n')
    args = {"user": ME, "path": str(path), "key": "\n".join([keys[1], keys[2]]), "exclusive": True}
    run_four_times("authorized_key", wanted=args)
    assert path.read_text() == f"# by hand\n{keys[1]}\n{keys[2]}\n"


def test_a_folder_that_sshd_would_not_trust_is_closed(run_four_times, tmp_path, keys):
    folder = tmp_path / "ssh"
    folder.mkdir()
    folder.chmod(0o777)
    args = {"user": ME, "path": str(folder / "authorized_keys"), "key": keys[0]}
    run_four_times("authorized_key", wanted=dict(args, manage_dir=False))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777
    run_four_times("authorized_key", wanted=args)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_user_that_is_not_there_yet_is_a_change_in_check_mode_only(run, keys):
    assert run("authorized_key", user="no-such-user", key=keys[0], check=True)["changed"]
    assert "does not exist" in run("authorized_key", user="no-such-user", key=keys[0])["msg"]


@pytest.mark.parametrize("key", ["nonsense", "https://example.org/me.keys", "# comment"])
def test_what_is_no_key_is_refused(run, key):
    result = run("authorized_key", user=ME, key=key)
    assert result["failed"] and "exception" not in result
