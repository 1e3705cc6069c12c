"""A command line without an agent: for hosts that have no Python yet."""

from __future__ import annotations

from ringup.actions.call import ActionCall
from ringup.agent.arguments import Arguments, option
from ringup.results import Result


class Args(Arguments):
    """Run a command line over SSH and nothing else; needs no Python on the host."""

    free_form = "cmd"

    cmd = option("str", required=True, aliases=("_raw_params",), help="the command line, also written as the text of the task")
    executable = option("str", help="shell that runs it with -c, by its full path")


def run(call: ActionCall) -> Result:
    if call.check:
        return Result({"changed": False, "skipped": True, "msg": "a raw command is not run in check mode"})
    answer = call.connection.raw(call.args.cmd, executable=call.args.executable, timeout_s=call.timeout_s)
    stdout, stderr = (text.decode("utf-8", "replace") for text in (answer.stdout, answer.stderr))
    values = {
        "changed": True,
        "rc": answer.rc,
        "stdout": stdout,
        "stdout_lines": stdout.splitlines(),
        "stderr": stderr,
        "stderr_lines": stderr.splitlines(),
    }
    if answer.rc != 0:
        values |= {"failed": True, "msg": "non-zero return code"}
    return Result(values)
