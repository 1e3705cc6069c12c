"""The agent's loop: frames in, tasks forked, frames out. It outlives its connection until the tasks in hand have ended."""

import os
import pwd
import selectors
import signal
import sys
import tempfile
import time

from . import child as forks
from .lock import HostLock
from .spool import Spool, runtime_folder
from .task import perform_at_once
from .wire import ANNOUNCEMENT, HEARTBEAT_S, PROTOCOL, Decoder, encode

#: after being asked to end, a task has this long before it is killed
GRACE_S = 15.0


def main(nonce):
    """Announce the agent on standard output and serve frames until the controller leaves."""
    inward, outward = _private_streams()
    os.write(outward, (ANNOUNCEMENT % nonce).encode())
    agent = Agent(inward, outward)
    agent.send(ready())
    agent.serve()


def _private_streams():
    """Frames get descriptors of their own, so that no program of a task can write into them."""
    inward, outward = os.dup(0), os.dup(1)
    for number in (inward, outward):
        os.set_inheritable(number, False)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
    return inward, outward


def ready():
    user = pwd.getpwuid(os.getuid())
    with open("/proc/sys/kernel/random/boot_id") as stream:
        boot_id = stream.read().strip()
    return {
        "type": "ready",
        "protocol": PROTOCOL,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "executable": sys.executable,
        "user": user.pw_name,
        "uid": user.pw_uid,
        "home": user.pw_dir,
        "boot_id": boot_id,
        "pid": os.getpid(),
    }


class Agent:
    """State of the loop: the running tasks, files that came for the next one, results that wait."""

    def __init__(self, inward, outward):
        self._inward = inward
        self._outward = outward
        self._decoder = Decoder()
        self._selector = selectors.DefaultSelector()
        self._children = {}
        self._results = {}
        self._decoders = {}
        self._uploads = {}
        self._folder = runtime_folder()
        self._spool = Spool(self._folder)
        self._lock = HostLock()
        self._waiting_lock = None
        self._collecting = {}
        self._connected = True
        self._heard = time.monotonic()

    def send(self, message, blob=b""):
        self._write(encode(message, blob))

    def _write(self, frame):
        if not self._connected:
            return
        view = memoryview(frame)
        try:
            while view:
                view = view[os.write(self._outward, view) :]
        except OSError:
            self._disconnect()

    def serve(self):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._selector.register(self._inward, selectors.EVENT_READ)
        while self._connected or self._children:
            for key, _ in self._selector.select(self._patience()):
                if key.fd == self._inward:
                    self._hear()
                else:
                    self._hear_child(key.data)
            self._tick(time.monotonic())
        self._lock.release()

    def _patience(self):
        """How long select may sleep: until the next heartbeat, limit or retry."""
        if self._waiting_lock or self._collecting or any(child.ended_because for child in self._children.values()):
            return 0.1
        if not self._children:
            return None
        moments = [child.deadline for child in self._children.values() if child.deadline is not None]
        now = time.monotonic()
        return max(0.0, min([HEARTBEAT_S - (now - self._heard)] + [moment - now for moment in moments]))

    def _hear(self):
        try:
            piece = os.read(self._inward, 1 << 16)
        except OSError:
            piece = b""
        if not piece:
            self._disconnect()
            return
        for message, blob in self._decoder.feed(piece):
            getattr(self, "_on_" + message["type"])(message, blob)

    def _disconnect(self):
        """The controller is gone: tasks in hand go on, except those that have no meaning without it."""
        if not self._connected:
            return
        self._connected = False
        self._selector.unregister(self._inward)
        for child in self._children.values():
            if child.dies:
                child.end("its controller is gone", time.monotonic() + GRACE_S)

    def _on_task(self, message, blob):
        at_once = perform_at_once(message, lambda: forks.host_of(message, self._uploads, self._write))
        if at_once is not None:
            self.send({"type": "result", "id": message["id"], "result": at_once})
            self._forget_uploads(message)
            return
        key = message.get("key")
        if key:
            self._spool.begin(key)
        limit_s = message.get("timeout_s")
        pid, pipe = forks.start(message, self._uploads, [self._inward, self._outward])
        child = forks.Child(message, pid, pipe, time.monotonic() + limit_s if limit_s else None)
        self._children[pid] = child
        self._decoders[pid] = Decoder()
        self._selector.register(pipe, selectors.EVENT_READ, pid)
        self._heard = time.monotonic()

    def _on_file(self, message, blob):
        name = message["upload"]
        if name not in self._uploads:
            handle, path = tempfile.mkstemp(prefix="upload-", dir=self._folder)
            os.close(handle)
            self._uploads[name] = path
        with open(self._uploads[name], "ab") as stream:
            stream.write(blob)

    def _on_cancel(self, message, blob):
        for child in self._children.values():
            if child.id == message["id"]:
                child.end("it was cancelled", time.monotonic() + GRACE_S)

    def _on_collect(self, message, blob):
        self._collecting[message["id"]] = message["key"]

    def _on_lock(self, message, blob):
        self._waiting_lock = (message["holder"], time.monotonic() + message.get("wait_s", 0))

    def _on_unlock(self, message, blob):
        self._lock.release()

    def _on_bye(self, message, blob):
        self._disconnect()

    def _hear_child(self, pid):
        child = self._children[pid]
        piece = os.read(child.pipe, 1 << 16)
        if not piece:
            self._reap(child)
            return
        for message, blob in self._decoders[pid].feed(piece):
            if message["type"] == "result":
                self._results[pid] = message["result"]
            else:
                self.send(message, blob)

    def _reap(self, child):
        self._selector.unregister(child.pipe)
        os.close(child.pipe)
        _, status = os.waitpid(child.pid, 0)
        result = self._results.pop(child.pid, None)
        if result is None:
            result = {"failed": True, "changed": False, "msg": "the task's process ended without a result (wait status %d)" % status}
        if child.ended_because == "timeout":
            message = "Timed out after %g second(s)." % child.limit_s
            result = dict(result, failed=True, changed=bool(result.get("changed")), msg=message, timedout={"period": child.limit_s})
        elif child.ended_because:
            result = dict(result, failed=True, msg="the task was ended: %s" % child.ended_because)
        del self._children[child.pid]
        del self._decoders[child.pid]
        self._forget_uploads(child.message)
        self.send({"type": "result", "id": child.id, "result": result})
        if child.key:
            if self._connected:
                self._spool.end(child.key)
            else:
                self._spool.keep(child.key, result)

    def _forget_uploads(self, message):
        for sent in (message.get("uploads") or {}).values():
            path = self._uploads.pop(sent, None)
            if path is not None:
                try:
                    os.unlink(path)
                except OSError:
                    pass  # the module has moved it into its place

    def _tick(self, now):
        for child in list(self._children.values()):
            if child.deadline is not None and now >= child.deadline:
                child.end("timeout", now + GRACE_S)
            if child.kill_at is not None and now >= child.kill_at:
                child.kill()
        if self._children and now - self._heard >= HEARTBEAT_S:
            self._heard = now
            self.send({"type": "alive"})
        if self._waiting_lock:
            self._try_lock(now)
        for number, key in list(self._collecting.items()):
            self._try_collect(number, key)

    def _try_lock(self, now):
        holder, until = self._waiting_lock
        held = self._lock.take(holder)
        if held is None or now >= until:
            self._waiting_lock = None
            self.send({"type": "locked", "holder": held})

    def _try_collect(self, number, key):
        state, result = self._spool.collect(key)
        if state == "running":
            return
        del self._collecting[number]
        self.send({"type": "collected", "id": number, "state": state, "result": result})
        if state == "done":
            self._spool.end(key)
