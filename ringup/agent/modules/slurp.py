"""A file's content, for the controller."""

import base64
import os

from ..arguments import Arguments, option
from ..failure import ModuleFailure


class Args(Arguments):
    """Read a file of the host; its content comes back in base64."""

    src = option("path", required=True, aliases=("path",), help="the file to read")


def read(args, host):
    if os.path.isdir(args.src):
        raise ModuleFailure("source is a directory and must be a file: %s" % args.src, hint="name a file in it")
    try:
        with open(args.src, "rb") as stream:
            content = stream.read()
    except FileNotFoundError:
        raise ModuleFailure("file not found: %s" % args.src)
    except PermissionError:
        raise ModuleFailure("file is not readable: %s" % args.src, hint="set become: true")
    return {"content": base64.b64encode(content).decode("ascii"), "source": args.src, "encoding": "base64"}
