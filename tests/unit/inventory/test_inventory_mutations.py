"""Valid inventories, damaged at random (seeded): each gives an inventory or an error with a place and a hint, never a traceback."""

import random

import pytest

from ringup.errors import InputError
from ringup.inventory import load_inventory

YAML = """\
all:
  vars: {ntp: 10.0.0.1, path: "{{ base }}/x"}
  children:
    gpu-rack:
      hosts:
        node[01:04]:
          ansible_host: 198.18.0.1
          tags: [a, 'b']
        node02: {slots: 8}
      vars:
        ansible_group_priority: 5
        secret: !vault |
          $ANSIBLE_VAULT;1.1;AES256
          6162
      children:
        newest: {hosts: {node04: }}
    storage:
      hosts: disk01
"""

INI = """\
login ansible_port=22
[gpu-rack]
node[01:04:2] slots=8 name='two words'
node02 ansible_host=198.18.0.2 # beside
[gpu-rack:vars]
colour=green
list=[1, 2]
[gpu-rack:children]
newest
[newest]
node04:2222
"""

PIECES = [
    ":",
    "-",
    "  ",
    "\t",
    "\n",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    "#",
    "&a",
    "*a",
    "!x ",
    "|",
    "%",
    "@",
    "\x00",
    "é",
    "1",
    "0x",
    "~",
    "<<: ",
    "? ",
    "=",
    ",",
]


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + chance.randint(1, 6) :]
        elif kind == 2:
            lines = text.splitlines(keepends=True)
            chance.shuffle(lines)
            text = "".join(lines)
        else:
            other = chance.randrange(len(text) + 1)
            text = text[:at] + text[min(at, other) : max(at, other)][:40] + text[at:]
    return text


def check(rounds: int, tmp_path) -> None:
    chance = random.Random(20260)
    for number in range(rounds):
        name, text = (("hosts.yaml", YAML), ("hosts.ini", INI), ("hosts", INI), ("hosts", YAML))[number % 4]
        (tmp_path / name).write_text(mutated(text, chance), encoding="utf-8")
        try:
            inventory = load_inventory([tmp_path / name])
            for host in inventory.match("all"):
                inventory.origins(host)
        except InputError as error:
            assert error.where, error.message
            assert error.hint, error.message


def test_a_damaged_inventory_gives_hosts_or_a_place_and_a_hint(tmp_path):
    check(400, tmp_path)


@pytest.mark.slow
def test_five_thousand_damaged_inventories_give_hosts_or_a_place_and_a_hint(tmp_path):
    check(5000, tmp_path)
