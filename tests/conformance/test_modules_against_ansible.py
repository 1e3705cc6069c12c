"""The same tasks by ansible-core and by our modules, from the same start: `changed`, `failed` and what is on disk must agree."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ringup.agent.host import Host
from ringup.agent.task import perform

CONF = "[main]\nalpha=1\nbeta=2\n\n[other]\nalpha=3\n# end"
BLOCK = "x\n# BEGIN ANSIBLE MANAGED BLOCK\nold\n# END ANSIBLE MANAGED BLOCK\ny"

#: (module, content of `conf` at the start, arguments); `{root}` is the case's own folder
CASES = [
    ("lineinfile", CONF, {"line": "new"}),
    ("lineinfile", CONF, {"line": "beta=2"}),
    ("lineinfile", CONF, {"line": "# end"}),
    ("lineinfile", CONF, {"line": "alpha=9", "regexp": "^alpha="}),
    ("lineinfile", CONF, {"line": "alpha=9", "regexp": "^alpha=", "firstmatch": True}),
    ("lineinfile", CONF, {"line": "alpha=9", "search_string": "alpha"}),
    ("lineinfile", CONF, {"line": r"\1=9", "regexp": r"^(al.*)=\d", "backrefs": True}),
    ("lineinfile", CONF, {"line": r"\1=9", "regexp": r"^(zeta)=\d", "backrefs": True}),
    ("lineinfile", CONF, {"line": "alpha=9", "regexp": "^zeta", "insertafter": r"^\[other"}),
    ("lineinfile", CONF, {"line": "new", "insertafter": "^alpha"}),
    ("lineinfile", CONF, {"line": "new", "insertafter": "^alpha", "firstmatch": True}),
    ("lineinfile", CONF, {"line": "beta=2", "insertafter": "^alpha", "firstmatch": True}),
    ("lineinfile", CONF, {"line": "new", "insertbefore": "^alpha"}),
    ("lineinfile", CONF, {"line": "new", "insertbefore": "^alpha", "firstmatch": True}),
    ("lineinfile", CONF, {"line": "new", "insertbefore": "BOF"}),
    ("lineinfile", CONF, {"line": "new", "insertafter": "BOF"}),
    ("lineinfile", CONF, {"line": "new", "insertafter": "nothing like it"}),
    ("lineinfile", CONF, {"regexp": "^alpha", "state": "absent"}),
    ("lineinfile", CONF, {"search_string": "a", "state": "absent"}),
    ("lineinfile", None, {"line": "new"}),
    ("lineinfile", None, {"line": "new", "create": True}),
    ("blockinfile", CONF, {"block": "a\nb"}),
    ("blockinfile", CONF, {"block": "a\nb\n", "insertafter": "^beta"}),
    ("blockinfile", CONF, {"block": "a", "insertbefore": "^alpha"}),
    ("blockinfile", CONF, {"block": "a", "insertbefore": "BOF"}),
    ("blockinfile", CONF, {"block": "a", "insertafter": "(?m)main\\]\\nalpha"}),
    ("blockinfile", CONF, {"block": "a", "insertafter": "^beta", "prepend_newline": True, "append_newline": True}),
    ("blockinfile", CONF, {"block": "a", "marker": "; {mark} it", "marker_begin": "<<", "marker_end": ">>"}),
    ("blockinfile", BLOCK, {"block": "old"}),
    ("blockinfile", BLOCK, {"block": "new"}),
    ("blockinfile", BLOCK, {"block": ""}),
    ("blockinfile", BLOCK, {"state": "absent"}),
    ("blockinfile", CONF + "\n", {"state": "absent"}),
    ("blockinfile", None, {"block": "a", "create": True}),
    ("replace", CONF, {"regexp": r"^alpha=(\d)", "replace": r"omega=\1"}),
    ("replace", CONF, {"regexp": "^alpha", "replace": "omega", "after": r"\[other\]"}),
    ("replace", CONF, {"regexp": "^alpha", "replace": "omega", "before": r"\[other\]"}),
    ("replace", CONF, {"regexp": "^[a-z].*\n", "after": "main", "before": "other"}),
    ("replace", CONF, {"regexp": "^alpha", "replace": "omega", "after": "nothing like it"}),
    ("copy", CONF, {"content": CONF}),
    ("copy", CONF, {"content": "new\n", "mode": "u=rwx,g=r"}),
    ("copy", CONF, {"content": "new\n", "force": False, "mode": "0600"}),
    ("copy", None, {"content": "new\n"}),
    ("copy", None, {"content": "new\n", "mode": "0640", "dest": "{root}/no/conf"}),
    ("file", CONF, {"state": "file", "mode": "a-r"}),
    ("file", CONF, {"mode": "u+x,g=u"}),
    ("file", CONF, {"state": "directory"}),
    ("file", CONF, {"state": "absent"}),
    ("file", None, {"state": "file"}),
    ("file", None, {"state": "directory", "mode": "0700", "path": "{root}/a/b"}),
    ("file", CONF, {"state": "link", "src": "conf", "path": "{root}/link", "mode": "0600"}),
    ("file", CONF, {"state": "link", "src": "missing", "path": "{root}/link"}),
    ("file", CONF, {"state": "link", "src": "missing", "path": "{root}/link", "force": True}),
    ("file", CONF, {"state": "hard", "src": "{root}/conf", "path": "{root}/hard"}),
    ("file", CONF, {"state": "touch", "modification_time": "preserve", "access_time": "preserve", "mode": "+x"}),
    ("assemble", CONF, {"src": "{root}", "dest": "{root}/whole", "regexp": "^conf$", "mode": "0600"}),
    ("known_hosts", "a ssh-rsa AAAA\nb ssh-rsa BBBB\n", {"name": "b", "key": "b ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQ=="}),
    ("known_hosts", "a ssh-rsa AAAA\nb ssh-rsa BBBB\n", {"name": "B", "key": "b ssh-rsa BBBB", "state": "absent"}),
    ("command", CONF, {"argv": ["printf", "a  b\n\n"]}),
    ("command", CONF, {"cmd": "grep -c 'alpha=1' conf", "chdir": "{root}"}),
    ("command", CONF, {"cmd": "touch made", "chdir": "{root}", "creates": "conf"}),
    ("command", CONF, {"cmd": "touch made", "chdir": "{root}", "removes": "missing"}),
    ("command", CONF, {"cmd": "cat", "stdin": "text", "strip_empty_ends": False}),
    ("command", CONF, {"cmd": "no-such-program-here"}),
    ("shell", CONF, {"cmd": "echo out; echo err >&2; exit 3"}),
    ("stat", CONF, {}),
    ("stat", None, {}),
    ("find", CONF, {"paths": "{root}", "patterns": "con*", "contains": "^alpha", "get_checksum": True}),
    ("slurp", CONF, {"src": "{root}/conf"}),
]


def arguments(number, root):
    """The arguments of a case for its own folder below `root`."""
    module, _, args = CASES[number]
    folder = str(root / str(number))
    filled = {name: value.replace("{root}", folder) if isinstance(value, str) else value for name, value in args.items()}
    subject = {"copy": "dest", **dict.fromkeys(("assemble", "command", "shell", "find", "slurp"))}.get(module, "path")
    return dict({subject: folder + "/conf"} if subject else {}, **filled)


def prepare(root):
    for number, (_, content, _) in enumerate(CASES):
        (root / str(number)).mkdir(parents=True)
        if content is not None:
            (root / str(number) / "conf").write_text(content)
            (root / str(number) / "conf").chmod(0o640)


def on_disk(folder):
    """Every path below a folder with its kind, mode, content or target."""
    found = {}
    for path in sorted(folder.rglob("*")):
        now = path.lstat()
        content = str(path.readlink()) if path.is_symlink() else path.read_text() if path.is_file() else ""
        found[str(path.relative_to(folder))] = (oct(now.st_mode), now.st_nlink if stat.S_ISREG(now.st_mode) else 0, content)
    return found


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    """One run of ansible-playbook with every case as a task: its results, and the folder it worked in."""
    root = tmp_path_factory.mktemp("ansible")
    prepare(root)
    answers = root / "answers.json"
    tasks = [
        {"ansible.builtin." + CASES[number][0]: arguments(number, root), "register": f"r{number}", "ignore_errors": True}
        for number in range(len(CASES))
    ]
    names = ", ".join(f"r{number}" for number in range(len(CASES)))
    tasks.append({"ansible.builtin.copy": {"content": "{{ [" + names + "] | to_json }}", "dest": str(answers)}})
    playbook = root / "play.yaml"
    playbook.write_text(yaml.safe_dump([{"hosts": "localhost", "gather_facts": False, "connection": "local", "tasks": tasks}]))
    program = Path(sys.executable).parent / "ansible-playbook"
    environment = dict(os.environ, ANSIBLE_PYTHON_INTERPRETER=sys.executable, ANSIBLE_LOCALHOST_WARNING="false", LC_ALL="C.UTF-8")
    umask = os.umask(0o022)
    try:
        command = [str(program), "-i", "localhost,", str(playbook)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    finally:
        os.umask(umask)
    assert answers.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    return root, json.loads(answers.read_text())


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    root = tmp_path_factory.mktemp("ringup")
    prepare(root)
    umask = os.umask(0o022)
    try:
        yield root
    finally:
        os.umask(umask)
        shutil.rmtree(root)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{number:02}-{case[0]}" for number, case in enumerate(CASES)])
def test_a_task_does_what_ansible_does(oracle, ours, number):
    root, results = oracle
    module = CASES[number][0]
    predicted = perform(module, arguments(number, ours), Host(check=True))
    result = perform(module, arguments(number, ours), Host())
    expected = results[number]
    assert on_disk(ours / str(number)) == on_disk(root / str(number))
    assert (result["changed"], result.get("failed", False)) == (expected["changed"], expected.get("failed", False)), (result, expected)
    if module not in ("command", "shell"):
        assert predicted["changed"] == result["changed"] or result.get("failed")
        assert not perform(module, arguments(number, ours), Host())["changed"]
    for key in COMPARED:
        if key in expected and (module, key) != ("copy", "path") and (key in COMPARED_WHEN_FAILED or not result.get("failed")):
            assert told(result[key], ours) == told(expected[key], root), key


#: result keys that playbooks test
COMPARED_WHEN_FAILED = ("rc", "stdout", "stderr", "stdout_lines", "stderr_lines")
COMPARED = (
    *COMPARED_WHEN_FAILED,
    "cmd",
    "mode",
    "state",
    "size",
    "checksum",
    "dest",
    "path",
    "found",
    "matched",
    "files",
    "stat",
    "content",
)
#: what differs between two files that are alike
OWN = ("inode", "version", "atime", "mtime", "ctime")


def told(value, root):
    """A result value as it would be for any root."""
    if isinstance(value, dict):
        return {name: told(each, root) for name, each in value.items() if name not in OWN}
    if isinstance(value, list):
        return [told(each, root) for each in value]
    return str(value).replace(str(root), "")
