"""One task on one host: loop list, then per item delegate, when, arguments, run, changed_when, failed_when, until."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import ArgumentError, parse
from ringup.engine.loops import gathered, loop_items, loop_variables
from ringup.engine.reach import BatchFleet, Connections, Rights, TaskReach, unreachable_result
from ringup.engine.request import PlaybookRequest
from ringup.engine.truth import truth
from ringup.engine.variables import PlayVariables
from ringup.errors import ConnectionFailed, RingupError, TemplateError, UndefinedVariable
from ringup.events import Event, ItemEnded, RetryStarted, TaskProgressed
from ringup.playbook.values import Loop, Task
from ringup.results import Result
from ringup.templating import OMIT, Templar
from ringup.transport.connection import HostConnection

DEFAULT_RETRIES = 3
DEFAULT_DELAY_S = 5.0
HIDDEN = "the output has been hidden due to the fact that 'no_log: true' was specified for this result"


@dataclass(frozen=True, slots=True)
class Bench:
    """What tasks are executed with, the same for all tasks of a play.

    Attributes:
        specs: modules and actions by name.
        emit: sends an event.
        ask: shows a prompt to a person, or None.
    """

    request: PlaybookRequest
    play: PlayVariables
    connections: Connections
    specs: Mapping[str, Any]
    emit: Callable[[Event], None]
    ask: Callable[[str, bool], str] | None = None


class HostTask:
    """A task on a host.

    Args:
        bench: of the play.
        task, task_id, host: what, and where.
    """

    def __init__(self, bench: Bench, task: Task, task_id: int, host: str) -> None:
        self._bench = bench
        self._task = task
        self._id = task_id
        self._host = host
        self._wait = bench.connections.interrupt.wait

    def run(self) -> Result:
        """Do it. A task's own failure is in the result; nothing is raised but interrupts and faults of ours."""
        try:
            values = self._item(None, {}) if self._task.loop is None else self._looped(self._task.loop)
        except RingupError as error:
            values = failure(error)
        except Exception as fault:  # noqa: BLE001  # a fault of ours on one host must not take the others' run with it
            values = {"failed": True, "changed": False, "msg": f"fault in ringup: {type(fault).__name__}: {fault}", **traced(fault)}
        return Result(values, self._hidden(values))

    def _hidden(self, values: Mapping[str, Any]) -> bool:
        if values.get("_ansible_no_log"):
            return True
        try:
            return truth(self._templar({}).render(self._task.keywords.no_log), "no_log")
        except RingupError:
            # what cannot be decided is not shown
            return True

    def _templar(self, extra: Mapping[str, Any]) -> Templar:
        return self._bench.play.templar(self._host, self._task, extra)

    def _looped(self, loop: Loop) -> dict[str, Any]:
        items = self._items(loop)
        if items is None:
            return skipped("Conditional result was False")
        results = []
        # what one item sets, the next one sees: a list may be built up by set_fact in a loop
        facts: dict[str, Any] = {}
        for number, item in enumerate(items):
            extra = {**facts, **loop_variables(loop, items, number, item)}
            if number and loop.pause_s:
                self._wait(float(self._templar(extra).render(loop.pause_s)))
            results.append(self._looped_item(loop, item, extra))
            facts.update(results[-1].get("ansible_facts") or {})
        return gathered(results)

    def _looped_item(self, loop: Loop, item: Any, extra: dict[str, Any]) -> dict[str, Any]:
        try:
            values = self._item(loop, extra)
        except RingupError as error:
            values = failure(error)
        self._remember(values)
        values[loop.loop_var] = item
        values["ansible_loop_var"] = loop.loop_var
        if loop.index_var:
            values["ansible_index_var"] = loop.index_var
            values[loop.index_var] = extra[loop.index_var]
        result = Result(values, self._hidden(values))
        self._bench.emit(ItemEnded(time.time(), self._id, self._host, self._label(loop, item, extra, hidden=result.no_log), result))
        return values

    def _remember(self, values: Mapping[str, Any]) -> None:
        """The next item sees what set_fact and include_vars gave for this one: lists can be built item by item."""
        facts = values.get("ansible_facts")
        if not isinstance(facts, Mapping) or self._task.keywords.delegate_facts:
            return
        state = self._bench.play.run.state(self._host)
        if self._task.action == "set_fact":
            state.known = {**state.known, **facts}
        elif self._task.action == "include_vars":
            state.included = {**state.included, **facts}

    def _label(self, loop: Loop, item: Any, extra: Mapping[str, Any], *, hidden: bool) -> str:
        if hidden:
            return "(hidden)"
        try:
            return str(self._templar(extra).render(loop.label)) if loop.label is not None else str(item)
        except RingupError:
            return str(item)

    def _items(self, loop: Loop) -> list[Any] | None:
        """The items; None when the task's condition is false and the list cannot be had."""
        templar = self._templar({})
        try:
            return loop_items(loop, templar, self._task)
        except TemplateError:
            # an undefined list does not matter to a task that is not run
            if not self._holds(templar):
                return None
            raise

    def _holds(self, templar: Templar) -> bool:
        return all(templar.evaluate(condition, source=self._task.source) for condition in self._task.keywords.when)

    def _item(self, loop: Loop | None, extra: dict[str, Any]) -> dict[str, Any]:
        templar = self._templar(extra)
        for condition in self._task.keywords.when:
            if not templar.evaluate(condition, source=self._task.source):
                return skipped("Conditional result was False", condition)
        if self._task.until is None and self._task.retries is None:
            return self._attempt(templar, extra)
        return self._until(templar, extra)

    def _until(self, templar: Templar, extra: dict[str, Any]) -> dict[str, Any]:
        retries = int(templar.render(self._task.retries)) if self._task.retries is not None else DEFAULT_RETRIES
        delay = float(templar.render(self._task.delay)) if self._task.delay is not None else DEFAULT_DELAY_S
        retries, delay = max(0, retries), delay if delay >= 0 else 1.0
        values: dict[str, Any] = {}
        for attempt in range(1, retries + 2):
            values = self._attempt(templar, extra)
            if values.get("unreachable") or values.get("timedout"):
                return values
            values["attempts"] = attempt
            if self._satisfied(values, extra):
                return values
            if attempt <= retries:
                self._bench.emit(RetryStarted(time.time(), self._id, self._host, attempt, retries))
                self._wait(delay)
        if retries:
            values["attempts"] = retries
            values["failed"] = True
            values.setdefault("msg", "the condition of until was not met")
        else:
            values.pop("attempts")
        return values

    def _satisfied(self, values: dict[str, Any], extra: Mapping[str, Any]) -> bool:
        if self._task.until is None:
            return not values.get("failed")
        templar = self._with_result(values, extra)
        return all(templar.evaluate(condition, source=self._task.source) for condition in self._task.until)

    def _with_result(self, values: Mapping[str, Any], extra: Mapping[str, Any]) -> Templar:
        """Variables in which the result is seen under its registered name (and its facts, as the task itself will leave them)."""
        added = dict(extra)
        if self._task.register:
            added[self._task.register] = values
        return self._templar(added)

    def _attempt(self, templar: Templar, extra: dict[str, Any]) -> dict[str, Any]:
        """Run it once and judge what came."""
        try:
            values = self._performed(templar, extra)
        except ConnectionFailed as error:
            return unreachable_result(error)
        finish(values)
        if values.get("skipped"):
            return values
        self._judge(values, extra)
        return values

    def _judge(self, values: dict[str, Any], extra: Mapping[str, Any]) -> None:
        """changed_when, then failed_when, which sees what changed_when has set."""
        for key, conditions in (("changed", self._task.changed_when), ("failed", self._task.failed_when)):
            if conditions is None:
                continue
            templar = self._with_result(values, extra)
            try:
                values[key] = all(templar.evaluate(condition, source=self._task.source) for condition in conditions)
            except RingupError as error:
                values.update(failed=True, msg=error.message, **{f"{key}_when_result": error.message})
                return
            if key == "failed":
                values["failed_when_result"] = values["failed"]

    def _performed(self, templar: Templar, extra: dict[str, Any]) -> dict[str, Any]:
        spec = self._bench.specs[self._task.action]
        given = self._arguments(templar, spec)
        delegate = self._delegate(templar)
        reach = self._reach(templar, delegate, extra)
        if getattr(spec, "kind", "") in ("action", "flow") and spec.run is not None:
            return dict(spec.run(self._action_call(spec, given, templar, reach, delegate, extra)).values)
        return reach(self._task.action, given)

    def _arguments(self, templar: Templar, spec: Any) -> dict[str, Any]:
        """The rendered arguments, `omit` dropped, `module_defaults` beneath."""
        written = {**self._task.keywords.module_defaults.get(self._task.action, {}), **self._task.args}
        if self._task.args_template is not None:
            more = templar.render(self._task.args_template, source=self._task.source)
            written = {**(more if isinstance(more, Mapping) else {}), **written}
        rendered = {name: templar.render(value, source=self._task.source) for name, value in written.items()}
        return {name: value for name, value in rendered.items() if value is not OMIT}

    def _delegate(self, templar: Templar) -> str | None:
        delegate = self._task.keywords.delegate_to
        if delegate is None:
            return None
        rendered = templar.render(delegate, source=self._task.source)
        return None if rendered is OMIT or not rendered else str(rendered)

    def connection(
        self, host: str, templar: Templar | None = None, extra: Mapping[str, Any] | None = None, *, delegated: bool = False
    ) -> HostConnection:
        """The connection of a host of the inventory, or of one that only its name is known of."""
        inventory = self._bench.play.run.inventory
        known = host in inventory.hosts
        local = not known and host in ("localhost", "127.0.0.1", "::1")
        if templar is None:
            templar = self._bench.play.templar(host, self._task if known else None, extra)
        keywords = None if delegated else self._task.keywords
        settings = self._bench.connections.settings(host, templar, implicit_local=local, keywords=keywords)
        return self._bench.connections.get(settings)

    def _reach(self, templar: Templar, delegate: str | None, extra: Mapping[str, Any]) -> TaskReach:
        connection = self.connection(self._host, templar) if delegate is None else self.connection(delegate, None, extra, delegated=True)
        keywords, request = self._task.keywords, self._bench.request
        check = keywords.check_mode
        diff = keywords.diff
        return TaskReach(
            self._bench.connections,
            connection,
            self._rights(templar, delegate, extra),
            check=request.check if check is None else truth(templar.render(check), "check_mode", self._task.source),
            diff=request.diff if diff is None else truth(templar.render(diff), "diff", self._task.source),
            environment=self._environment(templar),
            timeout_s=float(templar.render(keywords.timeout)) or None if keywords.timeout is not None else None,
            progress=lambda line: self._bench.emit(TaskProgressed(time.time(), self._id, self._host, line)),
        )

    def _rights(self, templar: Templar, delegate: str | None, extra: Mapping[str, Any]) -> Rights:
        """Whom the task becomes: the variables of the host it runs on win over keywords, those over the command line."""
        keywords, request = self._task.keywords, self._bench.request
        variables = templar.variables if delegate is None else self._bench.play.of(delegate, self._task, extra)
        own = templar if delegate is None else self._bench.play.templar(delegate, self._task, extra)

        def say(name: str, keyword: Any, default: Any) -> Any:
            value = variables.get(name, keyword)
            return default if value is None else own.render(value, source=self._task.source)

        become = say("ansible_become", keywords.become, request.become)
        if isinstance(become, str):
            become = become.strip().lower() in ("yes", "true", "on", "1", "y", "t")
        if not become:
            return Rights()
        return Rights(str(say("ansible_become_user", keywords.become_user, request.become_user or "root")))

    def _environment(self, templar: Templar) -> dict[str, str]:
        merged: dict[str, str] = {}
        for entry in self._task.keywords.environment:
            rendered = templar.render(entry, source=self._task.source)
            if isinstance(rendered, Mapping):
                merged.update({str(name): str(value) for name, value in rendered.items() if value is not OMIT})
        return merged

    def _action_call(
        self, spec: Any, given: dict[str, Any], templar: Templar, reach: TaskReach, delegate: str | None, extra: Mapping[str, Any]
    ) -> ActionCall:
        try:
            args = parse(spec.args, given)
        except ArgumentError as error:
            raise TemplateError(f"{self._task.action}: {error.message}", where=self._task.source, hint=error.hint) from None
        role = self._task.role
        fleet = BatchFleet(
            self._bench.play,
            self._task,
            lambda host: self._reach(self._bench.play.templar(host, self._task, extra), None if host == self._host else host, extra),
            lambda host: self.connection(host).local_address(),
        )
        check = self._task.keywords.check_mode
        return ActionCall(
            host=self._host,
            action=self._task.action,
            args=args,
            given=given,
            variables=templar.variables,
            templar=templar,
            folder=self._task.folder,
            playbook_folder=self._bench.play.play.folder,
            task_id=self._id,
            module=reach,
            connection=reach,
            fleet=fleet,
            emit=self._bench.emit,
            wait=self._wait,
            ask=self._bench.ask,
            role_path=role.path if role is not None else None,
            check=self._bench.request.check if check is None else truth(templar.render(check), "check_mode", self._task.source),
            diff=self._bench.request.diff,
            no_log=truth(templar.render(self._task.keywords.no_log), "no_log", self._task.source),
            timeout_s=None,
            parent_roles=tuple(role.parent_paths[::-1]) if role is not None else (),
            written={**self._task.keywords.module_defaults.get(self._task.action, {}), **self._task.args},
        )


