"""A task in a fork of the warm agent: its own process group; its frames come back through a pipe."""

import errno
import os
import signal

from .host import Host
from .task import perform
from .wire import CHUNK_BYTES, Decoder, encode

PR_SET_PDEATHSIG = 1
#: progress is for people: a longer line is cut
PROGRESS_CHARACTERS = 500


class Ended(BaseException):
    """The task is to end: cancelled, late, or left by its controller. Not an Exception, so that no module swallows it."""


def _end(number, frame):
    raise Ended()


class Child:
    """A running task.

    Attributes:
        message: the task frame; `id` and `key` are its.
        pid: of the fork.
        pipe, decoder: where its frames come from, and what makes frames of it.
        dies: it ends with its controller.
        limit_s: its limit in seconds, or None; `deadline`: the same as monotonic time.
        ended_because: why it was asked to end, or None.
        kill_at: monotonic time at which it is not asked any more.
        result: what it has answered.
    """

    def __init__(self, message, pid, pipe, dies, now):
        self.message = message
        self.id = message["id"]
        self.key = message["key"]
        self.pid = pid
        self.pipe = pipe
        self.decoder = Decoder()
        self.dies = dies
        self.limit_s = message.get("timeout_s")
        self.deadline = now + self.limit_s if self.limit_s else None
        self.ended_because = None
        self.kill_at = None
        self.result = None

    def end(self, because, kill_at):
        """Ask the task to end its programs and itself."""
        if self.ended_because is None:
            self.ended_because = because
            self.kill_at = kill_at
            _signal(self.pid, signal.SIGTERM)

    def kill(self):
        """End the task and every program under it; those in sessions of their own are found by their parents."""
        for pid in [self.pid] + descendants(self.pid):
            _signal(pid, signal.SIGKILL)

    def final_result(self, status):
        """Its answer, in the light of why it ended."""
        result = self.result
        if result is None:
            result = {"failed": True, "changed": False, "msg": "the task's process ended without a result (%s)" % _status_in_words(status)}
        if self.ended_because == "timeout":
            return dict(result, failed=True, msg="Timed out after %g second(s)." % self.limit_s, timedout={"period": self.limit_s})
        if self.ended_because:
            return dict(result, failed=True, msg="the task was ended: %s" % self.ended_because)
        return result


def host_of(message, files, emit):
    """The Host that a task message asks for; `emit` sends a frame, `files` are its uploads by name."""
    number = message["id"]

    def send_file(path):
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(CHUNK_BYTES), b""):
                emit(encode({"type": "file", "id": number}, chunk))

    return Host(
        check=bool(message.get("check")),
        diff=bool(message.get("diff")),
        environment=message.get("environment"),
        uploads=files,
        timeout_s=message.get("timeout_s"),
        progress=lambda line: emit(encode({"type": "progress", "id": number, "line": line[:PROGRESS_CHARACTERS]})),
        send_file=send_file,
    )


def start(message, files, close_fds, dies):
    """Fork a task.

    Args:
        close_fds: descriptors that only the agent may hold.
        dies: it must not outlive the agent, whatever ends that.
    Returns:
        pid and the read end of its pipe.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    code = 1
    try:
        os.close(reader)
        for number in close_fds:
            os.close(number)
        os.setpgid(0, 0)
        result = _performed(message, files, writer, dies)
        _write_frame(writer, encode({"type": "result", "id": message["id"], "result": result}))
        code = 0
    finally:
        # nothing of the agent's own (its handlers, its lock, its buffers) runs in the child
        os._exit(code)


def _performed(message, files, writer, dies):
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, _end)
        if dies:
            _end_with_agent(os.getppid())
        host = host_of(message, files, lambda frame: _write_frame(writer, frame))
        result = perform(message["module"], message.get("args") or {}, host)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return result
    except Ended:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return {"failed": True, "changed": False, "msg": "the task was ended"}


def _end_with_agent(agent):
    """The kernel sends TERM when the agent is gone, also when it was killed and could not say so itself."""
    import ctypes  # 5 ms: only collectives need it

    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != agent:
        raise Ended()


def _write_frame(handle, data):
    """A whole frame or none: a task that is asked to end must not leave half of one before its result."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM,))
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(handle, view) :]
    except BrokenPipeError:
        pass  # the agent was killed: the task still finishes its work
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))


def descendants(pid):
    """All processes under one, by the parents that /proc names."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as stream:
                    parents.setdefault(int(stream.read().rpartition(")")[2].split()[1]), []).append(int(entry))
            except OSError:
                continue
    found = list(parents.get(pid, ()))
    for child in found:
        found.extend(parents.get(child, ()))
    return found


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except OSError as error:
        if error.errno != errno.ESRCH:
            raise


def _status_in_words(status):
    if os.WIFSIGNALED(status):
        return "killed by signal %d" % os.WTERMSIG(status)
    return "exit code %d" % os.WEXITSTATUS(status)
