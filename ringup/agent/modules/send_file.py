"""The host's side of the action fetch: a file's content, in pieces, beside the result."""

from .. import files
from ..arguments import Arguments, option


class Args(Arguments):
    """Send a file of the host to the controller."""

    src = option("path", required=True, help="the file to send")


def read(args, host):
    checksum = files.checksum(args.src)
    host.send_file(args.src)
    return {"src": args.src, "checksum": checksum}
