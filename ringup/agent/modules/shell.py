"""Run a script through a shell."""

from ..arguments import option
from ..commands import CommandOptions, run_command


class Args(CommandOptions):
    """Run a line or a script through a shell: pipes, redirections, `&&` and globs work."""

    required_one_of = (("cmd",),)

    executable = option("path", default="/bin/sh", help="absolute path of the shell")


def run(args, host):
    return run_command(args, host, args.cmd, [args.executable, "-c", args.cmd])
