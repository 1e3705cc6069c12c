"""A host without Python: said clearly, reached by raw, mended by the bootstrap role."""

from __future__ import annotations

from pathlib import Path

from playing import inventory, play

from ringup.lab.rack import LabHost, Rack

ROLE = Path(__file__).parents[2] / "roles/bootstrap"
PING = "- {hosts: all, gather_facts: false, tasks: [{ping: }]}\n"
RAW = "- {hosts: all, gather_facts: false, tasks: [{raw: echo here; id -un}]}\n"
BOOTSTRAP = f"- {{hosts: all, gather_facts: false, roles: [{{role: {ROLE}}}]}}\n"


def test_a_host_without_python_says_so_takes_raw_and_is_bootstrapped(rack: Rack, host: LabHost, tmp_path: Path) -> None:
    # purged, not renamed: dpkg must not believe that it is still there
    purged = host.ssh("sudo apt-get purge -qy --autoremove python3-minimal 'python3.*-minimal' 'libpython3.*-minimal'", timeout_s=120)
    assert purged.returncode == 0, purged.stderr
    both = inventory(rack, ("node01", "node02"))

    missing = play(tmp_path / "missing", PING, both)
    assert missing.code == 4
    (told,) = missing.results()
    assert told["unreachable"]
    assert told["msg"].startswith("no Python 3.6 or newer was found (tried /usr/bin/python3, ")
    assert "bootstrap" in told["hint"]
    assert missing.counted("node02") == {"ok": 1}

    raw = play(tmp_path / "raw", RAW, both)
    assert raw.code == 0
    assert raw.results()[0]["stdout"].split() == ["here", "operator"]

    installed = play(tmp_path / "bootstrap", BOOTSTRAP, both, limit_s=180)
    assert installed.code == 0, installed.results()
    assert installed.counted()["changed"] == 1
    assert "changed" not in installed.counted("node02")
    assert play(tmp_path / "pong", PING, both).code == 0
    again = play(tmp_path / "again", BOOTSTRAP, both)
    assert again.code == 0
    assert "changed" not in again.counted()
