"""Run a program without a shell."""

import os
import re
import shlex

from ..arguments import ArgumentError, option
from ..commands import CommandOptions, run_command

VARIABLE = re.compile(r"\$(\w+|\{\w+\})")


class Args(CommandOptions):
    """Run a program with its arguments; no shell reads them, so pipes, `&&` and globs are plain text."""

    required_one_of = (("cmd", "argv"),)
    mutually_exclusive = (("cmd", "argv"),)

    argv = option("list", elements="str", help="the program and its arguments as a list")
    expand_argument_vars = option("bool", default=True, help="expand $NAME and ~ in the arguments")


def run(args, host):
    argv = words(args)
    started = [expanded(word, dict(os.environ, **host.environment)) for word in argv] if args.expand_argument_vars else argv
    return run_command(args, host, argv, started)


def words(args):
    """The argument list that was asked for.

    Raises:
        ArgumentError: the text has an open quote, or there is no word.
    """
    try:
        argv = args.argv if args.argv is not None else shlex.split(args.cmd)
    except ValueError as error:
        raise ArgumentError("the command cannot be split into words: %s" % error, "close the quote, or use argv")
    if not argv:
        raise ArgumentError("no command given", "write the program and its arguments")
    return argv


def expanded(word, environment):
    """A word with `~` and variables replaced; a variable that is not set stays as it is written."""

    def value(match):
        return str(environment.get(match.group(1).strip("{}"), match.group(0)))

    return VARIABLE.sub(value, os.path.expanduser(word))
