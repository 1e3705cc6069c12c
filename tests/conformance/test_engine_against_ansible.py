"""The same playbooks with ansible-core and with Ringup: equal recap, exit code, and registered values as the playbooks dump them."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
RECAP = re.compile(r"^(\S+)\s+: (ok=.*)$", re.M)
COUNT = re.compile(r"(\w+)=(\d+)")
INVENTORY = """
[pair]
one
two
[all:vars]
ansible_connection=local
ansible_python_interpreter={python}
[others]
three
[gone_group]
gone ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1
"""


@dataclass(frozen=True)
class Told:
    """What a run came to: exit code, recap without zeros, and the files it left, by host."""

    code: int
    recap: dict[str, dict[str, int]]
    dumped: dict[str, object]


def told(argv: list[str], out: Path, environment: dict[str, str]) -> Told:
    out.mkdir()
    done = subprocess.run([*argv, "-e", f"out={out}"], capture_output=True, text=True, timeout=300, env=environment, check=False)
    recap = {
        match[1]: {name: int(count) for name, count in COUNT.findall(match[2]) if int(count)}
        for match in RECAP.finditer(done.stdout.split("RECAP")[-1])
    }
    assert recap, done.stdout + done.stderr
    return Told(done.returncode, recap, {path.stem: json.loads(path.read_text()) for path in sorted(out.glob("*.json"))})


@pytest.mark.parametrize(
    ("playbook", "options"),
    [
        ("values", ["--limit", "all:!gone"]),
        ("failures", ["--limit", "all:!gone"]),
        ("fatal", ["--limit", "all:!gone"]),
        ("unreachable", []),
        ("tagged", ["--limit", "all:!gone", "--tags", "a", "--skip-tags", "b"]),
        ("imported", ["--limit", "all:!gone"]),
    ],
)
def test_a_playbook_means_the_same_here(playbook: str, options: list[str], tmp_path: Path) -> None:
    inventory = tmp_path / "hosts.ini"
    inventory.write_text(INVENTORY.format(python=sys.executable))
    path = str(HERE / "playbooks" / f"{playbook}.yaml")
    settings = {
        "ANSIBLE_FORKS": "8",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_HOME": str(tmp_path / "home"),
        "ANSIBLE_SSH_RETRIES": "0",
        "ANSIBLE_HOST_KEY_CHECKING": "0",
    }
    ansible = told([str(BIN / "ansible-playbook"), "-i", str(inventory), path, *options], tmp_path / "theirs", {**os.environ, **settings})
    ours = [sys.executable, "-m", "ringup.tasks.program", "playbook", path, "--inventory", str(inventory), "--format", "plain", *options]
    ringup = told(ours, tmp_path / "ours", dict(os.environ))
    assert ringup == ansible
