"""The same inventories through ansible-core and here: equal hosts, groups, variables and selections."""

from pathlib import Path

import pytest
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.utils.collection_loader import AnsibleCollectionConfig
from ansible.vars.manager import VariableManager

from ringup.inventory import load_inventory

#: name -> files of one inventory folder; the first is the source, `play/` is the playbook's folder.
INVENTORIES: dict[str, dict[str, str]] = {
    "groups in ini": {
        "hosts": """\
lone ansible_host=10.0.0.9
[web]
web[01:04] a=1 b='two words'
web02 a=2
[db]
db[a:c]:2222 c=[1,2]
web04
[site:children]
web
db
[site:vars]
a=site
d={'x': True}
e=yes
f = spaced value
[all:vars]
g=all
""",
        "group_vars/all.yml": "g: file\nh: 1\n",
        "group_vars/web": "a: web-file\ni: web\n",
        "group_vars/db/one.yml": "j: 1\nk: one\n",
        "group_vars/db/two.yml": "k: two\n",
        "host_vars/web02.yaml": "a: host-file\n",
        "play/group_vars/all": "h: 2\nplay_all: true\n",
        "play/group_vars/web.yml": "i: play\n",
        "play/host_vars/web03.json": '{"a": "play-host"}',
    },
    "groups in yaml": {
        "hosts.yaml": """\
all:
  hosts:
    lone: {x: 1}
  vars: {v: all}
  children:
    a:
      hosts: {h1: , h2: {v: host}}
      vars: {v: a, w: a}
      children:
        b:
          hosts: {"h[3:5]": {n: 5}, h1: }
          vars: {v: b}
    c:
      children:
        b:
      vars: {v: c, w: c, ansible_group_priority: 10}
    z:
      hosts: {h2: , h3: }
      vars: {w: z}
    empty: {}
""",
        "group_vars/b.yml": "v: b-file\n",
        "group_vars/c.yml": "w: c-file\n",
    },
    "priorities": {
        "hosts.ini": """\
[one]
h
[two]
h
[two:vars]
v=two
[one:vars]
v=one
ansible_group_priority=5
[parent:children]
one
[parent:vars]
v=parent
u=parent
ansible_group_priority=50
[three]
h
[three:vars]
u=three
""",
    },
    "a name twice": {"hosts": "[g]\nh a=1\nh b=2\nh a=3\n[g:vars]\nx=1\n[g:vars]\nx=2\ny=1\n"},
    "ports and addresses": {"hosts": "h1:22 a=1\n10.0.0.1:2022\n[g]\n10.0.0.[1:3]\nh.example.org\n"},
    "json": {"hosts.json": '{"all": {"children": {"g": {"hosts": {"h1": {"a": [1, {"b": null}]}}}}}}'},
}

PATTERNS = [
    "all",
    "*",
    "web",
    "site:!db",
    "web:&db",
    "web,db",
    "web[0]",
    "web[-1]",
    "web[1:2]",
    "web[1:]",
    "~web0[1-3]",
    "~(web|db)",
    "w*",
    "db?",
    "lone",
    "ungrouped",
    "!web",
    "&db",
    "a:b",
    "a:!b:c",
    "h1",
    "h[3:5]",
    "z:&c",
    "localhost",
    "nothing",
    "h*:!h2",
    "!h2:a",
    "a[0]:b[0]",
    "*.example.org",
    "10.0.0.*",
    "site[2:3],lone",
    "~h[0-9]:!~h[12]",
    "all:!ungrouped",
]


@pytest.fixture(params=INVENTORIES)
def both(request, tmp_path):
    files = INVENTORIES[request.param]
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if not AnsibleCollectionConfig.collection_finder:
        init_plugin_loader([])
    source = tmp_path / next(iter(files))
    loader = DataLoader()
    loader.set_basedir(str(tmp_path / "play"))
    return InventoryManager(loader=loader, sources=[str(source)]), load_inventory([source]), loader, tmp_path


def test_patterns_select_the_same_hosts_in_the_same_order(both):
    theirs, ours, _, _ = both
    for pattern in PATTERNS:
        assert list(ours.match(pattern)) == [host.name for host in theirs.get_hosts(pattern)], pattern


def test_hosts_are_in_the_same_groups(both):
    theirs, ours, _, _ = both
    assert set(ours.groups) == set(theirs.groups)
    for name in ours.match("all"):
        assert sorted(ours.groups_of(name)) == sorted(group.name for group in theirs.get_host(name).get_groups() if group.name != "all")
    assert {name: list(ours.members(name)) for name in ours.groups} == {
        name: [host.name for host in group.get_hosts()] for name, group in theirs.groups.items()
    }


def test_hosts_get_the_same_variables(both):
    theirs, ours, loader, folder = both
    manager = VariableManager(loader=loader, inventory=theirs)
    for name in ours.match("all"):
        expected = manager.get_vars(host=theirs.get_host(name), include_hostvars=False)
        magic = {key for key in expected if key in MAGIC or key.startswith("ansible_play") or key == "ansible_version"}
        found = ours.variables(name, Path(folder / "play"))
        assert found == {key: value for key, value in expected.items() if key not in magic}, name
        assert ours.magic(name)["group_names"] == expected["group_names"]
        assert ours.magic(name)["inventory_hostname_short"] == expected["inventory_hostname_short"]
        assert ours.magic(name)["inventory_dir"] == expected["inventory_dir"]


MAGIC = {
    "ansible_check_mode", "ansible_config_file", "ansible_diff_mode", "ansible_facts", "ansible_forks", "ansible_inventory_sources",
    "ansible_playbook_python", "ansible_run_tags", "ansible_skip_tags", "ansible_verbosity", "group_names", "groups", "inventory_dir",
    "inventory_file", "inventory_hostname", "inventory_hostname_short", "omit", "playbook_dir", "ansible_version", "environment", "vars",
    "ansible_managed",
}  # fmt: skip
