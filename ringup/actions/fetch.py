"""Files of hosts on the controller."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result


class Args(Arguments):
    """Fetch a file from hosts to the controller, into a folder of its own for each host."""

    src = option("str", required=True, help="the file on the host")
    dest = option("str", required=True, help="folder of the controller, beside the playbook; the file goes to dest/host/path")
    flat = option("bool", default=False, help="dest is the file itself, or ends with / and is its folder")
    fail_on_missing = option("bool", default=True, help="a file that is not there is a failure")
    validate_checksum = option("bool", default=True, help="compare digests after the transfer")


def run(call: ActionCall) -> Result:
    args = call.args
    if call.check:
        return Result({"changed": False, "skipped": True, "msg": "check mode is not supported for fetch"})
    found = call.module("stat", {"path": args.src, "follow": True, "get_mime": False, "get_attributes": False}, check=False)
    if found.get("failed"):
        return Result(found)
    stat = found["stat"]
    refusal = _refusal(stat)
    if refusal:
        if args.fail_on_missing:
            return Result({"changed": False, "failed": True, "msg": refusal, "file": args.src})
        return Result({"changed": False, "msg": f"{refusal}, not transferring, ignored", "file": args.src})
    target = _target(call)
    remote = stat.get("checksum")
    if remote and target.is_file() and _digest(target, "sha1") == remote:
        return Result({"changed": False, "md5sum": _digest(target, "md5"), "file": args.src, "dest": str(target), "checksum": remote})
    return Result(_receive(call, target, remote))


def _refusal(stat: dict[str, Any]) -> str | None:
    if not stat["exists"]:
        return "the remote file does not exist"
    if stat["isdir"]:
        return "remote file is a directory, fetch cannot work on directories"
    if not stat["readable"]:
        return "the remote file is not readable by this user"
    return None


def _target(call: ActionCall) -> Path:
    """The file on the controller.

    Raises:
        TaskFailed: with `flat`, dest is a folder that is not written as one.
    """
    args = call.args
    dest: Path = call.playbook_folder / Path(args.dest).expanduser()
    if not args.flat:
        # `..` in src must not lead out of the host's own folder
        inside = os.path.normpath("/" + args.src).lstrip("/")
        dest = dest / call.host / inside
    elif args.dest.endswith("/"):
        dest = dest / PurePosixPath(args.src).name
    elif dest.is_dir():
        raise TaskFailed(f"dest is an existing directory: {dest}", hint="end it with / to fetch the file into it")
    return dest


def _receive(call: ActionCall, target: Path, remote: str | None) -> dict[str, Any]:
    """Bring the content over, whole or not at all."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".ringup-", dir=target.parent)
    except OSError as error:
        raise TaskFailed(f"{target.parent} cannot be written on the controller: {error.strerror}", hint="choose another dest") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as sink:
            answer = call.module("send_file", {"src": call.args.src}, sink=sink)
        if answer.get("failed"):
            return answer
        came = _digest(temporary, "sha1")
        # a log may have grown since its digest was asked for: what the sender digested counts
        wanted = answer.get("checksum") or remote
        if call.args.validate_checksum and wanted and came != wanted:
            values = {"file": call.args.src, "dest": str(target), "checksum": came, "remote_checksum": wanted}
            return {"changed": False, "failed": True, "msg": "checksum mismatch", **values}
        before = _digest(target, "sha1") if target.is_file() else None
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()
    values = {"dest": str(target), "checksum": came, "remote_checksum": wanted, "remote_md5sum": None}
    return {"changed": before != came, "md5sum": _digest(target, "md5"), **values}


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, algorithm).hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
