"""Frames on their way to the controller. A slow network never stops the agent's loop: limits and heartbeats go on."""

import os
import selectors


class Outlet:
    """Writes what the pipe takes, keeps the rest.

    Args:
        handle: where frames go; made non-blocking.
        selector: of the loop: asked to call `flush` when there is room again.
        gone: called when nobody reads any more.
    """

    #: with this much waiting, tasks are not read from: they wait in turn
    FULL_BYTES = 8 << 20

    def __init__(self, handle, selector, gone):
        self._handle = handle
        self._gone = gone
        self._selector = selector
        self._waiting = bytearray()
        self._watched = False
        self._closed = False
        os.set_blocking(handle, False)

    @property
    def full(self):
        return len(self._waiting) > self.FULL_BYTES

    def send(self, frame):
        """Take a frame."""
        if self._closed:
            return
        self._waiting += frame
        self.flush()

    def flush(self):
        """Write what goes now; be called again when there is room for the rest."""
        try:
            while self._waiting:
                with memoryview(self._waiting) as view:
                    written = os.write(self._handle, view[: 1 << 20])
                del self._waiting[:written]
        except BlockingIOError:
            self._watch(True)
        except OSError:
            self._gone()
        else:
            self._watch(False)

    def close(self):
        """Forget what waits."""
        self._closed = True
        self._waiting = bytearray()
        self._watch(False)

    def _watch(self, wanted):
        if wanted and not self._watched:
            self._selector.register(self._handle, selectors.EVENT_WRITE, self.flush)
        elif self._watched and not wanted:
            self._selector.unregister(self._handle)
        self._watched = wanted
