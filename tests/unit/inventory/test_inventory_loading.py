import json
from pathlib import Path

import pytest

from ringup.errors import InputError, InventoryError
from ringup.inventory import load_inventory


def write(folder: Path, name: str, text: str, mode: int = 0o644) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


YAML = """\
all:
  hosts:
    login:
  children:
    gpu-rack:
      hosts:
        node[01:04]:
          slots: 8
        node02: {ansible_host: 198.18.0.2}
      vars: {colour: green}
      children:
        newest:
          hosts: {"node04:2222": }
    storage:
      hosts: disk01
"""

INI = """\
# a comment
login
[gpu-rack]
node[01:04] slots=8   # beside
node02 ansible_host=198.18.0.2
[gpu-rack:vars]
colour=green
[gpu-rack:children]
newest
[newest]
node04:2222
[storage]
disk01
"""


@pytest.mark.parametrize(("name", "text"), [("hosts.yaml", YAML), ("hosts", INI), ("hosts.ini", INI), ("hosts", YAML)])
def test_yaml_and_ini_say_the_same(tmp_path, name, text):
    inventory = load_inventory([write(tmp_path, name, text)])
    assert inventory.match("gpu-rack") == ("node01", "node02", "node03", "node04")
    assert inventory.match("ungrouped") == ("login",) or name == "hosts.yaml" or text is YAML
    assert set(inventory.match("all")) == {"login", "node01", "node02", "node03", "node04", "disk01"}
    assert inventory.variables("node02") == {"colour": "green", "slots": 8, "ansible_host": "198.18.0.2"}
    assert inventory.variables("node04")["ansible_port"] == 2222
    assert inventory.groups_of("node04") == ("gpu-rack", "newest")
    assert inventory.match("storage") == ("disk01",)


INI_VALUES = [
    ("5", 5),
    ("1.5", 1.5),
    ("True", True),
    ("true", "true"),
    ("yes", "yes"),
    ("0644", "0644"),
    ("'a b'", "a b"),
    ("[1, 2]", [1, 2]),
    ("{'a': 1}", {"a": 1}),
    ("None", None),
    ("node01", "node01"),
    ("http://x/y?a=b", "http://x/y?a=b"),
    ("a # b", "a # b"),
]


@pytest.mark.parametrize(("text", "value"), INI_VALUES)
def test_ini_values_follow_python(tmp_path, text, value):
    inventory = load_inventory([write(tmp_path, "h.ini", f"[g]\na\n[g:vars]\nv = {text}\n")])
    found = inventory.variables("a")["v"]
    assert found == value
    assert type(found) is type(value)


RANGES = [
    ("r[01:10:3]", ["r01", "r04", "r07", "r10"]),
    ("q[a:c]", ["qa", "qb", "qc"]),
    ("m[8:11]", ["m8", "m9", "m10", "m11"]),
    ("r[1:2]n[a:b]", ["r1na", "r1nb", "r2na", "r2nb"]),
    ("p[098:101].x", ["p098.x", "p099.x", "p100.x", "p101.x"]),
]


@pytest.mark.parametrize(("pattern", "names"), RANGES)
def test_ranges_hold_both_ends(tmp_path, pattern, names):
    assert list(load_inventory([write(tmp_path, "h.ini", pattern + "\n")]).hosts) == names


SCRIPT = """#!/bin/sh
if [ "$1" = --list ]; then echo '%s'; else echo '{"asked": "'$2'"}'; fi
"""


def test_a_program_is_asked_for_its_list_once(tmp_path):
    answer = {"rack": {"hosts": ["a", "b"], "vars": {"x": 1}, "children": ["sub"]}, "sub": ["c"], "_meta": {"hostvars": {"a": {"y": 2}}}}
    path = write(tmp_path, "list", SCRIPT % json.dumps(answer), 0o755)
    inventory = load_inventory([path])
    assert inventory.match("rack") == ("a", "b", "c")
    assert inventory.variables("a") == {"x": 1, "y": 2}
    assert inventory.variables("c") == {"x": 1}


def test_a_program_without_meta_is_asked_for_each_host(tmp_path):
    inventory = load_inventory([write(tmp_path, "list", SCRIPT % '{"g": ["a"]}', 0o755)])
    assert inventory.variables("a") == {"asked": "a"}


