"""A play over one batch of hosts: facts, sections, blocks with their rescue, handlers.

A barrier stands after each task (strategy linear). A block is walked with the set of hosts that are in it: those that fail go
through its rescue together, all go through its always.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ringup.engine.additions import add_to_inventory
from ringup.engine.batches import too_many
from ringup.engine.execute import Bench, failure
from ringup.engine.handlers import Handlers
from ringup.engine.includes import Includer
from ringup.engine.recap import Recap
from ringup.engine.tasks import TaskRunner
from ringup.engine.truth import truth
from ringup.errors import RingupError
from ringup.events import FileIncluded, HandlerNotified, HostStopped, TaskEnded
from ringup.playbook import selected
from ringup.playbook.values import Block, Play, RoleRef, RoleUse, Step, Task
from ringup.results import Result


@dataclass
class Progress:
    """What outlives a batch: whether the run goes on, and why hosts were stopped.

    Attributes:
        start_at: still looking for this task; None once found.
        stopped: hosts that others' failures stopped, with the reason.
        broken: no more batches, no more plays.
    """

    start_at: str | None = None
    stopped: dict[str, str] = field(default_factory=dict)
    broken: bool = False
    play_ended: bool = False


class BatchRun:
    """One play on one batch.

    Args:
        bench: of the play.
        runner: runs single tasks.
        includer: loads what tasks include.
        handlers: of the play.
        progress: of the run.
        hosts: of the batch.
    """

    def __init__(
        self, bench: Bench, runner: TaskRunner, includer: Includer, handlers: Handlers, progress: Progress, recap: Recap, hosts: list[str]
    ) -> None:
        self._bench = bench
        self._play: Play = bench.play.play
        self._runner = runner
        self._includer = includer
        self._handlers = handlers
        self._progress = progress
        self._recap = recap
        self._hosts = hosts
        self._meta: dict[str, Callable[[Task, list[str]], None]] = {
            "flush_handlers": lambda task, hosts: self.flush(),
            "noop": lambda task, hosts: None,
            "end_host": self._end_host,
            "end_batch": self._end_batch,
            "end_play": self._end_play,
            "end_role": self._end_role,
            "clear_facts": self._clear_facts,
            "clear_host_errors": self._clear_errors,
            "refresh_inventory": lambda task, hosts: None,
            "reset_connection": self._reset_connections,
        }

    def run(self) -> None:
        """All sections, a flush of handlers after each."""
        self._gather()
        self.walk(self._play.pre_tasks, self.active())
        self.flush()
        for use in self._play.roles:
            self._role(use)
        self.walk(self._play.tasks, self.active())
        self.flush()
        self.walk(self._play.post_tasks, self.active())
        self.flush()

    def _role(self, use: RoleUse) -> None:
        """A role of `roles:`; it counts as done for a host when one of its tasks has run there, and does not run there again."""
        self.walk(use.steps, self.active())
        self._close({use.role.key})

    def _state(self, host: str) -> Any:
        return self._bench.play.run.state(host)

    def active(self) -> list[str]:
        return [host for host in self._hosts if self._state(host).active]

    def _gather(self) -> None:
        wanted = self._play.gather_facts
        if isinstance(wanted, str):
            rendered = self._bench.play.templar(self._hosts[0]).render(wanted) if self._hosts else False
            wanted = truth(rendered, "gather_facts", self._play.source)
        # gathering is tagged always, unless the play has tags
        if not wanted or not self._runs(self._play.keywords.tags or frozenset(("always",))):
            return
        args: dict[str, Any] = {}
        if self._play.gather_subset is not None:
            args["gather_subset"] = self._play.gather_subset
        if self._play.gather_timeout is not None:
            args["gather_timeout"] = self._play.gather_timeout
        task = Task("setup", args, self._play.source, self._play.folder, name="Gathering facts", keywords=self._play.keywords)
        self._task(task, self.active(), guarded=False)

    def _runs(self, tags: Any) -> bool:
        request = self._bench.request
        return selected(tags, request.tags, request.skip_tags)

    def walk(self, steps: Sequence[Step], hosts: Sequence[str], *, guarded: bool = False) -> set[str]:
        """Run steps on hosts in order; gives the hosts that failed on the way.

        Args:
            guarded: a rescue around will catch their failures.
        """
        failed: set[str] = set()
        before: RoleRef | None = None
        for step in steps:
            self._leave(before, step.role)
            before = step.role
            alive = [host for host in hosts if self._state(host).active]
            if not alive or self._progress.play_ended:
                break
            if isinstance(step, Block):
                failed |= self._block(step, alive, guarded=guarded)
            else:
                failed |= self._step(step, alive, guarded=guarded)
        return failed

    def _leave(self, role: RoleRef | None, following: RoleRef | None) -> None:
        """Behind its last task a role is done, on the hosts where it did something; not where another role came in between."""
        if role is not None and following is not role and (following is None or role.name not in following.parents):
            self._close({role.key})

    def _close(self, keys: set[str]) -> None:
        for host in self._hosts:
            state = self._state(host)
            state.roles_done |= keys & state.roles_begun

    def _block(self, block: Block, hosts: list[str], *, guarded: bool) -> set[str]:
        failed = self.walk(block.block, hosts, guarded=guarded or bool(block.rescue))
        if failed and block.rescue:
            rescued = [host for host in hosts if host in failed and not self._state(host).unreachable]
            for host in rescued:
                self._state(host).failed = False
                self._progress.stopped.pop(host, None)
            failed = (failed - set(rescued)) | self.walk(block.rescue, rescued, guarded=guarded)
        if block.always:
            # a failed host still goes through always, and is out of the play again behind it
            through = [host for host in hosts if not self._state(host).unreachable and not self._state(host).ended]
            was_failed = [host for host in through if self._state(host).failed]
            for host in was_failed:
                self._state(host).failed = False
            failed |= self.walk(block.always, through, guarded=guarded)
            for host in was_failed:
                self._state(host).failed = True
        return failed

    def _step(self, task: Task, hosts: list[str], *, guarded: bool) -> set[str]:
        if not self._runs(task.keywords.tags) or not self._started(task):
            return set()
        hosts = [host for host in hosts if not self._done_before(task, host)]
        if not hosts:
            return set()
        if task.action == "meta":
            return self._steer(task, hosts)
        if task.action in ("include_tasks", "include_role"):
            return self._include(task, hosts, guarded=guarded)
        return self._task(task, hosts, guarded=guarded)

    def _started(self, task: Task) -> bool:
        """`--start-at-task`: everything before the named task is passed over."""
        wanted = self._progress.start_at
        if wanted is None:
            return True
        role = f"{task.role.name} : " if task.role is not None else ""
        if task.name == wanted or f"{role}{task.name}" == wanted:
            self._progress.start_at = None
            return True
        return False

    def _done_before(self, task: Task, host: str) -> bool:
        """A role that has run on the host is not run again, unless it allows it or is asked for otherwise."""
        role = task.role
        return role is not None and not role.allow_duplicates and bool(role.key) and role.key in self._state(host).roles_done

    def _task(self, task: Task, hosts: list[str], *, guarded: bool) -> set[str]:
        if not hosts:
            return set()
        results = self._runner.run(task, hosts, guarded=guarded)
        return self._after(task, results, guarded=guarded)

    def _after(self, task: Task, results: dict[str, Result], *, guarded: bool) -> set[str]:
        """Notifications, and what failures mean for the others."""
        for host, result in results.items():
            if result.changed and not result.failed:
                self._notify(task, host, result)
        failed = {host for host in results if self._state(host).failed or self._state(host).unreachable}
        add_to_inventory(self._bench.play, results)
        if failed and self._fatal(task, results, guarded=guarded):
            return failed | self._stop_all("any_errors_fatal: a host has failed")
        percentage = self._play.max_fail_percentage
        if failed and percentage is not None and not guarded:
            out = sum(1 for host in self._hosts if self._state(host).failed)
            if too_many(out, len(self._hosts), float(self._bench.play.templar(self._hosts[0]).render(percentage))):
                self._progress.broken = True
                failed |= self._stop_all("max_fail_percentage: too many hosts have failed")
        return failed

    def _fatal(self, task: Task, results: dict[str, Result], *, guarded: bool) -> bool:
        """Whether one host's failure is everybody's; what a rescue can still mend ends no play."""
        fatal = task.keywords.any_errors_fatal
        if fatal is None or fatal is False:
            return False
        everybody = fatal is True or truth(
            self._bench.play.templar(next(iter(results)), task).render(fatal), "any_errors_fatal", task.source
        )
        if everybody and not guarded:
            self._progress.broken = True
        return everybody

    def _stop_all(self, reason: str) -> set[str]:
        stopped = set(self.active())
        for host in stopped:
            self._state(host).failed = True
            self._progress.stopped[host] = reason
            self._bench.emit(HostStopped(time.time(), host, reason))
        return stopped

    def _notify(self, task: Task, host: str, result: Result) -> None:
        if not task.notify:
            return
        entries = result.values.get("results")
        extras: list[dict[str, Any]] = [{}]
        if task.loop is not None and isinstance(entries, list):
            extras = [{task.loop.loop_var: entry.get(task.loop.loop_var)} for entry in entries if isinstance(entry, dict)]
        names: dict[str, None] = {}
        for extra in extras:
            templar = self._bench.play.templar(host, task, extra)
            for name in task.notify:
                rendered = templar.render(name, source=task.source)
                names.update(dict.fromkeys(str(one) for one in (rendered if isinstance(rendered, list) else [rendered])))
        for name in names:
            for title in self._handlers.notify(name, host, task):
                self._bench.emit(HandlerNotified(time.time(), 0, host, title))

    def _include(self, task: Task, hosts: list[str], *, guarded: bool) -> set[str]:
        number = self._runner.begin(task, hosts)
        wishes, others = self._includer.wishes(task, hosts[:1] if self._runner.once(task, hosts) else hosts)
        for host, result in others.items():
            self._runner.take(task, number, host, result, 0.0, guarded=guarded)
        failed = {host for host in others if self._state(host).failed}
        for wish in wishes:
            try:
                included = self._includer.load(task, wish, handlers=False)
            except RingupError as error:
                # what would have run is not known, so that ignore_errors cannot go on with it
                strict = replace(task, keywords=replace(task.keywords, ignore_errors=None))
                for host in wish.hosts:
                    self._runner.take(strict, number, host, Result(failure(error)), 0.0, guarded=guarded)
                failed |= {host for host in wish.hosts if self._state(host).failed}
                continue
            self._bench.emit(FileIncluded(time.time(), number, wish.shown, tuple(wish.hosts)))
            for host in wish.hosts:
                done = Result({"changed": False, "include": wish.shown})
                self._recap.ended(host, done, ignored=False, rescued=False)
                self._bench.emit(TaskEnded(time.time(), number, host, done, 0.0))
            if included.handlers:
                self._handlers.add(included.handlers)
            if included.roles:
                self._bench.play.publish(included.roles)
            failed |= self.walk(included.steps, wish.hosts, guarded=guarded)
            if task.action == "include_role":
                self._close({step.role.key for step in included.steps if step.role is not None and step.role is not task.role})
        return failed

    def flush(self) -> None:
        """Run the notified handlers, in the order they are defined, each once for the hosts that notified it."""
        for notified in self._handlers.all():
            if not notified.hosts:
                continue
            forced = self._bench.request.force_handlers or truth(self._play.force_handlers, "force_handlers", self._play.source)
            hosts = [host for host in notified.hosts if self._may_handle(host, forced=forced)]
            notified.hosts.clear()
            if not hosts:
                continue
            failed_before = [host for host in hosts if self._state(host).failed]
            for host in failed_before:
                self._state(host).failed = False
            self._handle(notified.handler, hosts)
            for host in failed_before:
                self._state(host).failed = True
        for notified in self._handlers.all():
            # a failed host had its chance: what its handlers have notified again is not run
            for host in [host for host in notified.hosts if self._state(host).failed]:
                del notified.hosts[host]

    def _may_handle(self, host: str, *, forced: bool) -> bool:
        state = self._state(host)
        return bool(host in self._hosts and not state.unreachable and not state.ended and (forced or not state.failed))

    def _handle(self, handler: Task, hosts: list[str]) -> None:
        if handler.action in ("include_tasks", "include_role"):
            self._include(handler, hosts, guarded=False)
            return
        if handler.action == "meta":
            self._steer(handler, hosts)
            return
        results = self._runner.run(handler, hosts, guarded=False, handler=True)
        self._after(handler, results, guarded=False)

    def _steer(self, task: Task, hosts: list[str]) -> set[str]:
        """A meta task: for the hosts whose conditions hold."""
        what = str(task.args.get("free_form"))
        for_hosts = []
        for host in hosts:
            templar = self._bench.play.templar(host, task)
            try:
                if all(templar.evaluate(condition, source=task.source) for condition in task.keywords.when):
                    for_hosts.append(host)
            except RingupError as error:
                number = self._runner.begin(task, [host])
                self._runner.take(task, number, host, Result(failure(error)), 0.0, guarded=False)
        if for_hosts:
            self._meta[what](task, for_hosts)
        return {host for host in hosts if self._state(host).failed}

    def _end_host(self, task: Task, hosts: list[str]) -> None:
        for host in hosts:
            self._state(host).ended = True

    def _end_batch(self, task: Task, hosts: list[str]) -> None:
        self._end_host(task, self.active())

    def _end_play(self, task: Task, hosts: list[str]) -> None:
        self._progress.play_ended = True

    def _end_role(self, task: Task, hosts: list[str]) -> None:
        if task.role is not None and task.role.key:
            for host in hosts:
                self._state(host).roles_done.add(task.role.key)

    def _clear_facts(self, task: Task, hosts: list[str]) -> None:
        for host in hosts:
            self._state(host).forget_facts()

    def _clear_errors(self, task: Task, hosts: list[str]) -> None:
        """The hosts are back in the next play, not in this one."""
        for host in self._hosts:
            state = self._state(host)
            if state.failed or state.unreachable:
                state.failed = state.unreachable = False
                state.ended = True

    def _reset_connections(self, task: Task, hosts: list[str]) -> None:
        for host in hosts:
            connection = self._bench.connections.get(
                self._bench.connections.settings(host, self._bench.play.templar(host), implicit_local=False)
            )
            connection.drop()
            self._bench.connections.unlock(connection)
