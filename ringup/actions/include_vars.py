"""Variables from files of the controller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result
from ringup.yamlfile import load_yaml, read_text
from ringup.yamlfile.file import VAULT_HEADER

NEEDS_HOST = False


class Args(Arguments):
    """Read variables from a file, or from all files of a folder, while the play runs."""

    free_form = "file"
    required_one_of = (("file", "dir"),)
    mutually_exclusive = (("file", "dir"),)

    file = option("str", help="the file; in a role, of its vars folder")
    dir = option("str", help="the folder; in a role, within its vars folder")
    name = option("str", help="put all of it into one variable of this name")
    depth = option("int", default=0, help="how many levels of folders to read; 0: all")
    files_matching = option("str", help="regular expression that names of files must match")
    ignore_files = option("list", elements="str", default=[], help="regular expressions of the ends of names to leave out")
    extensions = option("list", elements="str", default=["json", "yaml", "yml"], help="extensions that are read")
    ignore_unknown_extensions = option("bool", default=False, help="leave other extensions out instead of failing")
    hash_behaviour = option("str", choices=("replace", "merge"), default="replace", help="merge mappings into those that exist")


def run(call: ActionCall) -> Result:
    args = call.args
    paths = [call.find("vars", args.file.rstrip("\n"))] if args.file else list(_files(_folder(call), call))
    found: dict[str, Any] = {}
    secret = False
    for path in paths:
        secret = secret or read_text(path).startswith(VAULT_HEADER)
        found.update(_read(path, call))
    if args.name:
        found = {args.name: found}
    if args.hash_behaviour == "merge":
        found = {name: _merged(call.variables.get(name), value) for name, value in found.items()}
    return Result({"changed": False, "ansible_facts": found, "ansible_included_var_files": [str(path) for path in paths]}, no_log=secret)


def _read(path: Path, call: ActionCall) -> dict[str, Any]:
    written = load_yaml(path, decrypt=call.templar.vault.text if call.templar.vault is not None else None)
    if written is None:
        return {}
    if not isinstance(written, dict):
        raise TaskFailed(f"{path} must hold a mapping (name: value)", hint="write name: value")
    return written


def _folder(call: ActionCall) -> Path:
    name: str = call.args.dir
    if call.role_path is not None and not Path(name).is_absolute():
        roots = (
            (call.role_path / name, call.role_path / "vars" / name) if name.split("/")[0] == "vars" else (call.role_path / "vars" / name,)
        )
    else:
        roots = (call.folder / name,)
    for root in roots:
        if root.is_dir():
            return root
    raise TaskFailed(f"{roots[-1]} is no folder", hint="'dir' is looked for in the role's vars folder, or beside the task's file")


def _files(folder: Path, call: ActionCall) -> Iterator[Path]:
    args = call.args
    for path in sorted(folder.rglob("*"), key=lambda path: (str(path.parent), path.name)):
        depth = len(path.relative_to(folder).parts)
        if not path.is_file() or (args.depth and depth > args.depth):
            continue
        if call.role_path is not None and path == call.role_path / "vars" / "main.yml":
            # the role has read it already
            continue
        if args.files_matching and not re.search(args.files_matching, path.name):
            continue
        if any(re.search(f"{ending}$", path.name) for ending in args.ignore_files):
            continue
        if path.suffix.lstrip(".") in args.extensions:
            yield path
        elif not args.ignore_unknown_extensions:
            known = ", ".join(args.extensions)
            raise TaskFailed(f"{path} has none of the extensions {known}", hint="add ignore_unknown_extensions: true, or ignore_files")


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
