"""Archives of the controller or of the host, unpacked on hosts."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.actions.sending import UPLOAD
from ringup.agent.arguments import FileAttributes, option
from ringup.errors import TaskFailed
from ringup.results import Result


class Args(FileAttributes):
    """Unpack an archive on hosts."""

    mutually_exclusive = (("copy", "remote_src"), ("include", "exclude"))

    src = option("str", required=True, help="the archive: of the controller, or with remote_src a path of the host or a URL")
    dest = option("str", required=True, help="the folder to unpack into; it must exist")
    remote_src = option("bool", default=False, help="src is on the host")
    copy = option("bool", help="older name of the opposite of remote_src")
    creates = option("str", help="do nothing when this path exists on the host")
    decrypt = option("bool", default=True, help="accepted for archives that are not vaulted")
    exclude = option("list", elements="str", default=[], help="paths in the archive to leave out")
    include = option("list", elements="str", default=[], help="the only paths in the archive to unpack")
    extra_opts = option("list", elements="str", default=[], help="more options for the unpacking program")
    keep_newer = option("bool", default=False, help="files that are newer than those in the archive stay")
    list_files = option("bool", default=False, help="give the names of the archive's files in the result")
    validate_certs = option("bool", default=True, help="check the certificate of a URL")
    io_buffer_size = option("int", default=65536, help="bytes read at once")


def run(call: ActionCall) -> Result:
    remote = call.args.remote_src if call.args.copy is None else not call.args.copy
    given = {name: value for name, value in call.given.items() if name not in ("copy", "decrypt", "remote_src")}
    if remote:
        return Result(call.module("unarchive", {**given, "remote_src": True}))
    if call.args.creates is not None and _exists(call, call.args.creates):
        return Result({"changed": False, "skipped": True, "msg": f"skipped, since {call.args.creates} exists"})
    if "://" in call.args.src:
        raise TaskFailed(f"{call.args.src} is a URL", hint="set remote_src: true, and the host fetches it")
    path = call.find("files", call.args.src)
    if not path.is_file():
        raise TaskFailed(f"{path} is no file", hint="name an archive")
    return Result(call.module("unarchive", {**given, "src": path.name, "upload": UPLOAD}, uploads={UPLOAD: path}))


def _exists(call: ActionCall, path: str) -> bool:
    answer = call.module("stat", {"path": path, "get_checksum": False, "get_mime": False, "get_attributes": False}, check=False)
    return bool(answer.get("stat", {}).get("exists"))
