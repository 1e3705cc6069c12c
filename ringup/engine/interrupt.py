"""Ctrl-C: tasks in hand are told to end and waited for, nothing new begins; a second one does not wait any more."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ringup.errors import TaskFailed

#: longer than an agent gives a task that was asked to end (GRACE_S of ringup.agent.loop)
GRACE_S = 20.0
#: a task that was just being sent when the others were told is told again
AGAIN_S = 0.5
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """Whether a run is to end early. Safe for many threads."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._over = threading.Event()
        self._prompting = False

    @property
    def asked(self) -> bool:
        return self._asked.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep.

        Raises:
            TaskFailed: the run is to end.
        """
        self._asked.wait(seconds)
        self.refuse()

    def refuse(self) -> None:
        """Before anything new is begun on a host.

        Raises:
            TaskFailed: the run is to end.
        """
        if self.asked:
            raise TaskFailed("the run was interrupted", hint="run the playbook again: it converges from any state")

    @contextmanager
    def heard(self, tell: Callable[[], None], leave: Callable[[], None]) -> Iterator[None]:
        """Hear SIGINT and SIGTERM; outside the main thread nothing can be heard.

        Args:
            tell: asks the tasks in hand to end; called until the run is over.
            leave: closes the connections, when the hosts have had long enough.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def on_signal(number: int, frame: FrameType | None) -> None:
            if self.asked or self._prompting:
                self._asked.set()
                raise KeyboardInterrupt
            self._asked.set()
            # not here: the main thread may hold the very locks that telling needs
            threading.Thread(target=self._see_off, args=(tell, leave), name="interrupt", daemon=True).start()

        before = [signal.signal(number, on_signal) for number in SIGNALS]
        try:
            yield
        finally:
            self._over.set()
            for number, handler in zip(SIGNALS, before, strict=True):
                signal.signal(number, handler)

    def prompting(self, ask: Callable[[str, bool], str]) -> Callable[[str, bool], str]:
        """The same question, left at once by an interrupt: nobody waits for a person."""

        def asked(prompt: str, secret: bool) -> str:
            self._prompting = True
            try:
                return ask(prompt, secret)
            finally:
                self._prompting = False

        return asked

    def _see_off(self, tell: Callable[[], None], leave: Callable[[], None]) -> None:
        for _ in range(round(GRACE_S / AGAIN_S)):
            tell()
            if self._over.wait(AGAIN_S):
                return
        leave()