def failure(error: RingupError) -> dict[str, Any]:
    """An error as the result of the task that met it."""
    if isinstance(error, ConnectionFailed):
        return unreachable_result(error)
    place = f"{error.where}: " if error.where is not None and not isinstance(error.where, str) else ""
    values: dict[str, Any] = {"failed": True, "changed": False, "msg": f"{place}{error.message}"}
    if error.hint:
        values["hint"] = error.hint
    if isinstance(error, UndefinedVariable):
        values["undefined"] = True
    return values


def traced(fault: Exception) -> dict[str, Any]:
    """Where a fault of ours came from, for whoever mends it; Ansible's key."""
    return {"exception": "".join(traceback.format_exception(fault))}


def skipped(reason: str, condition: Any = None) -> dict[str, Any]:
    values = {"changed": False, "skipped": True, "skip_reason": reason}
    return values if condition is None else {**values, "false_condition": condition}


def finish(values: dict[str, Any]) -> None:
    """What every result has: lines beside texts, and a failure where a program said so by its exit code."""
    for name in ("stdout", "stderr"):
        if name in values and f"{name}_lines" not in values:
            values[f"{name}_lines"] = str(values[name]).splitlines()
    if "failed" not in values:
        values["failed"] = values.get("rc", 0) not in (0, None)
    values.setdefault("changed", False)
