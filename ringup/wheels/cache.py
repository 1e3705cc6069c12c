"""The controller's wheel cache: what a set of requirements needs, on disk, with hashes. Fetching is pip's, with pip's own configuration."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import parse_wheel_filename

from ringup.errors import TaskFailed

#: newest glibc first: pip takes the first platform tag that a wheel carries
GLIBC_TAGS = ("2_39", "2_35", "2_34", "2_31", "2_28", "2_27", "2_26", "2_24", "2_17", "2_12", "2_5")


@dataclass(frozen=True, slots=True)
class Platform:
    """What a wheel must fit.

    Attributes:
        python: major and minor, such as "3.11".
        machine: `uname -m` of the host.
        glibc: major and minor of the host's, such as "2.36".
    """

    python: str
    machine: str
    glibc: str

    def tags(self) -> tuple[str, ...]:
        """Platform tags for pip, the newest glibc first (PEP 600), with the older names of three of them."""
        limit = _pair(self.glibc)
        perennial = [f"manylinux_{tag}_{self.machine}" for tag in GLIBC_TAGS if _pair(tag.replace("_", ".")) <= limit]
        legacy = [f"manylinux2014_{self.machine}", f"linux_{self.machine}"]
        return (*perennial, *legacy)


@dataclass(frozen=True, slots=True)
class Wheel:
    """One file of the cache; `requirement` pins it and its hash as pip and uv read it."""

    name: str
    version: str
    path: Path
    sha256: str

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}"


def _pair(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor or 0)


def cache_folder() -> Path:
    """Where wheels are kept: RINGUP_CACHE, else the user's cache folder."""
    root = os.environ.get("RINGUP_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringup"
    return Path(root) / "wheels"


def fetch(
    requirements: Sequence[str], platform: Platform, options: Sequence[str], folder: Path, progress: Callable[[str], None]
) -> tuple[Wheel, ...]:
    """All wheels that the requirements need on a platform, their dependencies included.

    A set that was fetched before is not asked for again: the same requirements give the same files, with or without a network.

    Args:
        requirements: as pip reads them, pinned by the caller.
        options: more options for pip, such as `--index-url`.
        folder: the cache; a set lies in a folder of its own, made whole or not at all.
        progress: told pip's newest line.
    Raises:
        TaskFailed: pip could not fetch them; says its own last words.
    """
    kept = _place(requirements, platform, options, folder)
    if not is_kept(requirements, platform, options, folder):
        folder.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix="partial-", dir=folder))
        try:
            _download(requirements, platform, options, partial, progress)
            _write_index(partial)
            shutil.rmtree(kept, ignore_errors=True)
            partial.rename(kept)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    index = json.loads((kept / "wheels.json").read_text())
    return tuple(Wheel(row["name"], row["version"], kept / row["file"], row["sha256"]) for row in index)


def is_kept(requirements: Sequence[str], platform: Platform, options: Sequence[str], folder: Path) -> bool:
    """The set was fetched before."""
    return (_place(requirements, platform, options, folder) / "wheels.json").exists()


def _place(requirements: Sequence[str], platform: Platform, options: Sequence[str], folder: Path) -> Path:
    key = json.dumps([sorted(requirements), platform.python, platform.machine, platform.glibc, list(options)])
    return folder / hashlib.sha256(key.encode()).hexdigest()[:16]


def _download(
    requirements: Sequence[str], platform: Platform, options: Sequence[str], target: Path, progress: Callable[[str], None]
) -> None:
    argv = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--only-binary=:all:",
        "--dest",
        str(target),
        "--no-input",
        "--disable-pip-version-check",
    ]
    argv += [*_target(platform), *options, *requirements]
    said: list[str] = []
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                said.append(line.rstrip())
                if not line.startswith("WARNING"):
                    progress(line.strip())
        except BaseException:
            process.terminate()
            raise
    if process.returncode:
        errors = [line for line in said if line.startswith("ERROR")] or said[-1:]
        hint = "see what pip finds: pip download --no-deps " + " ".join(requirements)
        raise TaskFailed(f"the controller's pip could not fetch {', '.join(requirements)}: {' '.join(errors)[:400]}", hint=hint)


def has_cpu_build(requirements: Sequence[str], platform: Platform, options: Sequence[str]) -> bool:
    """Whether pip, as it is configured, would take a CPU build of torch: told by its local version, nothing is fetched.

    Source: PyTorch's release notes: wheels of its own index carry the variant as local version (2.13.0+cpu), those of PyPI none.
    """
    torch = [requirement for requirement in requirements if requirement.split("==")[0] == "torch"]
    argv = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary=:all:", "--quiet"]
    argv += ["--no-input", "--disable-pip-version-check", "--report", "-", *_target(platform), *options, *torch]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode or not torch:
        return not torch
    return all("+cpu" in row["metadata"]["version"] for row in json.loads(done.stdout)["install"])


def _target(platform: Platform) -> list[str]:
    """Options that make pip choose for another platform than the controller's own."""
    if _is_own(platform):
        return []
    words = ["--python-version", platform.python, "--implementation", "cp"]
    return [*words, *(word for tag in platform.tags() for word in ("--platform", tag))]


def _is_own(platform: Platform) -> bool:
    """The host's platform is the controller's: pip needs no overriding, and takes what only fits here (a local build)."""
    own = os.uname().machine, f"{sys.version_info[0]}.{sys.version_info[1]}"
    glibc = os.confstr("CS_GNU_LIBC_VERSION") or "glibc 0.0"
    return (platform.machine, platform.python) == own and _pair(platform.glibc) >= _pair(glibc.split()[-1])


def _write_index(folder: Path) -> None:
    rows = []
    for path in sorted(folder.glob("*.whl")):
        name, version, _, _ = parse_wheel_filename(path.name)
        rows.append({"name": str(name), "version": str(version), "file": path.name, "sha256": sha256_of(path)})
    (folder / "wheels.json").write_text(json.dumps(rows, indent=1))


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
