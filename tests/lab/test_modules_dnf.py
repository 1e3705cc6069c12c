"""dnf itself, from Debian's own package of it, on a booted host with a repository of a few rpm packages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ringup.lab.rack import LabHost, Rack

pytestmark = pytest.mark.slow

Perform = Callable[..., dict[str, Any]]

PART = "demo-part-with-a-very-long-name-that-a-table-of-eighty-columns-has-no-room-for"
#: demo 1.0 and 2.0, each of which needs a part
PREPARE = f"""
set -e
[ -e /etc/yum.repos.d/demo.repo ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq >/dev/null
apt-get install -y -qq --no-install-recommends dnf rpm createrepo-c >/dev/null 2>&1
mkdir -p /srv/rpm /etc/yum.repos.d
cd /srv/rpm
for version in 1.0 2.0; do
cat >demo.spec <<SPEC
Name: demo
Version: $version
Release: 1
Summary: demo
License: MIT
BuildArch: noarch
Requires: {PART}
%description
demo
%package -n {PART}
Summary: part
%description -n {PART}
part
%files
%files -n {PART}
SPEC
rpmbuild -bb --quiet --define "_rpmdir /srv/rpm/repo" demo.spec >/dev/null 2>&1
done
createrepo_c -q repo
printf '[demo]\\nname=demo\\nbaseurl=file:///srv/rpm/repo\\ngpgcheck=0\\n' >/etc/yum.repos.d/demo.repo
"""


@pytest.fixture
def repository(rack: Rack, host: LabHost, perform: Perform) -> None:
    done = host.ssh(["bash", "-s"], user="root", stdin=PREPARE, timeout_s=400)
    assert done.returncode == 0, done.stderr
    host.ssh(["rpm", "--erase", "--nodeps", "demo", PART], user="root")


@pytest.mark.usefixtures("repository")
def test_rpm_packages_come_move_and_go_as_check_mode_foretells(converge: Perform, perform: Perform) -> None:
    done = converge("dnf", name="demo-1.0")
    assert {(one["before_header"], one["after"].strip()) for one in done["diff"]} == {("demo", "1.0-1"), (PART, "2.0-1")}
    assert not perform("dnf", name=["demo", "demo >= 1.0", "dem*"])["changed"]
    converge("dnf", name="demo", state="latest")
    refused = perform("dnf", name="demo-1.0")
    assert refused["failed"]
    assert "allow_downgrade" in refused["hint"]
    converge("dnf", name="demo-1.0", allow_downgrade=True)
    done = converge("package", name="demo", state="absent", use="dnf")
    assert {one["before_header"] for one in done["diff"]} == {"demo", PART}


@pytest.mark.usefixtures("repository")
def test_a_package_that_no_repository_has_is_named(perform: Perform) -> None:
    refused = perform("dnf", name=["demo", "no-such-package"])
    assert refused["failed"]
    assert "no-such-package" in refused["msg"]
    assert "enablerepo" in refused["hint"]
    assert perform("dnf", name="demo", state="absent", check=True)["changed"] is False, "all or nothing"
