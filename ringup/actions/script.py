"""A script of the controller, run on hosts."""

from __future__ import annotations

import shlex
from typing import Any

from ringup.actions.call import ActionCall
from ringup.actions.sending import UPLOAD, as_upload
from ringup.agent.arguments import Arguments, option
from ringup.errors import TaskFailed
from ringup.results import Result

PASSED_ON = ("chdir", "creates", "removes", "executable")


class Args(Arguments):
    """Send a script of the controller to hosts and run it there."""

    free_form = "cmd"

    cmd = option("str", required=True, aliases=("_raw_params",), help="the script and its arguments; in a role, of its files folder")
    chdir = option("str", help="folder of the host to run it in")
    creates = option("str", help="do nothing when this path exists on the host")
    removes = option("str", help="do nothing when this path does not exist on the host")
    executable = option("str", help="program that runs it; without it the script's own first line says")
    decrypt = option("bool", default=True, help="a script that is vaulted arrives in plain")


def run(call: ActionCall) -> Result:
    args = call.args
    try:
        words = shlex.split(args.cmd)
    except ValueError as error:
        raise TaskFailed(f"the arguments of the script cannot be read: {error}", hint="close every quote") from None
    if not words:
        raise TaskFailed("no script is named", hint="write the script's name and its arguments")
    path = call.find("files", words[0])
    if path.is_dir():
        raise TaskFailed(f"{path} is a folder", hint="name a script in it")
    options: dict[str, Any] = {name: getattr(args, name) for name in PASSED_ON}
    given = {**options, "upload": UPLOAD, "name": path.name, "arguments": words[1:]}
    uploads = {UPLOAD: as_upload(call, path, decrypt=args.decrypt)}
    return Result(call.module("run_script", {name: value for name, value in given.items() if value is not None}, uploads=uploads))
