"""Jump hosts: one connection each for all hosts behind it, so that a play does not knock at a bastion once a host."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ringup.transport.opening import open_hop
from ringup.transport.route import Hop

if TYPE_CHECKING:
    import fabric


@dataclass
class _Gate:
    """A jump host that is used: by how many, and its connection once it is open."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0
    connection: fabric.Connection | None = None


class Jumps:
    """The jump hosts that are in use. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gates: dict[tuple[Hop, ...], _Gate] = {}

    def enter(self, way: tuple[Hop, ...]) -> fabric.Connection | None:
        """The open connection to the last of some hops (none: None); each call is paid back by one of `leave`.

        Raises:
            ConnectionFailed: one of the hops cannot be reached.
        """
        if not way:
            return None
        key = _shared(way)
        with self._lock:
            gate = self._gates.setdefault(key, _Gate())
            gate.users += 1
        try:
            with gate.lock:
                if gate.connection is None or not gate.connection.is_connected:
                    if gate.connection is not None:
                        gate.connection.close()
                        self.leave(way[:-1])
                        gate.connection = None
                    before = self.enter(way[:-1])
                    try:
                        gate.connection = open_hop(way[-1], before)
                    except BaseException:
                        self.leave(way[:-1])
                        raise
                return gate.connection
        except BaseException:
            self.leave(way)
            raise

    def leave(self, way: tuple[Hop, ...]) -> None:
        """One host less behind these hops; the last one closes the door."""
        if not way:
            return
        with self._lock:
            gate = self._gates[_shared(way)]
            gate.users -= 1
            if gate.users:
                return
            del self._gates[_shared(way)]
        if gate.connection is not None:
            gate.connection.close()
            self.leave(way[:-1])


def _shared(way: tuple[Hop, ...]) -> tuple[Hop, ...]:
    """The hops without the name of the host that asked: for another host they are the same."""
    return tuple(replace(hop, name="") for hop in way)


#: of this process
JUMPS = Jumps()
