"""Files and folders of the controller on hosts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from ringup.actions.call import ActionCall
from ringup.actions.sending import send_content, send_file
from ringup.agent.arguments import FileAttributes, option
from ringup.agent.editing import Validated
from ringup.results import Result

#: options that the agent's copy module takes as they are
PASSED_ON = ("mode", "owner", "group", "force", "backup", "validate", "directory_mode", "follow", "checksum")


class Args(Validated, FileAttributes):
    """Copy a file or folder to hosts, or write a text there."""

    required_one_of = (("src", "content"),)
    mutually_exclusive = (("src", "content"),)

    src = option("str", help="file or folder of the controller; a folder that ends with / is copied without itself")
    content = option("raw", secret=True, help="the content itself, in place of src; a mapping or list is written as JSON")
    dest = option("str", required=True, help="where it must be on the host; a folder takes the file under its own name")
    remote_src = option("bool", default=False, help="src is on the host")
    force = option("bool", default=True, help="false: a file that exists keeps its content")
    directory_mode = option("mode", help="mode of folders that are created")
    follow = option("bool", default=False, help="write what a symbolic link at dest leads to")
    local_follow = option("bool", default=True, help="copy what symbolic links in a folder lead to, not the links")
    checksum = option("str", help="sha1 that the file must have")
    decrypt = option("bool", default=True, help="a file that is vaulted arrives in plain")


def run(call: ActionCall) -> Result:
    args = call.args
    options: dict[str, Any] = {name: getattr(args, name) for name in PASSED_ON}
    if args.content is not None:
        content = args.content if isinstance(args.content, str) else json.dumps(args.content)
        values = send_content(call, content.encode("utf-8", "surrogateescape"), {**options, "dest": args.dest})
    elif args.remote_src:
        given = {**options, "src": args.src, "dest": args.dest, "remote_src": True, "local_follow": args.local_follow}
        values = call.module("copy", {name: value for name, value in given.items() if value is not None})
    else:
        source = call.find("files", args.src)
        if not source.is_dir():
            values = send_file(call, source, {**options, "dest": args.dest}, decrypt=args.decrypt)
            values.setdefault("src", str(source))
        else:
            values = _send_folder(call, source, options)
    values.pop("needed", None)
    return Result(values)


def _send_folder(call: ActionCall, source: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Folders first, each before its files; the first failure ends it. Files that only the host has are left alone."""
    args = call.args
    root = PurePosixPath(args.dest) if args.src.endswith("/") else PurePosixPath(args.dest, source.name)
    owner = {"owner": args.owner, "group": args.group}
    # mode is that of files; a folder's own is directory_mode
    per_file = {name: value for name, value in options.items() if name not in ("directory_mode", "checksum")}
    changed = False
    diffs: list[Any] = []
    for kind, path, target in _entries(source, root, follow=args.local_follow):
        if kind == "folder":
            values = _file(call, {"path": str(target), "state": "directory", "mode": args.directory_mode, **owner})
        elif kind == "link":
            values = _file(
                call, {"path": str(target), "state": "link", "src": str(path.readlink()), "force": True, "follow": False, **owner}
            )
        elif call.check and changed and not _folder_exists(call, target):
            values = {"changed": True}
        else:
            values = send_file(call, path, {**per_file, "dest": str(target)}, decrypt=args.decrypt)
        if values.get("failed"):
            return values
        changed = changed or bool(values.get("changed"))
        diffs += values.get("diff") or []
    return {"changed": changed, "dest": args.dest, "src": str(source), **({"diff": diffs} if call.diff else {})}


def _entries(source: Path, root: PurePosixPath, *, follow: bool) -> Iterator[tuple[str, Path, PurePosixPath]]:
    """Everything in a folder, in order: its kind, its path here, its path there."""
    for folder, folders, names in os.walk(source, followlinks=follow):
        folders.sort()
        here = Path(folder)
        there = root / here.relative_to(source)
        yield "folder", here, there
        links: set[str] = set() if follow else {name for name in folders + names if (here / name).is_symlink()}
        for name in sorted(links):
            yield "link", here / name, there / name
        for name in sorted(set(names) - links):
            yield "file", here / name, there / name


def _file(call: ActionCall, options: Mapping[str, Any]) -> dict[str, Any]:
    return call.module("file", {name: value for name, value in options.items() if value is not None})


def _folder_exists(call: ActionCall, target: PurePosixPath) -> bool:
    """In check mode the folders above a file may only have been announced."""
    answer = call.module("stat", {"path": str(target.parent), "follow": True, "get_checksum": False}, check=False)
    return bool(answer.get("stat", {}).get("isdir"))
