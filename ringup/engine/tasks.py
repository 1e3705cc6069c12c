"""One task over the hosts of a batch: all at once up to forks, once for all where it says so, and what its results mean."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import count
from typing import Any

from ringup.actions.call import PER_HOST
from ringup.engine.execute import Bench, HostTask
from ringup.engine.recap import Recap
from ringup.engine.truth import truth
from ringup.errors import RingupError
from ringup.events import HostTaskStarted, TaskEnded, TaskStarted, WarningIssued
from ringup.playbook.values import Task
from ringup.results import Result
from ringup.templating import Templar

#: numbers of tasks over the whole process: what events refer to
TASK_IDS = count(1)


class TaskRunner:
    """Runs tasks over hosts and takes in their results.

    Args:
        bench: of the play.
        pool: the run's threads.
        recap: the run's counts.
    """

    def __init__(self, bench: Bench, pool: ThreadPoolExecutor, recap: Recap) -> None:
        self._bench = bench
        self._pool = pool
        self._recap = recap

    def begin(self, task: Task, hosts: Sequence[str], *, handler: bool = False) -> int:
        """Announce a task; its name is rendered as far as it can be."""
        number = next(TASK_IDS)
        role = task.role.name if task.role is not None else None
        self._bench.emit(
            TaskStarted(time.time(), number, self.title(task, hosts[0] if hosts else None), task.action, task.source, role, handler)
        )
        return number

    def title(self, task: Task, host: str | None) -> str:
        """A task's name; what is undefined in it stays as written."""
        if "{{" not in task.title or host is None:
            return task.title
        try:
            return str(self._bench.play.templar(host, task).render(task.title))
        except RingupError:
            return task.title

    def run(self, task: Task, hosts: Sequence[str], *, guarded: bool, handler: bool = False) -> dict[str, Result]:
        """Run a task on hosts; gives each host's result. Facts, registered results and counts are taken in."""
        if self._bench.connections.interrupt.asked:
            raise KeyboardInterrupt
        number = self.begin(task, hosts, handler=handler)
        if self.once(task, hosts):
            return self._run_once(task, number, hosts, guarded=guarded)
        limit = self._throttle(task, hosts)
        slots = threading.BoundedSemaphore(limit) if limit else nullcontext()

        def one(host: str) -> Result | None:
            """A host whose turn comes after an interrupt has no result: it was never touched."""
            with slots:
                if self._bench.connections.interrupt.asked:
                    return None
                _, result, seconds = self._timed(task, number, host)
            # told at once: a slow host does not hold back what is known of the others
            self.take(task, number, host, result, seconds, guarded=guarded)
            return result

        results = [one(hosts[0])] if len(hosts) == 1 else [future.result() for future in [self._pool.submit(one, host) for host in hosts]]
        return {host: result for host, result in zip(hosts, results, strict=True) if result is not None}

    def _timed(self, task: Task, number: int, host: str) -> tuple[str, Result, float]:
        self._bench.emit(HostTaskStarted(time.time(), number, host))
        begin = time.monotonic()
        return host, HostTask(self._bench, task, number, host).run(), time.monotonic() - begin

    def _throttle(self, task: Task, hosts: Sequence[str]) -> int:
        if task.keywords.throttle is None:
            return 0
        return max(0, int(self._templar(task, hosts[0]).render(task.keywords.throttle)))

    def _templar(self, task: Task, host: str) -> Templar:
        return self._bench.play.templar(host, task)

    def once(self, task: Task, hosts: Sequence[str]) -> bool:
        """Whether a task runs on the first host only, for all."""
        if getattr(self._bench.specs[task.action], "once_per_batch", False):
            return True
        once = task.keywords.run_once
        if once is None or once is False:
            return False
        return once is True or truth(self._templar(task, hosts[0]).render(once), "run_once", task.source)

    def _run_once(self, task: Task, number: int, hosts: Sequence[str], *, guarded: bool) -> dict[str, Result]:
        """On the first host, for all; a failure is everybody's, but counted once. Single hosts may have values of their own."""
        host, result, seconds = self._timed(task, number, hosts[0])
        single: dict[str, dict[str, Any]] = dict(result.values.get(PER_HOST) or {})
        common = {name: value for name, value in result.values.items() if name != PER_HOST}
        results = {}
        for one in hosts:
            own = Result({**common, **single.get(one, {})}, result.no_log)
            results[one] = own
            if one == host or single:
                self.take(task, number, one, own, seconds, guarded=guarded)
            else:
                self.learn(task, one, own)
        return results

    def take(self, task: Task, number: int, host: str, result: Result, seconds: float, *, guarded: bool) -> None:
        """Tell what came of a task on a host, count it, and keep what later tasks see of it."""
        ignored = self._ignored(task, host, result)
        self._recap.ended(host, result, ignored=ignored, rescued=guarded)
        for warning in result.values.get("warnings") or ():
            self._bench.emit(WarningIssued(time.time(), str(warning), task.source, host))
        self._bench.emit(TaskEnded(time.time(), number, host, result, seconds, ignored))
        if task.role is not None and not result.skipped:
            self._bench.play.run.state(host).roles_begun.add(task.role.key)
        self.learn(task, host, result)

    def _ignored(self, task: Task, host: str, result: Result) -> bool:
        keyword = task.keywords.ignore_unreachable if result.unreachable else task.keywords.ignore_errors if result.failed else None
        if keyword is None:
            return False
        return keyword is True or truth(self._templar(task, host).render(keyword), "ignore_errors", task.source)

    def learn(self, task: Task, host: str, result: Result) -> None:
        """Register, facts, and whether the host stays in the play."""
        state = self._bench.play.run.state(host)
        values = dict(result.values)
        if task.register:
            state.known[task.register] = values
        failed = (result.failed or result.unreachable) and not self._ignored(task, host, result)
        if not failed:
            self._facts(task, host, values)
            return
        state.failed_task = task
        state.known["ansible_failed_result"] = values
        state.known["ansible_failed_task"] = {"name": self.title(task, host), "action": task.action, "path": str(task.source)}
        if result.unreachable:
            state.unreachable = True
        else:
            state.failed = True

    def _facts(self, task: Task, host: str, values: dict[str, Any]) -> None:
        for one in [values, *(entry for entry in values.get("results") or () if isinstance(entry, dict))]:
            facts = one.get("ansible_facts")
            if not isinstance(facts, dict) or one.get("skipped"):
                continue
            delegate = task.keywords.delegate_to if task.keywords.delegate_facts else None
            target = str(self._templar(task, host).render(delegate)) if delegate else host
            state = self._bench.play.run.state(target)
            spec = self._bench.specs[task.action]
            if task.action == "include_vars":
                state.included = {**state.included, **facts}
            elif getattr(spec, "kind", "") == "action" and task.action != "gather_facts":
                state.known = {**state.known, **facts}
                if one.get("ansible_facts_cacheable"):
                    state.learn(facts, prefixed=False)
            else:
                state.learn(facts, prefixed=task.action in ("setup", "gather_facts"))


def plain_steps(steps: Sequence[Any], count_one: Callable[[Task], int]) -> int:
    """How many tasks a list of steps holds."""
    total = 0
    for step in steps:
        if isinstance(step, Task):
            total += count_one(step)
        else:
            total += plain_steps(step.block, count_one) + plain_steps(step.always, count_one)
    return total
