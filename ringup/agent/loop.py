"""The agent's loop: frames in, tasks forked, frames out. It outlives its connection until the tasks in hand have ended."""

import functools
import gc
import os
import selectors
import signal
import time

from . import child as forks
from .failure import REMEDIES, plainly
from .folders import runtime_folders
from .lock import HostLock
from .outlet import Outlet
from .spool import Spool
from .task import load, perform_at_once
from .uploads import Uploads
from .wire import HEARTBEAT_S, Decoder, encode

#: after being asked to end, a task has this long before it is killed
GRACE_S = 15.0
#: how often a lock that is taken, or a result that is not there yet, is looked for
RETRY_S = 0.1


class Agent:
    """State of the loop.

    Args:
        inward, outward: the controller's frames and ours.
    """

    def __init__(self, inward, outward):
        self._inward = inward
        self._selector = selectors.DefaultSelector()
        self._outlet = Outlet(outward, self._selector, self._disconnect)
        self._private = [inward, outward]
        self._decoder = Decoder()
        folders = runtime_folders()
        self._spool = Spool(folders)
        self._spool.prune()
        self._uploads = Uploads(folders[0])
        self._lock = HostLock()
        #: who wants the lock and has not got it yet; {}: nobody
        self._lock_holder = {}
        self._lock_until = 0.0
        self._children = {}
        #: results that were sent and not yet acknowledged, by task id: (key, result)
        self._sent = {}
        self._collecting = {}
        self._connected = True
        self._last_sent = time.monotonic()

    def send(self, message, blob=b""):
        self._write(encode(message, blob))

    def _write(self, frame):
        if self._connected:
            self._last_sent = time.monotonic()
            self._outlet.send(frame)

    def serve(self):
        """Until the controller has left and the last task has ended."""
        self._hear_signals()
        # what is there now stays: collections in the forks need not touch (and so copy) it; from Python 3.7 on
        getattr(gc, "freeze", gc.collect)()
        self._selector.register(self._inward, selectors.EVENT_READ, self._hear)
        while self._connected or self._children:
            for key, _ in self._selector.select(self._patience(time.monotonic())):
                key.data()
            self._tick(time.monotonic())
        self._uploads.clear()
        self._lock.release()

    def report_fault(self, text):
        """The loop has broken: say so; tasks in hand are ended, since nobody would reap them."""
        self.send({"type": "fault", "text": text})
        for child in self._children.values():
            child.kill()

    def _hear_signals(self):
        """USR1: a later link of the same controller takes our results over. TERM: the session is being ended."""
        reader, writer = os.pipe()
        for handle in (reader, writer):
            os.set_blocking(handle, False)
        self._private += [reader, writer]
        signal.set_wakeup_fd(writer)
        for number in (signal.SIGPIPE, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        for number in (signal.SIGUSR1, signal.SIGTERM):
            signal.signal(number, lambda number, frame: None)
        self._selector.register(reader, selectors.EVENT_READ, lambda: self._signalled(os.read(reader, 64)))

    def _signalled(self, numbers):
        if signal.SIGTERM in numbers:
            for child in self._children.values():
                child.end("the agent was asked to end", time.monotonic() + GRACE_S)
        if signal.SIGTERM in numbers or signal.SIGUSR1 in numbers:
            self._disconnect()

    def _patience(self, now):
        """How long select may sleep: until the next heartbeat, limit or retry; None without an end."""
        if self._lock_holder or self._collecting:
            return RETRY_S
        if not self._children:
            return None
        moments = [self._last_sent + HEARTBEAT_S] if self._connected else []
        for child in self._children.values():
            moments += [moment for moment in (child.deadline if child.kill_at is None else None, child.kill_at) if moment is not None]
        return max(0.0, min(moments) - now) if moments else None

    def _tick(self, now):
        full = self._outlet.full
        for child in self._children.values():
            self._watch(child, not full)
            if child.deadline is not None and now >= child.deadline:
                child.end("timeout", now + GRACE_S)
            if child.kill_at is not None and now >= child.kill_at:
                child.kill()
                child.kill_at = now + GRACE_S
        if now - self._last_sent >= HEARTBEAT_S and (self._children or self._collecting or self._lock_holder):
            self.send({"type": "alive"})
        if self._lock_holder:
            self._try_lock(now)
        for number in list(self._collecting):
            self._try_collect(number)

    def _hear(self):
        try:
            piece = os.read(self._inward, 1 << 16)
        except OSError:
            piece = b""
        if not piece:
            self._disconnect()
            return
        for message, blob in self._decoder.feed(piece):
            if not self._connected:
                return
            getattr(self, "_on_" + message["type"])(message, blob)

    def _disconnect(self):
        """The controller is gone: tasks in hand go on, except those that have no meaning without it; results wait in the spool."""
        if not self._connected:
            return
        self._connected = False
        self._selector.unregister(self._inward)
        self._outlet.close()
        self._lock_holder = {}
        self._collecting.clear()
        for key, result in self._sent.values():
            self._spool.keep(key, result)
        for child in self._children.values():
            if child.dies:
                child.end("its controller is gone", time.monotonic() + GRACE_S)

    def _on_task(self, message, blob):
        self._acknowledged(message)
        at_once = perform_at_once(message, lambda: forks.host_of(message, self._uploads.named(message), self._write))
        if at_once is not None:
            self._uploads.forget(message)
            self.send({"type": "result", "id": message["id"], "result": at_once})
            return
        try:
            dies = bool(message.get("dies_with_controller")) or getattr(load(message["module"]), "DIES_WITH_CONTROLLER", False)
            files = self._uploads.named(message)
        except (ImportError, SyntaxError) as error:
            self._refuse(message, "the module %s cannot be loaded: %s" % (message["module"], error))
            return
        except OSError as error:
            self._refuse(message, "a file for the task could not be kept on the host: %s" % plainly(error), REMEDIES.get(error.errno or 0))
            return
        if not self._spool.begin(message["key"]):
            self._refuse(message, "the task was given up by its controller before it began")
            return
        pid, pipe = forks.start(message, files, self._private, dies)
        child = forks.Child(message, pid, pipe, dies, time.monotonic())
        self._children[pid] = child
        self._watch(child, True)
        self._last_sent = time.monotonic()

    def _refuse(self, message, words, hint=None):
        self._uploads.forget(message)
        result = {"failed": True, "changed": False, "msg": words}
        self.send({"type": "result", "id": message["id"], "result": dict(result, hint=hint) if hint else result})

    def _on_file(self, message, blob):
        self._uploads.receive(message, blob)

    def _on_received(self, message, blob):
        self._acknowledged(message)

    def _on_cancel(self, message, blob):
        for child in self._children.values():
            if child.id == message["id"]:
                child.end("it was cancelled", time.monotonic() + GRACE_S)

    def _on_collect(self, message, blob):
        self._collecting[message["id"]] = message["key"]
        state, pid = self._spool.collect(message["key"])
        if state == "running":
            try:
                # its agent may not have noticed yet that its connection is dead
                os.kill(pid, signal.SIGUSR1)
            except OSError:
                pass  # it has just ended
        self._try_collect(message["id"])

    def _on_lock(self, message, blob):
        self._lock_holder = message["holder"]
        self._lock_until = time.monotonic() + message.get("wait_s", 0)
        self._try_lock(time.monotonic())

    def _on_unlock(self, message, blob):
        self._lock_holder = {}
        self._lock.release()

    def _on_bye(self, message, blob):
        self._acknowledged(message)
        self._disconnect()

    def _acknowledged(self, message):
        """Results that have arrived need not wait in the spool."""
        for number in message.get("received") or ():
            key, _ = self._sent.pop(number, (None, None))
            if key:
                self._spool.end(key)

    def _watch(self, child, wanted):
        watched = child.pipe in self._selector.get_map()
        if wanted and not watched:
            self._selector.register(child.pipe, selectors.EVENT_READ, functools.partial(self._hear_child, child))
        elif watched and not wanted:
            self._selector.unregister(child.pipe)

    def _hear_child(self, child):
        piece = os.read(child.pipe, 1 << 16)
        if not piece:
            self._reap(child)
            return
        for message, blob in child.decoder.feed(piece):
            if message["type"] == "result":
                child.result = message["result"]
            else:
                self.send(message, blob)

    def _reap(self, child):
        self._watch(child, False)
        os.close(child.pipe)
        _, status = os.waitpid(child.pid, 0)
        del self._children[child.pid]
        self._uploads.forget(child.message)
        result = child.final_result(status)
        if self._connected:
            self._sent[child.id] = (child.key, result)
            self.send({"type": "result", "id": child.id, "result": result})
        else:
            self._spool.keep(child.key, result)

    def _try_lock(self, now):
        held = self._lock.take(self._lock_holder)
        if held is None or now >= self._lock_until:
            self._lock_holder = {}
            self.send({"type": "locked", "holder": held})

    def _try_collect(self, number):
        key = self._collecting[number]
        state, result = self._spool.collect(key)
        if state == "running":
            return
        del self._collecting[number]
        if state == "done":
            self._sent[number] = (key, result)
        self.send({"type": "collected", "id": number, "state": state, "result": result})
