"""What a module may do to the machine it runs on."""

import os
import time

from .failure import ModuleFailure
from .process import CommandTimeout, run

PROGRESS_EVERY_S = 0.1


class Host:
    """The machine, as modules see it.

    Attributes:
        check: check mode: `apply` will not be called; `run` modules must not change anything.
        diff: the operator wants to see before and after.
        environment: variables of the task's `environment:`.
        uploads: folder -> none; files that travelled with the task, by the name the action gave them: name -> path of a private
            temporary file, which a module may move into place.
        timeout_s: the task's own limit, None for none.
    """

    def __init__(self, check=False, diff=False, environment=None, uploads=None, timeout_s=None, progress=None, send_file=None):
        self.check = check
        self.diff = diff
        self.environment = dict(environment or {})
        self.uploads = dict(uploads or {})
        self.timeout_s = timeout_s
        self._progress = progress
        self._send_file = send_file
        self._shown_at = 0.0

    def progress(self, line):
        """Show the newest line of long work to the operator; lines that come faster than an eye reads are left out."""
        now = time.monotonic()
        if self._progress is not None and now - self._shown_at >= PROGRESS_EVERY_S:
            self._shown_at = now
            self._progress(line)

    def send_file(self, path):
        """Give a file's content to the controller, in pieces, beside the result."""
        self._send_file(path)

    def run(self, argv, stdin=None, timeout_s=None, cwd=None, env=None, live=False, umask=None):
        """Run a program; see `process.run`. `live` sends each line of output on as progress."""
        merged = dict(self.environment)
        merged.update(env or {})
        try:
            return run(
                argv,
                stdin=stdin,
                timeout_s=timeout_s if timeout_s is not None else self.timeout_s,
                cwd=cwd,
                env=merged,
                on_line=self.progress if live else None,
                umask=umask,
            )
        except CommandTimeout as late:
            raise ModuleFailure(str(late), hint="raise the task's timeout, or look at what it waits for on the host", timedout=True)
        except FileNotFoundError:
            missing = cwd if cwd is not None and not os.path.isdir(cwd) else argv[0]
            hint = "install it first, or write its full path"
            raise ModuleFailure("[Errno 2] No such file or directory: '%s'" % missing, hint=hint, rc=2, cmd=argv)
        except OSError as error:
            raise ModuleFailure("%s: %s" % (argv[0], error), rc=error.errno, cmd=argv)

    def must(self, argv, what, **how):
        """Run a program that has to succeed; its failure says `what` could not be done, with its own words."""
        result = self.run(argv, **how)
        if result.rc != 0:
            words = (result.stderr.strip() or result.stdout.strip()).splitlines()
            last = words[-1] if words else "no output"
            raise ModuleFailure(
                "%s failed (exit code %d): %s" % (what, result.rc, last),
                rc=result.rc,
                stdout=result.stdout,
                stderr=result.stderr,
                cmd=argv,
            )
        return result
