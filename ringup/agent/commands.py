"""What command and shell share: `creates` and `removes`, check mode, and the keys of a finished program."""

import datetime
import glob
import os

from .arguments import Arguments, option
from .failure import ModuleFailure


class CommandOptions(Arguments):
    """Options beside the command itself."""

    free_form = "cmd"

    cmd = option("str", aliases=("_raw_params",), help="the command, also written as the text of the task")
    chdir = option("path", help="folder to run it in")
    creates = option("path", help="do nothing when this path (a glob pattern) exists")
    removes = option("path", help="do nothing when this path (a glob pattern) does not exist")
    stdin = option("str", help="text for its standard input")
    stdin_add_newline = option("bool", default=True, help="end the standard input's text with a newline")
    strip_empty_ends = option("bool", default=True, help="cut line ends from the end of stdout and stderr")


def run_command(args, host, cmd, argv):
    """Run the program unless `creates`, `removes` or check mode say otherwise.

    Args:
        cmd: the command as results show it: a list for command, the script for shell.
        argv: what is really started.
    """
    result = {"changed": False, "cmd": cmd, "rc": 0, "stdout": "", "stderr": "", "start": None, "end": None, "delta": None, "msg": ""}
    if args.chdir is not None and not os.path.isdir(args.chdir):
        raise ModuleFailure(
            "Unable to change directory before execution: '%s' is no folder" % args.chdir,
            hint="create it first, or correct chdir",
            cmd=cmd,
            rc=None,
            stdout="",
            stderr="",
            stdout_lines=[],
            stderr_lines=[],
        )
    needless = _needless(args)
    if needless:
        result["msg"] = "%s not run command since %s" % ("Would" if host.check else "Did", needless)
        result["stdout"] = "skipped, since %s" % needless.replace("'", "")
    elif host.check:
        result["msg"] = "Command would have run if not in check mode"
        predicted = args.creates is not None or args.removes is not None
        result["changed"] = predicted
        if not predicted:
            result["skipped"] = True
    else:
        result.update(_finished(args, host, cmd, argv))
    result["stdout_lines"] = result["stdout"].splitlines()
    result["stderr_lines"] = result["stderr"].splitlines()
    return result


def _needless(args):
    """Why the command need not run, or None."""
    if args.creates is not None and glob.glob(os.path.join(args.chdir or "", args.creates)):
        return "'%s' exists" % args.creates
    if args.removes is not None and not glob.glob(os.path.join(args.chdir or "", args.removes)):
        return "'%s' does not exist" % args.removes
    return None


def _finished(args, host, cmd, argv):
    stdin = None
    if args.stdin is not None:
        stdin = args.stdin.encode("utf-8", "surrogateescape") + (b"\n" if args.stdin_add_newline else b"")
    start = datetime.datetime.now()
    try:
        ended = host.run(argv, stdin=stdin, cwd=args.chdir, live=True)
    except ModuleFailure as failure:
        # conditions of the playbook may look at what did not start, too
        failure.values = dict({"stdout": "", "stderr": "", "stdout_lines": [], "stderr_lines": []}, **failure.values)
        failure.values["cmd"] = cmd
        raise
    end = datetime.datetime.now()
    strip = (lambda text: text.rstrip("\r\n")) if args.strip_empty_ends else str
    values = {
        "changed": True,
        "rc": ended.rc,
        "stdout": strip(ended.stdout),
        "stderr": strip(ended.stderr),
        "start": str(start),
        "end": str(end),
        "delta": str(end - start),
    }
    if ended.rc != 0:
        values.update(failed=True, msg="non-zero return code")
    return values
