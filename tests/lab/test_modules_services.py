"""systemd's units, on hosts that it has booted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ringup.lab.rack import LabHost

Perform = Callable[..., dict[str, Any]]

UNITS = "/etc/systemd/system"
GOOD = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/true\n[Install]\nWantedBy=multi-user.target\n"
BAD = "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo the disk is gone; exit 3'\n"


@pytest.fixture(autouse=True)
def units(perform: Perform, host: LabHost) -> Iterator[None]:
    """A unit that runs and one that fails."""
    for name, content in (("good", GOOD), ("bad", BAD)):
        host.ssh(["tee", f"{UNITS}/{name}.service"], user="root", stdin=content)
    assert not perform("systemd", daemon_reload=True).get("failed")
    yield
    host.ssh(["systemctl", "disable", "--now", "good"], user="root")
    host.ssh(f"rm -f {UNITS}/good.service {UNITS}/bad.service; systemctl daemon-reload; systemctl reset-failed", user="root")


def asked(host: LabHost, *words: str) -> str:
    return host.ssh(["systemctl", *words]).stdout.strip()


def main_pid(host: LabHost) -> str:
    return asked(host, "show", "--property", "MainPID", "--value", "good")


@pytest.mark.parametrize("module", ["systemd", "systemd_service", "service"])
def test_a_service_is_started_and_enabled_once(module: str, host: LabHost, converge: Perform) -> None:
    done = converge(module, name="good", state="started", enabled=True)
    assert done["status"]["ActiveState"] == "active"
    assert (asked(host, "is-active", "good"), asked(host, "is-enabled", "good")) == ("active", "enabled")
    converge(module, name="good", state="stopped", enabled=False)
    assert (asked(host, "is-active", "good"), asked(host, "is-enabled", "good")) == ("inactive", "disabled")


def test_restarted_acts_every_time_and_check_mode_does_not(host: LabHost, perform: Perform) -> None:
    perform("systemd", name="good", state="started")
    first = main_pid(host)
    assert perform("systemd", name="good", state="restarted", check=True)["changed"]
    assert main_pid(host) == first
    assert perform("systemd", name="good", state="restarted")["changed"]
    second = main_pid(host)
    assert second != first
    assert perform("systemd", name="good", state="reloaded")["changed"]
    assert main_pid(host) == second


def test_reloaded_starts_what_does_not_run(host: LabHost, perform: Perform) -> None:
    perform("service", name="good", state="reloaded")
    assert asked(host, "is-active", "good") == "active"


def test_a_failed_start_shows_what_the_service_wrote_to_the_journal(perform: Perform) -> None:
    result = perform("systemd", name="bad", state="started")
    assert result["failed"]
    assert result["msg"].startswith("Unable to start service bad: ")
    assert "the disk is gone" in result["msg"]


def test_an_unknown_unit_fails_and_in_check_mode_is_expected_to_come(perform: Perform) -> None:
    assert perform("systemd", name="none-such", state="started")["msg"] == "Could not find the requested service none-such: host"
    foretold = perform("systemd", check=True, name="none-such", state="started")
    assert foretold["changed"]
    assert "earlier task" in foretold["msg"]


def test_reading_unit_files_again_is_no_change(host: LabHost, perform: Perform) -> None:
    perform("systemd", name="good", state="started")
    host.ssh(["tee", "-a", f"{UNITS}/good.service"], user="root", stdin="# more\n")
    assert asked(host, "show", "--property", "NeedDaemonReload", "--value", "good") == "yes"
    result = perform("systemd", name="good", state="started", daemon_reload=True)
    assert not result["changed"]
    assert asked(host, "show", "--property", "NeedDaemonReload", "--value", "good") == "no"


def test_a_masked_unit_cannot_be_started_until_it_is_unmasked(host: LabHost, perform: Perform, converge: Perform) -> None:
    perform("systemd", name="apt-daily.timer", masked=False)
    converge("systemd", name="apt-daily.timer", masked=True)
    assert asked(host, "is-enabled", "apt-daily.timer") == "masked"
    assert perform("systemd", name="apt-daily.timer", state="started")["failed"]
    converge("systemd", name="apt-daily.timer", masked=False)
    assert asked(host, "is-enabled", "apt-daily.timer") != "masked"


def test_services_are_facts(perform: Perform) -> None:
    perform("systemd", name="good", state="started", enabled=True)
    perform("systemd", name="bad", state="started")
    services = perform("service_facts")["ansible_facts"]["services"]
    assert services["good.service"] == {"name": "good.service", "state": "running", "status": "enabled", "source": "systemd"}
    assert services["bad.service"]["status"] == "failed"
