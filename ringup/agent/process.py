"""Running a program on the host: an argument list, a deadline, its output, and its newest line while it runs."""

import functools
import os
import selectors
import signal
import subprocess
import time


class CommandResult:
    """A finished program. `rc` is negative when a signal ended it; texts replace what is not UTF-8."""

    def __init__(self, argv, rc, stdout, stderr, seconds):
        self.argv = argv
        self.rc = rc
        self.stdout_bytes = stdout
        self.stderr_bytes = stderr
        self.seconds = seconds

    @property
    def stdout(self):
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stderr(self):
        return self.stderr_bytes.decode("utf-8", "replace")


class CommandTimeout(Exception):
    """The program ran past its limit and was ended with all of its process group."""

    def __init__(self, argv, limit_s):
        super().__init__("%s did not end within %g s" % (argv[0], limit_s))
        self.argv = argv
        self.limit_s = limit_s


def end_group(process, grace_s=5.0):
    """End a process group that we started, its last member too: TERM, then KILL. It is known by its handle, never by a name."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal_group(process.pid, number)
        deadline = time.monotonic() + grace_s
        pause_s = 0.005
        while time.monotonic() < deadline:
            ended = process.poll() is not None
            if ended and not _signal_group(process.pid, 0):
                return
            time.sleep(pause_s)
            pause_s = min(pause_s * 2, 0.1)


def _signal_group(group, number):
    """Whether the group has any member left."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it has become another user's
    return True


def run(argv, stdin=None, timeout_s=None, cwd=None, env=None, on_line=None, umask=None):
    """Run a program to its end and give its output.

    Args:
        argv: the program and its arguments; no shell.
        stdin: bytes for its standard input; without them it reads end of file.
        timeout_s: limit; None waits for ever.
        env: variables added to (None value: removed from) this process's environment.
        on_line: called with each line of output as it comes, for live progress.
    Raises:
        CommandTimeout: it ran past the limit and was ended.
        OSError: the program could not be started.
    """
    environment = dict(os.environ)
    for name, value in (env or {}).items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = str(value)
    begin = time.monotonic()

    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment,
        start_new_session=True,
        # a function between fork and exec costs the fast way of starting a program: only where it is needed
        preexec_fn=None if umask is None else functools.partial(os.umask, umask),
    )
    try:
        stdout, stderr = _drain(process, stdin, begin + timeout_s if timeout_s else None, on_line)
    except BaseException:
        end_group(process)
        raise
    finally:
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    if stdout is None:
        end_group(process)
        raise CommandTimeout(argv, timeout_s)
    return CommandResult(argv, process.returncode, stdout, stderr, time.monotonic() - begin)


def _drain(process, stdin, deadline, on_line):
    """Both streams until the program ends; (None, None) when the deadline came first."""
    pump = _Pump(process, stdin, on_line)
    with pump.selector:
        while not pump.finished():
            if deadline is not None and time.monotonic() >= deadline and process.poll() is None:
                return None, None
            pump.turn(deadline)
    return b"".join(pump.collected["stdout"]), b"".join(pump.collected["stderr"])


class _Pump:
    """Moves a program's streams.

    A daemon that the program leaves behind keeps its streams open: output later than LINGER_S after the end is not waited for.
    """

    LINGER_S = 0.2
    LINE_BYTES = 4096

    def __init__(self, process, stdin, on_line):
        self.process = process
        self.on_line = on_line
        self.collected = {"stdout": [], "stderr": []}
        self.partial = {"stdout": b"", "stderr": b""}
        self.pending = memoryview(stdin) if stdin else None
        self.ended_at = None
        self.selector = selectors.DefaultSelector()
        for name in ("stdout", "stderr"):
            stream = getattr(process, name)
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, name)
        if process.stdin is not None:
            if self.pending:
                os.set_blocking(process.stdin.fileno(), False)
                self.selector.register(process.stdin, selectors.EVENT_WRITE, "stdin")
            else:
                process.stdin.close()

    def _open(self):
        return [key for key in self.selector.get_map().values() if key.data != "stdin"]

    def finished(self):
        if self.ended_at is None and self.process.poll() is not None:
            self.ended_at = time.monotonic()
        return self.ended_at is not None and (not self._open() or time.monotonic() - self.ended_at > self.LINGER_S)

    def turn(self, deadline):
        """Move what is ready; without open streams, wait for the program's end."""
        limit = 0.5 if deadline is None else max(0.0, min(0.5, deadline - time.monotonic()))
        if not self._open():
            try:
                # without a deadline the kernel wakes us; with one, wait() looks every few milliseconds
                self.process.wait(timeout=None if deadline is None else limit)
            except subprocess.TimeoutExpired:
                pass
            return
        for key, _ in self.selector.select(timeout=min(limit, 0.05)):
            if key.data == "stdin":
                self.pending = _feed(self.selector, self.process, self.pending)
            else:
                self._read(key)

    def _read(self, key):
        try:
            chunk = os.read(key.fd, 65536)
        except BlockingIOError:
            return
        if not chunk:
            self.selector.unregister(key.fileobj)
            return
        self.collected[key.data].append(chunk)
        if self.on_line is not None:
            lines = (self.partial[key.data] + chunk).replace(b"\r", b"\n").split(b"\n")
            # progress shows the beginning of a line; a line without an end must not be put together again with each piece
            self.partial[key.data] = lines.pop()[: self.LINE_BYTES]
            for line in lines:
                if line.strip():
                    self.on_line(line.decode("utf-8", "replace"))


def _feed(selector, process, pending):
    try:
        written = os.write(process.stdin.fileno(), pending[:65536])
        pending = pending[written:]
    except BlockingIOError:
        return pending
    except BrokenPipeError:
        pending = pending[len(pending) :]
    if not pending:
        selector.unregister(process.stdin)
        process.stdin.close()
    return pending
