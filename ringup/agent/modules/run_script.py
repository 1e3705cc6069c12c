"""The host's side of the action script: runs what travelled with the task."""

import os
import shlex

from ..arguments import option
from ..commands import CommandOptions, run_command
from ..failure import ModuleFailure


class Args(CommandOptions):
    """Run a script that came as an upload."""

    upload = option("str", required=True, help="internal: name of the upload that is the script")
    name = option("str", required=True, help="the script's own name, for messages")
    arguments = option("list", elements="str", default=[], help="its arguments")
    executable = option("str", help="program that runs it")


def run(args, host):
    path = host.uploads.get(args.upload)
    if path is None:
        raise ModuleFailure("the script %s did not come with the task" % args.name)
    os.chmod(path, 0o700)
    # a /tmp that is mounted noexec refuses to start a file; its interpreter may read it all the same
    argv = shlex.split(args.executable) if args.executable else _interpreter(path)
    result = run_command(args, host, " ".join([args.name] + args.arguments), argv + [path] + args.arguments)
    result.pop("cmd", None)
    return result


def _interpreter(path):
    """The words of the script's first line `#!`; none when it has no such line and must start by itself."""
    with open(path, "rb") as stream:
        first = stream.readline(256)
    if not first.startswith(b"#!"):
        return []
    # the kernel gives everything behind the program as one argument
    program, _, argument = first[2:].decode("utf-8", "replace").strip().partition(" ")
    return [program] + ([argument.strip()] if argument.strip() else [])
