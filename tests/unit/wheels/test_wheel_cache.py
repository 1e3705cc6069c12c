import subprocess
import sys
from pathlib import Path

import pytest

from ringup.errors import TaskFailed
from ringup.wheels.cache import Platform, fetch, sha256_of

OWN = Platform(f"{sys.version_info[0]}.{sys.version_info[1]}", "x86_64", "2.36")
PROJECT = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "tiny"\nversion = "1.2"\n'


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one wheel made here, as an air-gapped operator would have."""
    folder = tmp_path_factory.mktemp("shelf")
    source = tmp_path_factory.mktemp("source")
    (source / "pyproject.toml").write_text(PROJECT)
    (source / "tiny.py").write_text("")
    argv = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(argv, check=True, capture_output=True)
    return folder


def options(shelf: Path) -> list[str]:
    return ["--no-index", "--find-links", str(shelf)]


def test_a_fetched_set_is_pinned_with_its_hashes(shelf: Path, tmp_path: Path) -> None:
    (wheel,) = fetch(["tiny==1.2"], OWN, options(shelf), tmp_path, print)
    assert (wheel.name, wheel.version) == ("tiny", "1.2")
    assert wheel.requirement == f"tiny==1.2 --hash=sha256:{sha256_of(wheel.path)}"


def test_a_set_that_was_fetched_is_not_asked_for_again(shelf: Path, tmp_path: Path) -> None:
    first = fetch(["tiny==1.2"], OWN, options(shelf), tmp_path, print)
    lines: list[str] = []
    assert fetch(["tiny==1.2"], OWN, options(shelf), tmp_path, lines.append) == first
    assert lines == []


def test_what_pip_cannot_find_is_said_in_pips_words_and_leaves_nothing(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(TaskFailed, match="no-such-thing") as failure:
        fetch(["no-such-thing==9"], OWN, options(shelf), tmp_path, lambda line: None)
    assert failure.value.hint
    assert list(tmp_path.iterdir()) == []


def test_platform_tags_stop_at_the_hosts_glibc() -> None:
    tags = Platform("3.9", "x86_64", "2.28").tags()
    assert tags[0] == "manylinux_2_28_x86_64"
    assert not any("2_34" in tag for tag in tags)
