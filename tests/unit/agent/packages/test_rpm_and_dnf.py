"""rpm's order of versions, names as dnf takes them, and the tables that dnf prints."""

import pytest

from ringup.agent import arguments
from ringup.agent.failure import ModuleFailure
from ringup.agent.modules import dnf as module
from ringup.agent.packages import dnf, rpm

PACKAGES = [
    rpm.Package("kernel", "0", "5.14.0", "427.el9", "x86_64"),
    rpm.Package("demo", "2", "1.10", "3.el9", "noarch"),
    rpm.Package("libdemo", "0", "1.0~rc1", "1", "x86_64"),
]

DNF4 = """\
Last metadata expiration check: 0:00:01 ago on Tue Dec  1 16:53:03 2026.
Dependencies resolved.
================================================================================
 Package          Architecture  Version       Repository                    Size
================================================================================
Installing:
 demo             noarch        2:1.0-1       demo                         6.0 k
Upgrading:
 kernel-core      x86_64        5.14.0-500.el9
                                              baseos                        70 M
Installing dependencies:
 a-package-with-a-long-name-that-the-table-has-no-room-for
                  x86_64        0:2.0-1       demo                         5.5 k
Removing unused dependencies:
 old              noarch        1.0-1         @demo                          4

Transaction Summary
================================================================================
Install  2 Packages
"""
DNF5 = """\
Updating and loading repositories:
Repositories loaded.
Package            Arch   Version        Repository      Size
Upgrading:
 demo              noarch 2.0-1          demo        64.0   B
   replacing demo  noarch 1.0-1          demo        64.0   B
Installing weak dependencies:
 extra             noarch 1.0-1          demo         0.0   B

Transaction Summary:
 Upgrading:         1 package
 Replacing:         1 package
"""


# the cases of rpm's own test suite (tests/rpmvercmp.at) that tell the rules apart
@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        ("1.0", "1.0", 0), ("1.0", "2.0", -1), ("2.0.1", "2.0", 1), ("2.0.1a", "2.0.1", 1), ("5.5p1", "5.5p10", -1),
        ("10xyz", "10.1xyz", -1), ("xyz10", "xyz10.1", -1), ("xyz.4", "8", -1), ("5.5p2", "5.6p1", -1), ("6.0.rc1", "6.0", 1),
        ("10b2", "10a1", 1), ("1.0aa", "1.0a", 1), ("10.0001", "10.1", 0), ("4.999.9", "5.0", -1), ("2_0", "2.0", 0),
        ("1.0~rc1", "1.0", -1), ("1.0~rc1", "1.0~rc2", -1), ("1.0~rc1~git123", "1.0~rc1", -1), ("1.0^", "1.0", 1),
        ("1.0^git1", "1.0.1", -1), ("1.0^git1", "1.01", -1), ("1.0~rc1^git1", "1.0~rc1", 1), ("1.0^git1~pre", "1.0^git1", -1),
    ],
)  # fmt: skip
def test_versions_sort_as_rpm_sorts_them(one, other, order):
    assert rpm.compare(one, other) == order
    assert rpm.compare(other, one) == -order


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("demo", ["demo"]),
        ("demo-1.10", ["demo"]),
        ("demo-1.10-3.el9", ["demo"]),
        ("demo-2:1.10-3.el9.noarch", ["demo"]),
        ("demo.noarch", ["demo"]),
        ("demo.x86_64", []),
        ("demo-1.9", []),
        ("*demo", ["demo", "libdemo"]),
        ("demo >= 1.9", ["demo"]),
        ("demo >= 3:1.0", []),
        ("demo = 1.10", ["demo"]),
        ("demo < 1.10-3.el9", []),
        ("libdemo < 1.0", ["libdemo"]),
        ("absent", []),
    ],
)
def test_a_name_means_the_packages_that_dnf_means(spec, found):
    assert [one.name for one in rpm.named(spec, PACKAGES)] == found


def test_a_table_of_dnf_is_read_with_rows_that_are_cut_in_two():
    assert [str(step) for step in dnf.parse(DNF4)] == [
        "Installed: demo-2:1.0-1.noarch",
        "Upgraded: kernel-core-5.14.0-500.el9.x86_64",
        "Installed: a-package-with-a-long-name-that-the-table-has-no-room-for-2.0-1.x86_64",
        "Removed: old-1.0-1.noarch",
    ]


def test_a_table_of_dnf5_is_read_without_what_is_replaced():
    assert [str(step) for step in dnf.parse(DNF5)] == ["Upgraded: demo-2.0-1.noarch", "Installed: extra-1.0-1.noarch"]


@pytest.mark.parametrize(
    ("given", "commands"),
    [
        ({"name": ["demo", "absent"]}, [["install", "absent"]]),
        ({"name": ["demo"]}, []),
        ({"name": ["demo-2.0"]}, [["install", "demo-2.0"]]),
        ({"name": ["/usr/bin/tool"]}, [["install", "/usr/bin/tool"]]),
        ({"name": ["@tools"], "state": "absent"}, [["remove", "@tools"]]),
        ({"name": ["demo", "absent"], "state": "latest"}, [["upgrade", "demo"], ["install", "absent"]]),
        ({"name": ["demo", "absent"], "state": "latest", "update_only": True}, [["upgrade", "demo"]]),
        ({"name": ["*"], "state": "latest"}, [["upgrade"]]),
        ({"name": ["demo", "absent"], "state": "removed"}, [["remove", "demo"]]),
        ({"autoremove": True}, [["autoremove"]]),
    ],
)
def test_only_what_is_not_as_wanted_is_asked_of_dnf(given, commands):
    assert module.commands(arguments.parse(module.Args, given), PACKAGES) == commands


def test_a_downgrade_is_refused_unless_it_is_meant():
    steps = [dnf.Step("demo", "noarch", "1.0-1", "downgraded")]
    module._refuse_downgrade(steps, arguments.parse(module.Args, {"name": "demo", "allow_downgrade": True}))
    with pytest.raises(ModuleFailure, match="older version"):
        module._refuse_downgrade(steps, arguments.parse(module.Args, {"name": "demo"}))