def test_a_folder_of_sources_is_read_in_order_without_what_is_no_source(tmp_path):
    write(tmp_path, "10-first.ini", "[g]\na x=1 y=1\n")
    write(tmp_path, "20-second.yaml", "g: {hosts: {a: {x: 2}, b: }}\n")
    write(tmp_path, "README.md", "not an inventory: [\n")
    write(tmp_path, "gpu.lock.yaml", "torch: 2\n")
    write(tmp_path, "group_vars/g.yml", "z: 3\n")
    inventory = load_inventory([tmp_path, "c,d"])
    assert inventory.variables("a") == {"x": 2, "y": 1, "z": 3}
    assert inventory.match("all") == ("c", "d", "a", "b")


def test_layers_follow_the_precedence_of_ansible(tmp_path):
    hosts = write(
        tmp_path,
        "inv/hosts.yaml",
        """\
all:
  vars: {v: all, all: 1}
  children:
    parent:
      vars: {v: parent, ansible_group_priority: 50}
      children:
        child: {hosts: {h: {v: host}}, vars: {v: child}}
    urgent: {hosts: {h: }, vars: {v: urgent, ansible_group_priority: 9}}
    plain: {hosts: {h: }, vars: {v: plain}}
""",
    )
    for place in ("inv", "play"):
        for name in (
            "group_vars/all.yml",
            "group_vars/parent.yaml",
            "group_vars/child/main.yml",
            "group_vars/child/more.json",
            "host_vars/h",
        ):
            write(tmp_path, f"{place}/{name}", json.dumps({"v": f"{place}/{name}", place: 1}))
    inventory = load_inventory([hosts])
    layers = inventory.layers("h", tmp_path / "play")
    assert [layer.values["v"].removeprefix(str(tmp_path)) for layer in layers] == [
        "all",
        "inv/group_vars/all.yml",
        "play/group_vars/all.yml",
        "plain",
        "urgent",
        "parent",
        "child",
        "inv/group_vars/parent.yaml",
        "inv/group_vars/child/main.yml",
        "inv/group_vars/child/more.json",
        "play/group_vars/parent.yaml",
        "play/group_vars/child/main.yml",
        "play/group_vars/child/more.json",
        "host",
        "inv/host_vars/h",
        "play/host_vars/h",
    ]
    chain = inventory.origins("h", tmp_path / "play")["v"]
    assert chain[-1].name == "host_vars/h"
    assert "ansible_group_priority" not in inventory.variables("h")
    assert inventory.layers("h", tmp_path / "inv") == inventory.layers("h")


def test_implicit_localhost_is_local_and_in_no_group(tmp_path):
    inventory = load_inventory([write(tmp_path, "h.ini", "a\n[all:vars]\nx=1\n")])
    assert inventory.match("localhost") == ("localhost",)
    assert inventory.match("all") == ("a",)
    assert inventory.variables("localhost")["ansible_connection"] == "local"
    assert inventory.variables("localhost")["x"] == 1


def test_a_host_added_in_a_run_leaves_the_old_inventory_as_it_was(tmp_path):
    inventory = load_inventory([write(tmp_path, "h.ini", "a\n[g:vars]\nx=1\n[g]\n")])
    later = inventory.with_host("new", ["g", "fresh"], {"y": 2}).with_host("a", ["fresh"])
    assert later.match("g") == ("new",)
    assert later.match("fresh") == ("new", "a")
    assert later.variables("new") == {"x": 1, "y": 2}
    assert later.groups_of("a") == ("fresh",)
    assert inventory.match("g") == ()
    assert inventory.magic("a")["group_names"] == ["ungrouped"]


