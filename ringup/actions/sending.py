"""One file from the controller to a host: small ones in the task's message, large ones only when the host has not got them."""

from __future__ import annotations

import base64
import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringup.actions.call import ActionCall, Upload
from ringup.errors import TaskFailed
from ringup.source import Source
from ringup.yamlfile import shown_path
from ringup.yamlfile.file import VAULT_HEADER

#: A file up to this size goes along without asking first; asking costs a message each way.
SMALL_BYTES = 1 << 16
UPLOAD = "content"


def send_file(call: ActionCall, path: Path, options: Mapping[str, Any], *, name: str | None = None, decrypt: bool = True) -> dict[str, Any]:
    """Bring a file to what the agent's copy module is asked for.

    Args:
        options: of the agent's copy module, without the content.
        name: the file's own name, for a `dest` that is a folder.
        decrypt: a file that is vaulted arrives in plain.
    Returns:
        the module's result.
    """
    options = {**options, "original_basename": name or path.name}
    if options.get("mode") == "preserve":
        options["mode"] = mode_of(path)
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= SMALL_BYTES or (decrypt and _is_vaulted(path)) else None
    except OSError as error:
        raise TaskFailed(
            f"{shown_path(path)} cannot be read on the controller: {error.strerror}", hint="check its owner and mode"
        ) from None
    if content is not None:
        return send_content(call, plain(call, content, path) if decrypt else content, options)
    return _send_large(call, path, {**options, "checksum": options.get("checksum") or _checksum(path)})


def send_content(call: ActionCall, content: bytes, options: Mapping[str, Any]) -> dict[str, Any]:
    """Bring bytes to what the agent's copy module is asked for."""
    try:
        return _asked(call, {**options, "content": content.decode("utf-8")})
    except UnicodeDecodeError:
        return _asked(call, {**options, "content_b64": base64.b64encode(content).decode("ascii")})


def mode_of(path: Path) -> str:
    """The permissions of a file of the controller, as modules take them."""
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"


def plain(call: ActionCall, content: bytes, path: Path) -> bytes:
    """The content of a file, decrypted if it is vaulted as a whole."""
    if not content.startswith(VAULT_HEADER.encode()):
        return content
    if call.templar.vault is None:
        raise TaskFailed(f"{shown_path(path)} is encrypted by vault", hint="give --vault-password-file, or decrypt: false")
    return call.templar.vault.text(content.decode("ascii"), Source(shown_path(path))).encode("utf-8", "surrogateescape")


def as_upload(call: ActionCall, path: Path, *, decrypt: bool) -> Upload:
    """A file as it travels with a module's arguments: by its path, or decrypted when it is vaulted.

    Raises:
        TaskFailed: it cannot be read, or decrypted.
    """
    try:
        return plain(call, path.read_bytes(), path) if decrypt and _is_vaulted(path) else path
    except OSError as error:
        raise TaskFailed(
            f"{shown_path(path)} cannot be read on the controller: {error.strerror}", hint="check its owner and mode"
        ) from None


def _send_large(call: ActionCall, path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    answer = _asked(call, {**options, "probe": True})
    if answer.get("failed") or not answer.pop("needed", False):
        return answer
    if call.check:
        change = {"before_header": answer.get("dest"), "after_header": str(path), "before": "", "after": f"(sha1 {options['checksum']})\n"}
        return {**answer, "changed": True, "checksum": options["checksum"], **({"diff": [change]} if call.diff else {})}
    call.progress(f"sending {path.name}")
    return call.module("copy", {**options, "upload": UPLOAD}, uploads={UPLOAD: path})


def _asked(call: ActionCall, options: Mapping[str, Any]) -> dict[str, Any]:
    return call.module("copy", {name: value for name, value in options.items() if value is not None})


def _is_vaulted(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(VAULT_HEADER)) == VAULT_HEADER.encode()


def _checksum(path: Path) -> str:
    with path.open("rb") as stream:
        # the digest that Ansible's results carry; it guards against accidents, not against attackers
        return hashlib.file_digest(stream, "sha1").hexdigest()
