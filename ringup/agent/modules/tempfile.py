"""A private temporary file or folder."""

import os
import tempfile

from .. import files
from ..arguments import Arguments, option


class Args(Arguments):
    """Make a temporary file or folder that only its owner can read; later tasks find it by `path` of the result."""

    state = option("str", choices=("file", "directory"), default="file", help="what to make")
    path = option("path", help="folder to make it in; without it: the host's folder for temporary files")
    prefix = option("str", default="ansible.", help="how its name begins")
    suffix = option("str", default="", help="how its name ends")


def run(args, host):
    if host.check:
        return {"skipped": True, "msg": "a temporary %s would have been made if not in check mode" % args.state}
    if args.state == "directory":
        path = tempfile.mkdtemp(prefix=args.prefix, suffix=args.suffix, dir=args.path)
    else:
        handle, path = tempfile.mkstemp(prefix=args.prefix, suffix=args.suffix, dir=args.path)
        os.close(handle)
    return dict(files.path_values(path), changed=True, path=path)
