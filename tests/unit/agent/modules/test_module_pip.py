"""pip, with real environments and wheels made on the spot: no index is asked."""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile

import pytest

PIP_CONF = {"PIP_CONFIG_FILE": "/dev/null", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": "1"}


def wheel(folder, name, version, needs=(), extras=()):
    """A wheel that holds one module."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    metadata += [f"Provides-Extra: {extra}" for extra in extras] + [f"Requires-Dist: {need}" for need in needs]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", f"version = {version!r}\n")
        archive.writestr(f"{info}/METADATA", "\n".join(metadata) + "\n\nAbout it\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(
            f"{info}/RECORD", "".join(f"{entry},,\n" for entry in (f"{name}.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD"))
        )
    return path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Wheels: demo 1.0, 1.1 and 2.0+cpu, which need helper; an extra of demo needs bonus."""
    folder = tmp_path_factory.mktemp("shelf")
    for version in ("1.0", "1.1", "2.0+cpu"):
        wheel(folder, "demo", version, ["helper>=1", 'bonus; extra == "more"', 'absent; python_version < "3"'], ["more"])
    wheel(folder, "helper", "1.5")
    wheel(folder, "bonus", "0.1")
    return folder


@pytest.fixture(scope="session")
def bare_environment(tmp_path_factory):
    """An environment with pip, to be copied: making one takes seconds."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    return folder


@pytest.fixture(params=["uv", "pip"])
def pip(request, run, shelf, tmp_path, bare_environment):
    """Run the module against an environment that this test alone has, once with uv and once with pip."""
    chosen = {"uv": "auto" if request.param == "uv" else "never"}
    shutil.copytree(bare_environment, tmp_path / "venv", symlinks=True)

    def pip(check=False, **args):
        options = dict({"find_links": [str(shelf)], "no_index": True, "virtualenv": str(tmp_path / "venv")}, **chosen)
        return run("pip", check=check, diff=True, environment=PIP_CONF, **dict(options, **args))

    return pip


def changed(result):
    assert not result.get("failed"), result
    return result["changed"]


def versions(folder):
    program = "import importlib.metadata as m, json; print(json.dumps({d.metadata['Name']: d.version for d in m.distributions()}))"
    done = subprocess.run([folder / "bin/python", "-c", program], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_a_package_is_installed_kept_changed_and_removed_and_check_mode_tells_each_before(pip, tmp_path):
    venv = tmp_path / "venv"
    steps = [
        ({"name": "demo==1.0"}, True),
        ({"name": "demo==1.0"}, False),
        ({"name": "Demo"}, False),
        ({"name": ["demo>=1.0", "<2", "helper"]}, False),
        ({"name": "demo", "version": "1.1"}, True),
        ({"name": "demo", "version": ">=1.1,!=1.2"}, False),
        ({"name": "demo[more]"}, True),
        ({"name": "demo[more]"}, False),
        ({"name": "demo", "state": "latest"}, True),
        ({"name": "demo", "state": "latest"}, False),
        ({"name": "demo==2.0"}, False),
        ({"name": "demo==2.0+cpu"}, False),
        ({"name": "demo", "state": "forcereinstall"}, True),
        ({"name": 'demo==1.0; python_version < "3"'}, False),
        ({"name": ["demo", "bonus", "never-was"], "state": "absent"}, True),
        ({"name": ["demo", "bonus"], "state": "absent"}, False),
    ]
    for args, expected in steps:
        before = sorted(str(path) for path in venv.rglob("*.dist-info"))
        assert changed(pip(check=True, **args)) is expected, args
        assert sorted(str(path) for path in venv.rglob("*.dist-info")) == before, "check mode installed something"
        assert changed(pip(**args)) is expected, args
    assert versions(venv)["helper"] == "1.5"


def test_a_difference_names_every_package_that_came(pip):
    result = pip(name="demo==1.0")
    assert {(one["before_header"], one["after"].strip()) for one in result["diff"]} >= {("demo", "1.0"), ("helper", "1.5")}


def test_a_build_of_another_label_is_another_version(pip):
    assert changed(pip(name="demo==2.0"))
    refused = pip(name="demo==2.0+cu128")
    assert refused["failed"]
    assert "index" in refused["hint"]


def test_a_requirements_file_with_includes_and_constraints_is_read(pip, tmp_path):
    (tmp_path / "more.txt").write_text("bonus  # small\n")
    (tmp_path / "limits.txt").write_text("demo<1.1\n")
    (tmp_path / "all.txt").write_text("# what we need\n-r more.txt\n-c limits.txt\ndemo>=1.0\n")
    for expected in (True, False):
        assert changed(pip(requirements=str(tmp_path / "all.txt"))) is expected
    assert versions(tmp_path / "venv")["demo"] == "1.0"
    (tmp_path / "limits.txt").write_text("demo==1.1\n")
    assert changed(pip(requirements="all.txt", chdir=str(tmp_path))) is True
    assert versions(tmp_path / "venv")["demo"] == "1.1"


def test_a_wheel_by_its_path_is_installed_once_and_again_when_its_content_is_new(pip, shelf, tmp_path):
    made = wheel(tmp_path, "single", "1.0")
    for expected in (True, False):
        assert changed(pip(name=str(made))) is expected
    assert changed(pip(name=made.name, chdir=str(tmp_path))) is False


def test_a_project_folder_is_installed_in_place_once(pip, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "backend.py").write_text(BACKEND)
    (project / "pyproject.toml").write_text('[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n')
    for expected in (True, False):
        assert changed(pip(name=str(project), editable=True)) is expected
    assert versions(tmp_path / "venv")["inplace"] == "3"


#: a build backend (PEP 660) of a few lines, so that nothing has to be fetched to build
BACKEND = """
import os, zipfile
def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "inplace-3-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as archive:
        archive.writestr("inplace.pth", os.getcwd() + "\\n")
        archive.writestr("inplace-3.dist-info/METADATA", "Metadata-Version: 2.1\\nName: inplace\\nVersion: 3\\n")
        archive.writestr("inplace-3.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        archive.writestr("inplace-3.dist-info/RECORD", "")
    return name
build_wheel = build_editable
"""


def test_a_package_that_is_nowhere_is_named_with_a_hint(pip):
    result = pip(name="no-such-thing-anywhere==1.0")
    assert result["failed"]
    assert "no-such-thing-anywhere" in result["msg"]
    assert "index" in result["hint"]


def test_hashes_of_a_requirements_file_are_the_installers_business(pip, shelf, tmp_path):
    digest = hashlib.sha256((shelf / "helper-1.5-py3-none-any.whl").read_bytes()).hexdigest()
    (tmp_path / "locked.txt").write_text(f"helper==1.5 \\\n    --hash=sha256:{digest}\n")
    for expected in (True, False):
        assert changed(pip(requirements=str(tmp_path / "locked.txt"), extra_args="--require-hashes")) is expected
    (tmp_path / "locked.txt").write_text(f"bonus==0.1 \\\n    --hash=sha256:{digest}\n")
    assert "hash" in pip(requirements=str(tmp_path / "locked.txt"), extra_args="--require-hashes")["msg"].lower()


@pytest.mark.parametrize("made_by", [{}, {"virtualenv_command": f"{sys.executable} -m venv", "uv": "never"}])
def test_an_environment_is_made_and_made_again_when_its_python_is_gone(run, shelf, tmp_path, made_by):
    venv = tmp_path / "folder/venv"
    args = dict({"name": "helper", "virtualenv": str(venv), "find_links": [str(shelf)], "no_index": True}, **made_by)
    assert changed(run("pip", check=True, environment=PIP_CONF, **args))
    assert not venv.exists()
    assert changed(run("pip", environment=PIP_CONF, **args))
    python = venv / "bin/python"
    python.unlink()
    python.symlink_to("/usr/bin/python3.that.went.with.an.upgrade")
    assert changed(run("pip", environment=PIP_CONF, **args))
    assert versions(venv)["helper"] == "1.5"
    assert not changed(run("pip", environment=PIP_CONF, **args))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"name": ["a", "b"], "version": "1"}, "ambiguous"),
        ({"name": "demo =="}, "no requirement"),
        ({"name": "demo=1"}, "no requirement"),
        ({"name": "demo", "umask": "9"}, "octal"),
        ({"name": "demo", "uv": "/no/such/uv"}, "no uv at /no/such/uv"),
        ({"name": "demo", "requirements": "x"}, "exclude each other"),
        ({"requirements": "/no/such/file.txt"}, "cannot be read"),
        ({"name": "demo", "executable": "pip3"}, "exclude each other"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_made(run, tmp_path, args, words):
    result = run("pip", virtualenv=str(tmp_path / "venv"), environment=PIP_CONF, **args)
    assert result["failed"], result
    assert words in result["msg"]
    assert "exception" not in result
    assert not (tmp_path / "venv").exists()


def test_a_line_of_a_requirements_file_that_is_wrong_is_named(run, tmp_path):
    (tmp_path / "bad.txt").write_text("fine\n\nnot a requirement\n")
    result = run("pip", requirements=str(tmp_path / "bad.txt"), virtualenv=str(tmp_path / "venv"))
    assert f"{tmp_path}/bad.txt:3: 'not a requirement'" in result["msg"]


def test_uv_looks_where_pip_has_been_told_to_look(run, shelf, tmp_path):
    conf = tmp_path / "pip.conf"
    conf.write_text(f"[global]\nno-index = true\nfind-links =\n  {tmp_path}\n  {shelf}\n")
    environment = {"PIP_CONFIG_FILE": str(conf), "PIP_FIND_LINKS": ""}
    assert changed(run("pip", name="demo==1.0", virtualenv=str(tmp_path / "venv"), environment=environment))
    assert versions(tmp_path / "venv")["demo"] == "1.0"
