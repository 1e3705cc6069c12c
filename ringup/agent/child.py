"""A task in a fork of the warm agent: fresh environment, umask and folder; its frames come back through a pipe."""

import os
import resource
import signal

from .host import Host
from .task import load, perform
from .wire import CHUNK_BYTES, encode

#: what a task's programs see, whatever the operator's shell had set
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/snap/bin",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
}
KEPT = ("HOME", "USER", "LOGNAME", "SHELL", "SUDO_USER", "SUDO_UID", "SUDO_GID", "XDG_RUNTIME_DIR", "SSH_CLIENT", "SSH_CONNECTION")


class Ended(BaseException):
    """The task is to end: cancelled, late, or left by its controller. Not an Exception, so that no module swallows it."""


def _end(number, frame):
    raise Ended()


class Child:
    """A running task.

    Attributes:
        message: the task message; id, key and limit_s are of it.
        pid: of the fork.
        pipe: where its frames come from.
        dies: it ends with its controller.
        deadline: monotonic time of its limit, or None.
    """

    def __init__(self, message, pid, pipe, deadline):
        self.id = message["id"]
        self.key = message.get("key") or ""
        self.pid = pid
        self.pipe = pipe
        self.dies = bool(message.get("dies_with_controller")) or getattr(load(message["module"]), "DIES_WITH_CONTROLLER", False)
        self.deadline = deadline
        self.message = message
        self.limit_s = message.get("timeout_s")
        self.ended_because = None
        self.kill_at = None

    def end(self, because, kill_at):
        """Ask the task to end its programs and itself; `kill_at` is when it is not asked any more."""
        if self.ended_because is None:
            self.ended_because = because
            self.kill_at = kill_at
            self._signal(signal.SIGTERM)

    def kill(self):
        self._signal(signal.SIGKILL)

    def _signal(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass


def host_of(message, uploads, emit):
    """The Host that a task message asks for; `emit` sends a frame."""
    number = message["id"]

    def send_file(path):
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(CHUNK_BYTES), b""):
                emit(encode({"type": "file", "id": number}, chunk))

    return Host(
        check=bool(message.get("check")),
        diff=bool(message.get("diff")),
        environment=message.get("environment"),
        uploads={name: uploads[sent] for name, sent in (message.get("uploads") or {}).items() if sent in uploads},
        timeout_s=message.get("timeout_s"),
        progress=lambda line: emit(encode({"type": "progress", "id": number, "line": line[:500]})),
        send_file=send_file,
    )


def start(message, uploads, close_fds):
    """Fork a task; gives (pid, read end of its pipe). `close_fds`: descriptors that only the agent may hold."""
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
        _fresh()
        result = _performed(message, uploads, writer)
        _write_all(writer, encode({"type": "result", "id": message["id"], "result": result}))
        code = 0
    finally:
        # no handlers of the agent run in the child
        os._exit(code)


def _performed(message, uploads, writer):
    try:
        signal.signal(signal.SIGTERM, _end)
        host = host_of(message, uploads, lambda frame: _write_all(writer, frame))
        return perform(message["module"], message.get("args") or {}, host)
    except Ended:
        return {"failed": True, "changed": False, "msg": "the task was ended"}


def _fresh():
    """Nothing of the agent's own state reaches a task."""
    os.setpgid(0, 0)
    os.umask(0o022)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    os.environ.clear()
    os.environ.update(kept)
    os.environ.update(ENVIRONMENT)
    try:
        os.chdir(os.environ.get("HOME") or "/")
    except OSError:
        os.chdir("/")
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _write_all(handle, data):
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
