"""Does the host answer, and does its Python work?"""

from ..arguments import Arguments, option
from ..failure import ModuleFailure

AT_ONCE = True


class Args(Arguments):
    """Answer `pong` when the host is reachable and its agent runs."""

    data = option("str", default="pong", help="what to answer; 'crash' fails on purpose")


def read(args, host):
    if args.data == "crash":
        raise ModuleFailure("boom", hint="data: crash was asked for")
    return {"ping": args.data}
