"""The same playbooks by ansible-core and by our engine: each task's outcome on each host, the recap and the exit code must agree.

Statements are numbered in the comments of the playbooks; what a playbook wants to be compared it shows with `debug: msg`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ringup.engine import PlaybookRequest, run_playbooks
from ringup.engine.options import parse_extra_vars
from ringup.errors import RingupError
from ringup.events import RunEnded, TaskEnded, TaskStarted

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parent
INVENTORY = """\
[web]
n1 who=host
n2
[db]
n3
n4
[lost]
gone ansible_connection=ssh ansible_host=127.0.0.1 ansible_port=1
[all:vars]
ansible_connection=local
who=all
level=inventory
[web:vars]
who=web
"""
RECAP = ("ok", "changed", "unreachable", "failures", "skipped", "rescued", "ignored")
#: the playbook's file, and the options of each run of it
CASES = [
    pytest.param(path, options, id=" ".join([path.stem, *options]))
    for path in sorted((HERE / "outcomes").glob("*.yaml"))
    for options in [line.split() for line in re.findall(r"^# run:(.*)$", path.read_text(), re.M)] or [[]]
]
#: counted in the recap, but told in other ways by the two
UNCOMPARED = {"include_tasks", "include_role", "import_tasks", "import_role", "meta", "setup", "gather_facts"}
FIELDS = {"-e": "extra_vars", "--tags": "tags", "--skip-tags": "skip_tags", "--limit": "limit", "--start-at-task": "start_at"}

Outcome = tuple[Any, ...]


def outcome(host: str, action: str, name: str, status: str, values: Mapping[str, Any]) -> Outcome:
    """What is compared of one task on one host: of results only what a playbook shows on purpose."""
    shown = values.get("msg") if action == "debug" and status == "ok" else None
    return (host, action, "" if name == action else name, status, bool(values.get("changed")), json.loads(json.dumps(shown, default=str)))


def by_host(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    """Each host's outcomes in their order; the order between hosts is left to chance by both."""
    found: dict[str, list[Outcome]] = {}
    for host, *rest in outcomes:
        if rest[0] not in UNCOMPARED:
            found.setdefault(host, []).append(tuple(rest))
    return found


def by_ansible(playbook: Path, options: list[str], inventory: Path, trace: Path) -> dict[str, Any]:
    program = shutil.which("ansible-playbook", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert program, "ansible-core is not installed: pip install ansible-core"
    settings = {
        "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callbacks"),
        "ANSIBLE_CALLBACKS_ENABLED": "conformance_trace",
        "ANSIBLE_FORKS": "8",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_HOME": str(trace.parent / "home"),
        "ANSIBLE_SSH_RETRIES": "0",
        "ANSIBLE_ROLES_PATH": str(HERE / "roles"),
        "CONFORMANCE_TRACE": str(trace),
    }
    command = [program, "-i", str(inventory), str(playbook), *options]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    seen = json.loads(trace.read_text()) if trace.exists() else {"outcomes": [], "recap": {}}
    return {
        "code": done.returncode,
        "recap": {host: [counts[name] for name in RECAP] for host, counts in seen["recap"].items()},
        "hosts": by_host([outcome(*one) for one in seen["outcomes"]]),
        "said": done.stdout + done.stderr,
    }


class Heard:
    """Collects what our engine tells."""

    def __init__(self) -> None:
        self.tasks: dict[int, TaskStarted] = {}
        self.outcomes: list[Outcome] = []
        self.recap: dict[str, list[int]] = {}

    def on(self, event: object) -> None:
        if isinstance(event, TaskStarted):
            self.tasks[event.task_id] = event
        elif isinstance(event, TaskEnded):
            task, result = self.tasks[event.task_id], event.result
            status = next((word for word in ("unreachable", "failed", "skipped") if getattr(result, word)), "ok")
            status = "ignored" if event.ignored and status == "failed" else status
            self.outcomes.append(outcome(event.host, task.action, task.name, status, result.shown()))
        elif isinstance(event, RunEnded):
            self.recap = {host: list(asdict(counts).values()) for host, counts in event.recap.items() if any(asdict(counts).values())}


def request_of(playbook: Path, options: list[str], inventory: Path) -> PlaybookRequest:
    """Our request for the words of ansible-playbook's command line."""
    given: dict[str, Any] = {}
    words = iter(options)
    for word in words:
        if word in ("--check", "--force-handlers"):
            given[word.strip("-").replace("-", "_")] = True
            continue
        value = next(words)
        given.setdefault(FIELDS[word], []).append(value)
    for name, values in given.items():
        if name == "extra_vars":
            given[name] = parse_extra_vars(values)
        elif name.endswith("tags"):
            given[name] = frozenset(",".join(values).split(","))
        elif isinstance(values, list):
            given[name] = values[0]
    return PlaybookRequest(playbooks=(playbook,), inventory=(str(inventory),), roles_path=(HERE / "roles",), **given)


def by_us(playbook: Path, options: list[str], inventory: Path) -> dict[str, Any]:
    heard = Heard()
    said = ""
    try:
        code = run_playbooks(request_of(playbook, options, inventory), [heard]).exit_code
    except RingupError as error:
        code, said = error.exit_code, f"{error.where}: {error.message} ({error.hint})"
    return {"code": code, "recap": heard.recap, "hosts": by_host(heard.outcomes), "said": said}


@pytest.mark.parametrize(("playbook", "options"), CASES)
def test_every_task_comes_to_the_same_on_every_host(playbook: Path, options: list[str], tmp_path: Path) -> None:
    inventory = tmp_path / "hosts"
    inventory.write_text(INVENTORY + f"[all:vars]\nansible_python_interpreter={sys.executable}\n")
    theirs = by_ansible(playbook, options, inventory, tmp_path / "trace.json")
    ours = by_us(playbook, options, inventory)
    said = f"ansible said:\n{theirs.pop('said')[-3000:]}\nringup said: {ours.pop('said')}"
    if "# compared: code" in playbook.read_text():
        assert ours["code"] == theirs["code"], said
        return
    for host in sorted({*theirs["hosts"], *ours["hosts"]}):
        assert ours["hosts"].get(host) == theirs["hosts"].get(host), f"{host}\n{said}"
    assert (ours["recap"], ours["code"]) == (theirs["recap"], theirs["code"]), said
