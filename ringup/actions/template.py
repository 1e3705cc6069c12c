"""Templates of the controller, rendered for each host."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ringup.actions.call import ActionCall
from ringup.actions.sending import mode_of, plain, send_content
from ringup.agent.arguments import FileAttributes, option
from ringup.agent.editing import Validated
from ringup.errors import TaskFailed
from ringup.results import Result
from ringup.source import Source
from ringup.templating import Templar
from ringup.yamlfile import shown_path

PASSED_ON = ("mode", "owner", "group", "force", "backup", "validate", "follow")
#: options of Jinja, by its own names
JINJA = (
    "block_end_string", "block_start_string", "comment_end_string", "comment_start_string", "lstrip_blocks", "newline_sequence",
    "trim_blocks", "variable_end_string", "variable_start_string",
)  # fmt: skip


class Args(Validated, FileAttributes):
    """Render a template and bring the text to hosts."""

    src = option("str", required=True, help="the template; in a role, of its templates folder")
    dest = option("str", required=True, help="where the text must be on the host; a folder takes it under the template's name")
    force = option("bool", default=True, help="false: a file that exists keeps its content")
    follow = option("bool", default=False, help="write what a symbolic link at dest leads to")
    newline_sequence = option("str", default="\n", choices=("\n", "\r", "\r\n"), help="line ends of the text")
    block_start_string = option("str", help="begins a statement, {% without it")
    block_end_string = option("str", help="ends a statement, %} without it")
    variable_start_string = option("str", help="begins an expression, {{ without it")
    variable_end_string = option("str", help="ends an expression, }} without it")
    comment_start_string = option("str", help="begins a comment, {# without it")
    comment_end_string = option("str", help="ends a comment, #} without it")
    trim_blocks = option("bool", default=True, help="the line end after a statement is dropped")
    lstrip_blocks = option("bool", default=False, help="blanks before a statement are dropped")
    output_encoding = option("str", default="utf-8", help="encoding of the file on the host")


def run(call: ActionCall) -> Result:
    args = call.args
    path = call.find("templates", args.src)
    if path.is_dir():
        raise TaskFailed(f"{shown_path(path)} is a folder", hint="name a template in it")
    content = render(call, path, args.dest)
    options = {name: getattr(args, name) for name in PASSED_ON}
    if options["mode"] == "preserve":
        options["mode"] = mode_of(path)
    values = send_content(call, content, {**options, "dest": args.dest, "original_basename": path.name})
    values.pop("needed", None)
    values["src"] = str(path)
    return Result(values)


def render(call: ActionCall, path: Path, dest: str) -> bytes:
    """The text of a template for the call's host, encoded.

    Raises:
        TemplateError: with the template's place.
        TaskFailed: it is not UTF-8, or the text cannot be encoded.
    """
    try:
        text = plain(call, path.read_bytes(), path).decode("utf-8")
    except OSError as error:
        raise TaskFailed(
            f"{shown_path(path)} cannot be read on the controller: {error.strerror}", hint="check its owner and mode"
        ) from None
    except UnicodeDecodeError:
        raise TaskFailed(
            f"the template {shown_path(path)} is not UTF-8", hint="save it as UTF-8; output_encoding is for the host"
        ) from None
    folders = (*call.search_folders("templates"), path.parent)
    templar = Templar(
        _Variables(_about(path, dest), call.variables),
        tuple(dict.fromkeys(folders)),
        vault=call.templar.vault,
        inventory_hostnames=call.templar.inventory_hostnames,
    )
    options = {name: value for name in JINJA if (value := getattr(call.args, name, None)) is not None}
    rendered = templar.render_text(text, source=Source(shown_path(path)), **options)
    try:
        return rendered.encode(getattr(call.args, "output_encoding", "utf-8"), "surrogateescape")
    except (LookupError, UnicodeEncodeError) as error:
        raise TaskFailed(f"the text of {shown_path(path)} cannot be encoded: {error}", hint="set output_encoding: utf-8") from None


class _Variables(Mapping[str, Any]):
    """A few names over a host's variables, which stay lazy and are not copied."""

    def __init__(self, over: Mapping[str, Any], under: Mapping[str, Any]) -> None:
        self._over = over
        self._under = under

    def __getitem__(self, name: str) -> Any:
        return self._over[name] if name in self._over else self._under[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._over, **dict.fromkeys(self._under)})

    def __len__(self) -> int:
        return len({**self._over, **dict.fromkeys(self._under)})

    def __contains__(self, name: object) -> bool:
        return name in self._over or name in self._under


def _about(path: Path, dest: str) -> dict[str, Any]:
    """What a template may say of itself."""
    now = path.stat()
    try:
        owner = pwd.getpwuid(now.st_uid).pw_name
    except KeyError:
        owner = str(now.st_uid)
    return {
        "template_host": os.uname().nodename,
        "template_path": str(path),
        "template_fullpath": str(path.resolve()),
        "template_destpath": dest,
        "template_mtime": datetime.fromtimestamp(now.st_mtime),
        "template_uid": owner,
        "template_run_date": datetime.now(),
    }
