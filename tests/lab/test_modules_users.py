"""Users and groups, as useradd, usermod and groupadd of a real host make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ringup.lab.rack import LabHost

Perform = Callable[..., dict[str, Any]]

HASH = "$6$saltsalt$anything"


@pytest.fixture(autouse=True)
def nobody_there(perform: Perform) -> Iterator[None]:
    """The accounts of these tests do not outlive them."""
    yield
    perform("user", name="kim", state="absent", remove=True, force=True)
    for name in ("kim", "rings", "more"):
        perform("group", name=name, state="absent")


def entry(host: LabHost, database: str, key: str) -> list[str]:
    return host.ssh(["getent", database, key], user="root").stdout.strip().split(":")


def test_a_group_is_made_numbered_again_and_removed(host: LabHost, converge: Perform) -> None:
    converge("group", name="rings", gid=3000)
    converge("group", name="rings", gid=3001)
    assert entry(host, "group", "rings")[2] == "3001"
    converge("group", name="rings", state="absent")


def test_a_user_is_made_with_all_that_is_said_of_it(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("group", name="rings")
    perform("group", name="more")
    done = converge(
        "user",
        name="kim",
        uid=4242,
        group="rings",
        groups=["more", "sudo"],
        comment="Kim, rings",
        shell="/bin/bash",
        password=HASH,
        password_expire_max=90,
        expires=1900000000,
    )
    assert entry(host, "passwd", "kim")[2:] == ["4242", str(done["group"]), "Kim, rings", "/home/kim", "/bin/bash"]
    assert entry(host, "shadow", "kim")[1] == HASH
    assert entry(host, "shadow", "kim")[4] == "90"
    assert HASH not in str(done), "a hash is never in a result"
    assert set(host.ssh(["id", "-Gn", "kim"]).stdout.split()) == {"rings", "more", "sudo"}


def test_groups_are_those_listed_or_with_append_also_those(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("group", name="rings")
    perform("group", name="more")
    perform("user", name="kim", groups=["rings"])
    converge("user", name="kim", groups=["more"], append=True)
    assert set(host.ssh(["id", "-Gn", "kim"]).stdout.split()) == {"kim", "rings", "more"}
    converge("user", name="kim", groups=["more"])
    assert set(host.ssh(["id", "-Gn", "kim"]).stdout.split()) == {"kim", "more"}
    converge("user", name="kim", groups=[])
    assert host.ssh(["id", "-Gn", "kim"]).stdout.split() == ["kim"]


def test_a_missing_group_is_named_and_in_check_mode_expected_to_come(perform: Perform) -> None:
    result = perform("user", name="kim", groups=["none-such"])
    assert result["msg"] == "Group none-such does not exist"
    assert perform("user", check=True, name="kim", groups=["none-such"])["changed"]


def test_a_home_moves_with_what_is_in_it(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("user", name="kim")
    host.ssh(["touch", "/home/kim/kept"], user="root")
    converge("user", name="kim", home="/home/elsewhere", move_home=True)
    assert host.ssh(["ls", "/home/elsewhere/kept"], user="root").returncode == 0


def test_a_missing_home_is_made_as_for_a_new_user(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("user", name="kim")
    host.ssh(["rm", "-r", "/home/kim"], user="root")
    converge("user", name="kim")
    assert host.ssh(["stat", "-c", "%U %a", "/home/kim", "/home/kim/.profile"], user="root").stdout == "kim 700\nkim 644\n"


def test_a_password_is_locked_unlocked_and_left_alone_when_told_so(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("user", name="kim", password=HASH)
    assert not perform("user", name="kim", password="$6$other", update_password="on_create")["changed"]
    converge("user", name="kim", password_lock=True)
    assert entry(host, "shadow", "kim")[1] == "!" + HASH
    assert not perform("user", name="kim", password=HASH)["changed"]
    converge("user", name="kim", password_lock=False)
    done = converge("user", name="kim", password="$6$other")
    assert "$6$" not in str(done)


def test_an_account_that_ends_can_be_made_endless(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("user", name="kim", expires=1900000000)
    assert entry(host, "shadow", "kim")[7] == str(1900000000 // 86400)
    converge("user", name="kim", expires=-1)
    assert entry(host, "shadow", "kim")[7] == ""


def test_a_key_is_made_once_and_belongs_to_the_user(host: LabHost, perform: Perform, converge: Perform) -> None:
    done = converge("user", name="kim", generate_ssh_key=True, ssh_key_type="ed25519")
    assert done["ssh_key_file"] == "/home/kim/.ssh/id_ed25519"
    assert done["ssh_public_key"].startswith("ssh-ed25519 ")
    assert host.ssh(["stat", "-c", "%U %a", done["ssh_key_file"]], user="root").stdout == "kim 600\n"


def test_a_removed_user_takes_its_home_along(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("user", name="kim")
    converge("user", name="kim", state="absent", remove=True)
    assert host.ssh(["ls", "/home/kim"], user="root").returncode != 0


def test_getent_gives_fields_or_says_that_there_are_none(perform: Perform) -> None:
    fields = perform("getent", database="passwd", key="root")["ansible_facts"]["getent_passwd"]["root"]
    assert fields[-2] == "/root"
    assert perform("getent", database="passwd", key="none-such")["failed"]
    absent = perform("getent", database="passwd", key="none-such", fail_key=False)
    assert absent["ansible_facts"] == {"getent_passwd": {"none-such": None}}
