"""apt and what belongs to it, with real packages on a booted host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ringup.lab import rack as lab
from ringup.lab import waiting
from ringup.lab.rack import LabHost, Rack

Perform = Callable[..., dict[str, Any]]

#: a package whose scripts wait for as long as /run/hold exists, in a repository of its own
SLOW = r"""
set -e
rm -rf /srv/slow /etc/apt/sources.list.d/slow.sources
mkdir -p /srv/slow/tree/DEBIAN /srv/slow/tree/opt
echo content >/srv/slow/tree/opt/slow
control='Package: slow\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: slow\n'
printf "$control" >/srv/slow/tree/DEBIAN/control
printf '#!/bin/sh\nwhile [ -e /run/hold-%s ]; do sleep 0.05; done\n' preinst >/srv/slow/tree/DEBIAN/preinst
printf '#!/bin/sh\nwhile [ -e /run/hold-%s ]; do sleep 0.05; done\n' postinst >/srv/slow/tree/DEBIAN/postinst
chmod 755 /srv/slow/tree/DEBIAN/p*inst
dpkg-deb --build /srv/slow/tree /srv/slow/slow_1.0_all.deb >/dev/null
cd /srv/slow
{ cat tree/DEBIAN/control; echo Filename: ./slow_1.0_all.deb; echo Size: $(stat -c %s slow_1.0_all.deb)
  echo SHA256: $(sha256sum slow_1.0_all.deb | cut -d' ' -f1); } >Packages