WRONG = [
    ("h.yaml", "- a\n", ":1", "mapping of groups", "all:"),
    ("h.yaml", "all:\n  host:\n    a:\n", ":2:3", "'host' in group 'all' is not known", "did you mean 'hosts'?"),
    ("h.yaml", "all:\n  hosts:\n    - a\n", ":3:5", "'hosts' is a list", "'a:'"),
    ("h.yaml", "all:\n  hosts:\n    a: 5\n", ":3:5", "variables of host 'a' are 5", "indented"),
    ("h.yaml", "all:\n  hosts:\n    7:\n", ":3:5", "the host 7 is no text", 'quote it: "7"'),
    ("h.yaml", "g:\n  vars: [a]\n", ":2:9", "'vars' is", "name: value"),
    ("h.yaml", "g: [a]\n", ":1:1", "the group 'g' is a list", "hosts:"),
    ("h.yaml", "a:\n  children: {b: }\nb:\n  children: {c: }\nc:\n  children: {a: }\n", "", "groups hold each other: ", "take '"),
    ("h.yaml", "a:\n  children: {a: }\n", ":2:14", "put below 'a'", "cannot hold itself"),
    ("h.yaml", "all:\n  hosts:\n    n[1-4]:\n", ":3:5", "no range", "[1:4]"),
    ("h.yaml", "all:\n  hosts:\n    n[4:1]:\n", ":3:5", "ends before it begins", "smaller end"),
    ("h.yaml", "all:\n  hosts:\n    n[001:10]:\n", ":3:5", "different lengths", "pad both"),
    ("h.yaml", "all:\n  hosts:\n    n[1:3:\n", ":3", "do not match", "node[01:64]"),
    ("h.yaml", "plugin: aws_ec2\n", ":1:1", "plugin 'aws_ec2' is not supported", "--list"),
    ("h.yaml", "g:\n  vars: {ansible_group_priority: high}\n", ":2:9", "not a whole number", "number"),
    ("h.ini", "[g]\na b\n", ":2", "no name=value", "spaces"),
    ("h.ini", "[g:childs]\na\n", ":1", "'[g:childs]' is not known", "[g:children]"),
    ("h.ini", "[g:children]\ngpus\n[gpu]\n", ":2", "'gpus', which is not defined", "did you mean 'gpu'?"),
    ("h.ini", "[g:vars]\nx=1\n", ":1", "'g', which is not defined", "[g]"),
    ("h.ini", "[g\na\n", ":1", "is no section", "[group]"),
    ("h.ini", "a x='1\n", ":1", "cannot be read", "close the quote"),
    ("h.ini", "a\n[all:vars]\njust words\n", ":3", "no name=value", "each line"),
    ("h.toml", "a", "", "TOML", "YAML or INI"),
    ("list", "#!/bin/sh\nexit 3\n", "", "ended with 3", "by hand"),
    ("list", "#!/bin/sh\necho no json\n", "", "no JSON", "one JSON object"),
    ("list", "#!/bin/sh\necho '{\"g\": 5}'\n", "", "the group 'g' is 5", "list of hosts"),
    ("list", "#!/no/such/program\n", "", "cannot be run", "first line"),
]


@pytest.mark.parametrize(("name", "text", "where", "message", "hint"), WRONG)
def test_what_is_no_inventory_is_refused_with_the_line(tmp_path, monkeypatch, name, text, where, message, hint):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path, name, text, 0o755 if name == "list" else 0o644)
    with pytest.raises(InputError) as caught:
        load_inventory([path])
    error = caught.value
    assert str(error.where).startswith(name + where), str(error)
    assert message in error.message
    assert hint in (error.hint or "")


def test_variables_that_are_no_mapping_are_refused(tmp_path):
    hosts = write(tmp_path, "h.ini", "[g]\na\n")
    write(tmp_path, "group_vars/g.yml", "- 1\n")
    with pytest.raises(InventoryError, match="a file of variables is a mapping"):
        load_inventory([hosts]).layers("a")


def test_a_missing_inventory_and_an_unknown_host_say_what_to_do(tmp_path):
    with pytest.raises(InventoryError) as caught:
        load_inventory(["node01"])
    assert "-i node01," in (caught.value.hint or "")
    inventory = load_inventory([write(tmp_path, "h.ini", "node01\n")])
    with pytest.raises(InventoryError) as caught:
        inventory.layers("node1")
    assert caught.value.hint == "did you mean 'node01'?"


def test_five_thousand_hosts_in_deep_groups_need_no_recursion(tmp_path):
    depth = 3000
    lines = [f"[g{n}:children]\ng{n + 1}\n" for n in range(depth)]
    path = write(tmp_path, "h.ini", "".join(lines) + f"[g{depth}]\nn[0001:5000]\n")
    inventory = load_inventory([path])
    assert len(inventory.match("g0")) == 5000
    assert len(inventory.groups_of("n0001")) == depth + 1
