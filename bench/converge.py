"""The same thirty-task playbook, second run, by Ringup and its peers, in one sitting on the same lab hosts.

    python bench/converge.py [--hosts 8] [--peers ansible,mitogen,pyinfra,ssh] [--playbook FILE] [--runs 3] [--format json]

Each figure is a whole process: start, imports, connections, tasks, end. `seconds` is the median of the runs; `cpu_seconds` and
`peak_mb` are the process tree's on the controller side, as the kernel counted them for finished children. The lab's hosts share
this machine's cores, so read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from ringup.lab import rack as lab

HERE = Path(__file__).resolve().parent
PEERS = ("ansible", "mitogen", "pyinfra", "ssh")


@dataclass(frozen=True, slots=True)
class Figure:
    """One tool's figures over its runs."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


@dataclass(frozen=True, slots=True)
class Sitting:
    """What the tools share: the rack, its inventory, the playbook, and a folder for their own files."""

    rack: lab.Rack
    inventory: Path
    playbook: Path
    folder: Path


def measured(argv: Sequence[str], environment: dict[str, str], log: Path) -> Figure:
    """Run a command once and give what it took, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    with log.open("ab") as stream:
        code = subprocess.run(argv, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if code:
        raise SystemExit(f"{argv[0]} failed with {code}; its output is in {log}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Figure(seconds, cpu, after.ru_maxrss / 1024)


def program(name: str) -> str:
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} is not installed: pip install -e '.[bench]'")
    return found


def ringup(sitting: Sitting) -> tuple[list[str], dict[str, str]]:
    return [program("ringup"), "playbook", str(sitting.playbook), "--inventory", str(sitting.inventory)], dict(os.environ)


def ansible_environment(sitting: Sitting, strategy: str | None) -> dict[str, str]:
    """ansible-core as fast as its documentation makes it: pipelining, a kept connection, a fork for each host."""
    hosts = len(sitting.rack.hosts)
    lines = ["[defaults]", f"forks = {hosts}", "host_key_checking = False", "gathering = explicit", "interpreter_python = /usr/bin/python3"]
    if strategy is not None:
        lines += [f"strategy_plugins = {strategy}", "strategy = mitogen_linear"]
    lines += ["[ssh_connection]", "pipelining = True", "ssh_args = -o ControlMaster=auto -o ControlPersist=60s"]
    lines.append(f"control_path_dir = {tempfile.mkdtemp(prefix='cp-')}")
    config = sitting.folder / f"ansible-{'mitogen' if strategy else 'plain'}.cfg"
    config.write_text("\n".join(lines) + "\n")
    return {**os.environ, "ANSIBLE_CONFIG": str(config), "ANSIBLE_HOME": str(sitting.folder / "ansible-home")}


def ansible(sitting: Sitting) -> tuple[list[str], dict[str, str]]:
    argv = [program("ansible-playbook"), "-i", str(sitting.inventory), str(sitting.playbook)]
    return argv, ansible_environment(sitting, None)


def mitogen(sitting: Sitting) -> tuple[list[str], dict[str, str]]:
    spec = importlib.util.find_spec("ansible_mitogen")
    if spec is None or spec.origin is None:
        raise SystemExit("mitogen is not installed: pip install -e '.[bench]'")
    strategy = Path(spec.origin).parent / "plugins" / "strategy"
    argv = [program("ansible-playbook"), "-i", str(sitting.inventory), str(sitting.playbook)]
    return argv, ansible_environment(sitting, str(strategy))


def pyinfra(sitting: Sitting) -> tuple[list[str], dict[str, str]]:
    inventory = sitting.folder / "pyinfra_inventory.py"
    known = str(sitting.rack.known_hosts)
    common = {"ssh_user": "root", "ssh_key": str(sitting.rack.key), "ssh_known_hosts_file": known}
    inventory.write_text(f"hosts = {[(host.address, common) for host in sitting.rack.hosts]!r}\n")
    return [program("pyinfra"), "-y", str(inventory), str(HERE / "converge_pyinfra.py")], dict(os.environ)


def ssh(sitting: Sitting) -> tuple[list[str], dict[str, str]]:
    """Nothing but connections: `ssh host true` on all hosts at once."""
    options = f"-i {sitting.rack.key} -o UserKnownHostsFile={sitting.rack.known_hosts} -o BatchMode=yes"
    calls = "".join(f"ssh {options} root@{host.address} true & " for host in sitting.rack.hosts)
    return ["sh", "-c", calls + "wait"], dict(os.environ)


TOOLS: dict[str, Callable[[Sitting], tuple[list[str], dict[str, str]]]] = {
    "ringup": ringup,
    "ansible": ansible,
    "mitogen": mitogen,
    "pyinfra": pyinfra,
    "ssh": ssh,
}


def sit(sitting: Sitting, names: Sequence[str], runs: int) -> dict[str, Figure]:
    """All tools in turn, so that a slow moment of the machine hits each of them; the first round only makes the files."""
    commands = {name: TOOLS[name](sitting) for name in names}
    figures: dict[str, list[Figure]] = {name: [] for name in names}
    for turn in range(runs + 1):
        for name, (argv, environment) in commands.items():
            figure = measured(argv, environment, sitting.folder / f"{name}.log")
            if turn:
                figures[name].append(figure)
    return {name: median(rows) for name, rows in figures.items()}


def median(rows: Sequence[Figure]) -> Figure:
    return Figure(
        statistics.median(row.seconds for row in rows),
        statistics.median(row.cpu_seconds for row in rows),
        max(row.peak_mb for row in rows),
    )


def table(figures: dict[str, Figure], hosts: int) -> str:
    """Markdown, with each tool's seconds as a ratio to Ringup's."""
    own = figures["ringup"].seconds
    lines = [f"| {hosts} hosts | seconds | ratio to ringup | CPU seconds | peak MB |", "|---|---|---|---|---|"]
    for name, figure in figures.items():
        lines.append(f"| {name} | {figure.seconds:.2f} | {figure.seconds / own:.2f} | {figure.cpu_seconds:.2f} | {figure.peak_mb:.0f} |")
    return "\n".join(lines)


def rendered(folder: Path) -> Path:
    """The thirty tasks as a plain playbook, with the files' real place."""
    environment = jinja2.Environment(keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True)
    text = environment.from_string((HERE / "converge.yaml").read_text()).render(files=str(HERE / "converge_files"))
    playbook = folder / "converge.yaml"
    playbook.write_text(text)
    return playbook


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--peers", default=",".join(PEERS), help="comma-separated; any of " + ", ".join(PEERS))
    parser.add_argument("--playbook", type=Path, help="another playbook for ringup, ansible and mitogen")
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each tool, after one that makes the files")
    parser.add_argument("--format", choices=("table", "json"), default="table")
    options = parser.parse_args()
    unknown = sorted(set(options.peers.split(",")) - set(PEERS))
    if unknown:
        parser.error(f"unknown peers: {', '.join(unknown)}; known: {', '.join(PEERS)}")
    with tempfile.TemporaryDirectory(prefix="converge-") as name:
        folder = Path(name)
        inventory = folder / "bench.yaml"
        rack = lab.up(lab.RackSpec(name="bench", hosts=options.hosts, gpus="none"), inventory_file=inventory, say=lambda line: None)
        try:
            write_inventory(rack, inventory)
            sitting = Sitting(rack, inventory, options.playbook or rendered(folder), folder)
            figures = sit(sitting, ["ringup", *options.peers.split(",")], options.runs)
        finally:
            lab.down("bench")
    if options.format == "json":
        rows = {tool: {"seconds": f.seconds, "cpu_seconds": f.cpu_seconds, "peak_mb": f.peak_mb} for tool, f in figures.items()}
        print(json.dumps({"hosts": options.hosts, **rows}, indent=1))
    else:
        print(table(figures, options.hosts))


def write_inventory(rack: lab.Rack, path: Path) -> None:
    """One inventory that all tools read: root by key, host keys from the rack's own file."""
    common = {
        "ansible_user": "root",
        "ansible_ssh_private_key_file": str(rack.key),
        "ansible_ssh_common_args": f"-o UserKnownHostsFile={rack.known_hosts}",
        "ringup_known_hosts_file": str(rack.known_hosts),
        "ansible_python_interpreter": "/usr/bin/python3",
    }
    hosts = {host.name: {"ansible_host": host.address} for host in rack.hosts}
    path.write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}, indent=1))


if __name__ == "__main__":
    main()
