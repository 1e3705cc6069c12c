"""One file made of the fragments in a folder, of the host or of the controller."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from ringup.actions.call import ActionCall
from ringup.actions.sending import plain, send_content
from ringup.agent.arguments import FileAttributes, option
from ringup.agent.editing import Validated
from ringup.agent.failure import ModuleFailure
from ringup.agent.modules.assemble import assembled, fragments
from ringup.errors import TaskFailed
from ringup.results import Result

ON_CONTROLLER = ("decrypt", "remote_src")
PASSED_ON = ("mode", "owner", "group", "backup", "validate")


class Args(Validated, FileAttributes):
    """Put the fragments of a folder together into one file on hosts."""

    src = option("str", required=True, help="folder of the fragments: of the host, or without remote_src of the controller")
    dest = option("str", required=True, help="the file to make of them")
    remote_src = option("bool", default=True, help="the fragments are on the host")
    regexp = option("str", help="only fragments whose names match")
    delimiter = option("str", help="text between fragments; escapes like \\n are understood")
    ignore_hidden = option("bool", default=False, help="leave out fragments whose names begin with a dot")
    decrypt = option("bool", default=True, help="fragments of the controller that are vaulted are put in in plain")


def run(call: ActionCall) -> Result:
    args = call.args
    if args.remote_src:
        return Result(call.module("assemble", {name: value for name, value in call.given.items() if name not in ON_CONTROLLER}))
    folder = call.find("files", args.src)
    if not folder.is_dir():
        raise TaskFailed(f"Source ({folder}) is not a directory", hint="name the folder that holds the fragments")
    try:
        paths = [Path(path) for path in fragments(SimpleNamespace(src=str(folder), regexp=args.regexp, ignore_hidden=args.ignore_hidden))]
    except ModuleFailure as failure:
        raise TaskFailed(failure.message, hint=failure.hint) from None
    contents = [plain(call, path.read_bytes(), path) if args.decrypt else path.read_bytes() for path in paths]
    options = {name: getattr(args, name) for name in PASSED_ON}
    values = send_content(call, assembled(contents, args.delimiter), {**options, "dest": args.dest})
    values.pop("needed", None)
    return Result({**values, "src": str(folder)})
