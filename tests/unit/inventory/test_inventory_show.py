import json

import pytest

from ringup.inventory import load_inventory, show


@pytest.fixture
def rack(tmp_path):
    (tmp_path / "hosts.yaml").write_text(
        """\
all:
  vars: {colour: red}
  children:
    gpu-rack:
      hosts:
        node[01:12]: {ansible_password: hunter2, api_key: abc, ansible_ssh_private_key_file: id, nested: {token: t, size: 1}}
      vars:
        colour: green
        pin: !vault |
          $ANSIBLE_VAULT;1.1;AES256
          6162
      children:
        newest:
          hosts: {node12: {ansible_host: 198.18.0.12}}
    login:
      hosts: {gate: {ansible_host: 198.18.0.1}}
"""
    )
    return load_inventory([tmp_path / "hosts.yaml"])


def test_the_tree_shows_groups_below_their_parents_and_folds_many_hosts(rack):
    assert list(show.tree(rack, rack.match("all"))) == [
        "all: 13 hosts",
        "├── gpu-rack: 12 hosts",
        "│   ├── newest: 1 host",
        "│   │   └── node12 (198.18.0.12)",
        "│   └── node[01-12]",
        "└── login: 1 host",
        "    └── gate (198.18.0.1)",
    ]
    assert list(show.tree(rack, ["gate"]))[1:] == ["└── login: 1 host", "    └── gate (198.18.0.1)"]


def test_a_host_shows_where_each_variable_comes_from_and_no_secret(rack):
    text = "\n".join(show.host_lines(rack, "node12"))
    assert "colour                       = green" in text
    assert "from group gpu-rack at " in text
    assert ":8:9, over group all" in text
    assert "hunter2" not in text
    assert "abc" not in text
    assert "6162" not in text
    assert "ansible_ssh_private_key_file = id" in text
    values = show.host_values(rack, "node12")
    assert values["variables"]["ansible_password"] == show.MASKED
    assert values["variables"]["pin"] == show.VAULTED
    assert values["variables"]["nested"] == {"token": show.MASKED, "size": 1}
    assert [layer["layer"] for layer in values["origins"]["colour"]] == ["group all", "group gpu-rack"]
    json.dumps(values)


def test_the_tree_for_programs_names_children(rack):
    values = show.tree_values(rack, ["node12"])
    assert values["gpu-rack"] == {"hosts": ["node12"], "children": ["newest"]}
    assert "login" not in values
