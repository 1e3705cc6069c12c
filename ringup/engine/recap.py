"""Counting what tasks did, as ansible-core counts it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

from ringup.engine.hosts import HostState
from ringup.events import HostRecap
from ringup.results import Result


class Recap:
    """The counts of all hosts of a run; safe to add to from several threads."""

    def __init__(self) -> None:
        self._counts: dict[str, HostRecap] = {}
        self._lock = threading.Lock()

    def see(self, host: str) -> None:
        with self._lock:
            self._counts.setdefault(host, HostRecap())

    def add(self, host: str, **counts: int) -> None:
        with self._lock:
            now = self._counts.get(host, HostRecap())
            self._counts[host] = replace(now, **{name: getattr(now, name) + count for name, count in counts.items()})

    def ended(self, host: str, result: Result, *, ignored: bool, rescued: bool) -> None:
        """Count one task on one host. A changed task is ok too; an ignored failure is ok and ignored."""
        if result.unreachable:
            self.add(host, unreachable=1) if not ignored else self.add(host, ok=1, ignored=1)
        elif result.failed and ignored:
            self.add(host, ok=1, ignored=1, changed=int(result.changed))
        elif result.failed:
            self.add(host, rescued=1) if rescued else self.add(host, failed=1)
        elif result.skipped:
            self.add(host, skipped=1)
        else:
            self.add(host, ok=1, changed=int(result.changed))

    def counts(self) -> Mapping[str, HostRecap]:
        with self._lock:
            return dict(self._counts)


def exit_code(states: Iterable[HostState], *, stopped: bool) -> int:
    """Ansible's: 4 when a host was unreachable (wins), 2 when one failed or the run was stopped by failures, else 0.

    Args:
        states: as they are at the end: an error that `meta: clear_host_errors` has forgiven does not count.
    """
    ended = list(states)
    if any(one.unreachable for one in ended):
        return 4
    return 2 if stopped or any(one.failed for one in ended) else 0
