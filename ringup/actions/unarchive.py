"""Archives of the controller or of the host, unpacked on hosts."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.actions.sending import UPLOAD, as_upload
from ringup.agent.arguments import FileAttributes, option
from ringup.errors import TaskFailed
from ringup.results import Result

ON_CONTROLLER = ("copy", "decrypt", "remote_src")
GLOB = frozenset("*?[")


class Args(FileAttributes):
    """Unpack a tar or zip archive on hosts."""

    mutually_exclusive = (("copy", "remote_src"), ("include", "exclude"))

    src = option("str", required=True, help="the archive: of the controller, or with remote_src of the host")
    dest = option("str", required=True, help="the folder to unpack into; it must exist")
    remote_src = option("bool", default=False, help="src is on the host")
    copy = option("bool", help="older name of the opposite of remote_src")
    creates = option("str", help="do nothing when this path (a glob pattern) exists on the host")
    decrypt = option("bool", default=True, help="an archive that is vaulted arrives in plain")
    exclude = option("list", elements="str", help="members that are left out (names or globs)")
    include = option("list", elements="str", help="only these members (names or globs)")
    extra_opts = option("list", elements="str", help="more options for tar, as in --strip-components=1")
    keep_newer = option("bool", default=False, help="files that are newer than the archive's stay")
    list_files = option("bool", default=False, help="tell the members in the result as files")


def run(call: ActionCall) -> Result:
    args = call.args
    remote = args.remote_src if args.copy is None else not args.copy
    given = {name: value for name, value in call.given.items() if name not in ON_CONTROLLER}
    if "://" in args.src:
        raise TaskFailed(f"src is a URL: {args.src}", hint="load it first with get_url, which verifies it, and set remote_src: true")
    if remote:
        return Result(call.module("unarchive", {**given, "remote_src": True}))
    if args.creates is not None and _exists(call, args.creates):
        return Result({"changed": False, "skipped": True, "msg": f"skipped, since {args.creates} exists"})
    path = call.find("files", args.src)
    if not path.is_file():
        raise TaskFailed(f"{path} is no file", hint="name an archive")
    uploads = {UPLOAD: as_upload(call, path, decrypt=args.decrypt)}
    return Result(call.module("unarchive", {**given, "src": path.name, "upload": UPLOAD}, uploads=uploads))


def _exists(call: ActionCall, path: str) -> bool:
    """Whether `creates` is there, asked before a large archive is sent for nothing; of a pattern the module asks by itself."""
    if GLOB.intersection(path):
        return False
    answer = call.module("stat", {"path": path, "get_checksum": False, "get_mime": False, "get_attributes": False}, check=False)
    return bool(answer.get("stat", {}).get("exists"))