"""

#: kills dpkg in the middle of the package's script, which is named by the first argument
KILL = r"""
touch /run/hold-$1
apt-get install -y slow >/dev/null 2>&1 &
apt=$!
until pgrep -f "slow.$1|slow/.*/$1|tmp.ci/$1" >/dev/null; do sleep 0.05; done
for pid in $(pgrep -P $apt) $apt; do kill -9 $pid; done
rm /run/hold-$1
"""


def as_root(host: LabHost, script: str, *words: str) -> str:
    done = host.ssh(["bash", "-s", "--", *words], user="root", stdin=script, timeout_s=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fresh(perform: Perform) -> Iterator[None]:
    """Lists of packages are there, `hello` is not; nothing is held, before and after."""
    assert not perform("apt", update_cache=True, cache_valid_time=3600).get("failed")
    perform("apt", name="hello", state="absent", purge=True)
    yield
    perform("apt", name=["hello", "slow"], state="absent", purge=True, allow_change_held_packages=True)


@pytest.fixture
def slow(fresh: None, host: LabHost, perform: Perform) -> Iterator[None]:
    """The slow package can be installed from a repository that the host itself holds."""
    as_root(host, SLOW)
    perform("deb822_repository", name="slow", uris="file:/srv/slow", suites="./", trusted=True)
    assert perform("apt", update_cache=True, cache_valid_time=3600)["cache_updated"], "a new repository makes old lists stale"
    yield
    perform("apt", name="slow", state="absent", purge=True)
    perform("deb822_repository", name="slow", state="absent")
    perform("apt", update_cache=True)


def installed(host: LabHost, name: str) -> bool:
    return host.ssh(["dpkg-query", "-W", "-f", "${db:Status-Status}", name]).stdout == "installed"


@pytest.mark.usefixtures("fresh")
def test_a_package_comes_and_goes_as_check_mode_foretells(host: LabHost, converge: Perform) -> None:
    done = converge("apt", name="hello")
    assert [change["before_header"] for change in done["diff"]] == ["hello"]
    assert installed(host, "hello")
    converge("apt", name="hello", state="absent", purge=True)
    assert not installed(host, "hello")


@pytest.mark.usefixtures("fresh")
def test_versions_are_compared_as_debian_does(perform: Perform) -> None:
    assert perform("apt", name="hello>=2.9")["changed"]
    for satisfied in ("hello>=2.9", "hello=2.*", "hell?", "hello"):
        assert not perform("apt", name=satisfied)["changed"], satisfied
    assert not perform("apt", name="hello", state="latest")["changed"]
    missing = perform("apt", name="hello=99")
    assert missing["failed"]
    assert "hello=99" in missing["msg"]


@pytest.mark.usefixtures("fresh")
def test_an_unknown_package_is_named_with_what_to_do(host: LabHost, perform: Perform) -> None:
    result = perform("apt", name=["hello", "no-such-package"])
    assert result["failed"]
    assert result["msg"] == "No package matching 'no-such-package' is available"
    assert "update_cache" in result["hint"]
    assert not installed(host, "hello"), "all or nothing"


@pytest.mark.usefixtures("fresh")
def test_check_mode_says_that_it_has_not_fetched_the_lists(perform: Perform) -> None:
    result = perform("apt", check=True, name="no-such-package", update_cache=True)
    assert "check mode does not fetch the lists" in result["hint"]


@pytest.mark.usefixtures("fresh")
def test_lists_are_fetched_once_while_they_are_valid(perform: Perform) -> None:
    assert perform("apt", update_cache=True)["changed"]
    assert not perform("apt", update_cache=True, cache_valid_time=3600)["changed"]


@pytest.mark.usefixtures("fresh")
def test_a_held_package_stays_until_it_is_released(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("apt", name="hello")
    converge("dpkg_selections", name="hello", selection="hold")
    refused = perform("apt", name="hello", state="absent")
    assert refused["failed"]
    assert "dpkg_selections" in refused["hint"]
    assert installed(host, "hello")
    converge("dpkg_selections", name="hello", selection="install")
    converge("apt", name="hello", state="absent")


@pytest.mark.usefixtures("fresh")
def test_a_lock_in_other_hands_is_waited_for_and_its_holder_named(rack: Rack, host: LabHost, perform: Perform) -> None:
    lab.fault(rack, host.name, "apt-lock")
    late = perform("apt", name="hello", lock_timeout=1)
    assert late["failed"]
    assert "unattended-upgr" in late["msg"]
    assert str(late["lock_pid"]) in late["hint"]
    said: list[str] = []

    def hear(line: str) -> None:
        said.append(line)
        if len(said) == 1:
            lab.clear(rack, host.name)

    assert perform("apt", name="hello", progress=hear)["changed"]
    assert said[0].startswith("waiting for apt's lock, held by PID ")
    assert installed(host, "hello")


@pytest.mark.usefixtures("fresh")
def test_what_is_as_wanted_waits_for_no_lock(rack: Rack, host: LabHost, perform: Perform) -> None:
    perform("apt", name="hello")
    lab.fault(rack, host.name, "apt-lock")
    assert perform("apt", name="hello", lock_timeout=0) == perform("apt", check=True, name="hello", lock_timeout=0)
    lab.clear(rack, host.name)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("script", ["preinst", "postinst"])
def test_what_a_killed_dpkg_left_half_done_is_mended_first(script: str, host: LabHost, perform: Perform) -> None:
    as_root(host, KILL, script)
    assert waiting.until(lambda: host.ssh(["pgrep", "-x", "dpkg"]).returncode == 1)
    assert not installed(host, "slow")
    foretold = perform("apt", check=True, name="hello")
    done = perform("apt", name="hello")
    assert not done.get("failed"), done
    assert "slow" in done["mended"]
    assert foretold["diff"] == done["diff"]
    assert installed(host, "slow")
    assert installed(host, "hello")
    assert as_root(host, "dpkg --audit") == ""
    assert not perform("apt", name="hello")["changed"]


@pytest.mark.usefixtures("slow")
def test_an_archive_is_installed_once(host: LabHost, converge: Perform) -> None:
    for deb in ("/srv/slow/slow_1.0_all.deb", "file:///srv/slow/slow_1.0_all.deb"):
        converge("apt", deb=deb)
        assert installed(host, "slow")
        converge("apt", name="slow", state="absent", purge=True)
    assert host.ssh("ls -d /tmp/ringup-deb-*").returncode != 0, "what was fetched does not stay"


@pytest.mark.usefixtures("fresh")
def test_a_repository_and_its_key_come_and_go(host: LabHost, converge: Perform) -> None:
    key = "file:///usr/share/keyrings/debian-archive-keyring.gpg"
    done = converge("deb822_repository", name="Our Mirror", uris="http://mirror.test/debian", suites="x", components="main", signed_by=key)
    assert done["key_filename"] == "/etc/apt/keyrings/our-mirror.gpg"
    assert "Signed-By: /etc/apt/keyrings/our-mirror.gpg\n" in host.ssh(["cat", done["dest"]]).stdout
    converge("deb822_repository", name="Our Mirror", state="absent")
    assert host.ssh(["ls", done["dest"], done["key_filename"]]).returncode != 0


@pytest.mark.usefixtures("fresh")
def test_a_full_disk_is_named_and_nothing_is_left_half_done(rack: Rack, host: LabHost, perform: Perform) -> None:
    perform("apt", clean=True)
    lab.fault(rack, host.name, "disk-full")
    result = perform("apt", name="hello")
    lab.clear(rack, host.name)
    assert result["failed"]
    assert "disk is full" in result["msg"], result
    assert perform("apt", name="hello")["changed"]
    assert as_root(host, "dpkg --audit") == ""


@pytest.mark.usefixtures("fresh")
def test_python_packages_live_in_an_environment_of_their_own(host: LabHost, perform: Perform) -> None:
    perform("apt", name=["python3-venv"], install_recommends=False)
    folder = "/opt/pip-test"
    assert perform("pip", check=True, name="six==1.15.0", virtualenv=folder)["changed"]
    assert host.ssh(["ls", folder]).returncode != 0
    assert perform("pip", name="six==1.15.0", virtualenv=folder)["changed"]
    assert not perform("pip", name="six<1.16,>=1.10", virtualenv=folder)["changed"]
    for wanted in ({"version": "1.16.0"}, {"state": "absent"}):
        foretold, done, again = (perform("pip", check=check, name="six", virtualenv=folder, **wanted) for check in (True, False, False))
        assert (foretold["changed"], done["changed"], again["changed"]) == (True, True, False), wanted
    assert perform("pip", name="no-such-name-of-ringup", virtualenv=folder)["failed"]
    host.ssh(["sudo", "rm", "-r", folder])
