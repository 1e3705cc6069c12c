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

NEEDED = {"gpg": "gnupg", "dpkg-deb": "dpkg"}
KEY_NAME = "ringup-lab-keyring.asc"
USER = "Ringup rehearsal rack"


def silent(_: str) -> None:
    """For callers that show nothing."""


def ensure(folder: Path, release: str) -> Path:
    """The repository for hosts of a Debian release, built when its recipe has changed since the last time.

    Args:
        folder: where a rack's own things are; the repository itself is shared by all racks.
        release: code name; the packages are the same for all of them.
    Returns:
        The folder to serve.
    Raises:
        LabError: a program is missing or failed.
    """
    machine.require(NEEDED, silent)
    recipe = hashlib.sha256(repr([packages.all_packages(b""), Path(__file__).read_text()]).encode()).hexdigest()[:12]
    built = cache_folder().parent / "repositories" / f"{release}-{recipe}"
    if built.is_dir():
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix="partial-", dir=built.parent))
    try:
        _build(partial)
        partial.chmod(0o755)
        if not built.exists():
            partial.rename(built)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return built


def _build(folder: Path) -> None:
    """Packages, index, release file, signature. The private key lives only as long as this takes."""
    with tempfile.TemporaryDirectory(prefix="ringup-lab-") as name:
        scratch = Path(name)
        home = scratch / "gnupg"
        home.mkdir(mode=0o700)
        gpg = ("gpg", "--homedir", home, "--batch", "--quiet", "--no-autostart")
        # ed25519 needs no entropy worth waiting for
        machine.run(
            "gpg", "--homedir", home, "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", USER, "ed25519", "sign", "never"
        )
        key = machine.run(*gpg, "--armor", "--export", USER).stdout
        (folder / KEY_NAME).write_text(key)
        offered = packages.all_packages(key.encode())
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda package: _deb(package, folder, scratch), offered))
        _index(offered, folder)
        machine.run("gpg", "--homedir", home, "--batch", "--quiet", "--clearsign", "--output", folder / "InRelease", folder / "Release")
        machine.run("gpgconf", "--homedir", home, "--kill", "gpg-agent", check=False)


def _deb(package: Package, folder: Path, scratch: Path) -> None:
    root = scratch / package.file
    (root / "DEBIAN").mkdir(parents=True)
    (root / "DEBIAN" / "control").write_text(package.control())
    conffiles = [path for path in package.content if path.startswith("/etc/")]
    if conffiles:
        (root / "DEBIAN" / "conffiles").write_text("".join(f"{path}\n" for path in conffiles))
    for name, text in package.scripts.items():
        script = root / "DEBIAN" / name
        script.write_text(text)
        script.chmod(0o755)
    for path, (text, mode) in package.content.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
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
