"""A signed apt repository laid out like NVIDIA's: one flat folder with packages, their index, and the key they are signed with."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from ringup.lab import machine, packages
from ringup.lab.image import cache_folder
from ringup.lab.packages import Package
from ringup.lab.plan import REPOSITORY_PORT

NEEDED = {"gpg": "gnupg", "dpkg-deb": "dpkg"}
#: what NVIDIA calls a Debian release in the addresses of its repositories
SYSTEMS = {"bookworm": "debian12", "trixie": "debian13"}
KEYRING = "cuda-archive-keyring.gpg"
USER = "Ringup rehearsal rack"


def silent(_: str) -> None:
    """For callers that show nothing."""


def path_of(release: str) -> str:
    """Where the packages are below the served folder, as below NVIDIA's server."""
    return f"compute/cuda/repos/{SYSTEMS[release]}/x86_64"


def ensure(folder: Path, release: str) -> Path:
    """The repository for hosts of a Debian release, built when its recipe has changed since the last time.

    Args:
        folder: where a rack's own things are; the repository itself is shared by all racks.
        release: code name.
    Returns:
        The folder to serve.
    Raises:
        LabError: a program is missing or failed.
    """
    machine.require(NEEDED, silent)
    recipe = hashlib.sha256(repr([_offered(b"", release), Path(__file__).read_text()]).encode()).hexdigest()[:12]
    built = cache_folder().parent / "repositories" / f"{release}-{recipe}"
    if built.is_dir():
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=built.parent))
    try:
        build(partial, release)
        partial.chmod(0o755)
        if not built.exists():
            partial.rename(built)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return built


def _offered(key: bytes, release: str) -> list[Package]:
    return packages.all_packages(key, SYSTEMS[release], path_of(release), REPOSITORY_PORT)


def build(served: Path, release: str) -> None:
    """Packages, index, release file, signature. The private key lives only as long as this takes.

    Raises:
        LabError: a program failed.
    """
    folder = served / path_of(release)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="ringup-lab-") as name:
        scratch = Path(name)
        home = scratch / "gnupg"
        home.mkdir(mode=0o700)
        gpg = ("gpg", "--homedir", home, "--batch", "--quiet")
        # ed25519 needs no entropy worth waiting for
        machine.run(*gpg, "--passphrase", "", "--quick-generate-key", USER, "ed25519", "sign", "never")
        machine.run(*gpg, "--output", folder / KEYRING, "--export", USER)
        listed = machine.run(*gpg, "--with-colons", "--fingerprint", USER).stdout.splitlines()
        fingerprint = next(line.split(":")[9] for line in listed if line.startswith("fpr:"))
        machine.run(*gpg, "--armor", "--output", folder / f"{fingerprint[-8:].lower()}.pub", "--export", USER)
        offered = _offered((folder / KEYRING).read_bytes(), release)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda package: _deb(package, folder, scratch), offered))
        _index(offered, folder)
        machine.run(*gpg, "--clearsign", "--output", folder / "InRelease", folder / "Release")
        machine.run(*gpg, "--armor", "--detach-sign", "--output", folder / "Release.gpg", folder / "Release")
        machine.run("gpgconf", "--homedir", home, "--kill", "gpg-agent", check=False)


def _deb(package: Package, folder: Path, scratch: Path) -> None:
    root = scratch / package.file
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(package.control())
    for name, text in package.scripts.items():
        script = root / "DEBIAN" / name
        script.write_text(text)
        script.chmod(0o755)
    for path, (content, mode) in package.content.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
        place.chmod(mode)
    machine.run("dpkg-deb", "--build", "--root-owner-group", "-Znone", root, folder / package.file)


def _index(offered: list[Package], folder: Path) -> None:
    entries = []
    for package in offered:
        content = (folder / package.file).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        entries.append(f"{package.control()}Filename: ./{package.file}\nSize: {len(content)}\nSHA256: {digest}\n")
    listed = "\n".join(entries).encode()
    (folder / "Packages").write_bytes(listed)
    (folder / "Packages.gz").write_bytes(gzip.compress(listed, mtime=0))
    sums = []
    for name in ("Packages", "Packages.gz"):
        content = (folder / name).read_bytes()
        sums.append(f" {hashlib.sha256(content).hexdigest()} {len(content)} {name}\n")
    now = datetime.now(UTC).strftime("%a, %d %b %Y %H:%M:%S UTC")
    head = f"Origin: NVIDIA\nLabel: NVIDIA CUDA\nArchitectures: amd64 arm64 all\nDate: {now}\nSHA256:\n"
    (folder / "Release").write_text(head + "".join(sums))
