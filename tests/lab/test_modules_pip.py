"""pip on a bare Debian host, which has neither pip nor python3-venv."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uv

from ringup.lab import inside
from ringup.lab.rack import LabHost, Rack

Perform = Callable[..., dict[str, Any]]

VENV = "/opt/pip-test/venv"


@pytest.fixture
def shelf(rack: Rack, host: LabHost) -> Iterator[dict[str, Any]]:
    """uv and two wheels on the host; gives the options that use only them."""
    folder = inside.path(rack, host, "/opt") / "pip-test"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    shutil.copy(uv.find_uv_bin(), folder / "uv")
    for version in ("1.0", "2.0"):
        wheel(folder, version)
    for path in (folder, *folder.iterdir()):
        os.chown(path, 0, 0)
    yield {"uv": "/opt/pip-test/uv", "find_links": ["/opt/pip-test"], "no_index": True, "virtualenv": VENV}
    shutil.rmtree(folder)


def wheel(folder: Path, version: str) -> None:
    info = f"demo-{version}.dist-info"
    with zipfile.ZipFile(folder / f"demo-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr("demo.py", f"print({version!r})\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: demo\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def test_uv_makes_an_environment_and_installs_where_debian_has_no_venv(host: LabHost, converge: Perform, shelf: dict[str, Any]) -> None:
    converge("pip", name="demo==1.0", **shelf)
    assert host.ssh([f"{VENV}/bin/python", "-m", "demo"]).stdout.strip() == "1.0"
    converge("pip", name="demo", state="latest", **shelf)
    assert host.ssh([f"{VENV}/bin/python", "-m", "demo"]).stdout.strip() == "2.0"
    converge("pip", name="demo", state="absent", **shelf)


def test_a_host_with_nothing_that_installs_says_what_to_install(perform: Perform, host: LabHost, shelf: dict[str, Any]) -> None:
    perform("apt", name=["python3-venv", "python3.11-venv", "python3-pip"], state="absent")
    refused = perform("pip", name="demo", virtualenv=VENV, uv="never")
    assert refused["failed"]
    assert "python3" in refused["hint"] and "venv" in refused["hint"]
    assert host.ssh(["test", "-e", VENV]).returncode == 1, "a half-made environment is left behind"
    refused = perform("pip", name="demo", uv="never")
    assert "python3-pip" in refused["hint"]
