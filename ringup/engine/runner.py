"""A run: everything is loaded and checked, then plays are run over their hosts, and the end is told whatever it was."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ringup.actions.words import vocabulary
from ringup.engine.batches import batches, ordered
from ringup.engine.execute import Bench
from ringup.engine.handlers import Handlers
from ringup.engine.includes import Includer
from ringup.engine.interrupt import Interrupt
from ringup.engine.play import BatchRun, Progress
from ringup.engine.reach import Connections
from ringup.engine.recap import Recap, exit_code
from ringup.engine.request import Outcome, PlaybookRequest
from ringup.engine.tasks import TaskRunner, plain_steps
from ringup.engine.variables import PlayVariables, RunVariables
from ringup.errors import InputError, UsageError
from ringup.events import Event, Listener, PlaySkipped, PlayStarted, RunEnded, RunStarted, WarningIssued
from ringup.inventory import Inventory, load_inventory
from ringup.playbook import Vocabulary, load_playbook, selected
from ringup.playbook.values import Play, Playbook
from ringup.templating import OMIT
from ringup.yamlfile import load_yaml

#: more threads than this help nobody: one process speaks with so many hosts at once
MOST_FORKS = 128
INTERRUPTED = 99


def run_playbooks(request: PlaybookRequest, listeners: Sequence[Listener], ask: Callable[[str, bool], str] | None = None) -> Outcome:
    """Run playbooks.

    Everything that can be judged is judged before the first host is touched.

    Args:
        listeners: hear every event, one at a time.
        ask: shows a prompt to a person; None when nobody is there.
    Raises:
        RingupError: a file, an option or a pattern is wrong; no host has been touched.
    """
    decrypt = request.vault.text if request.vault else None
    inventory = load_inventory(request.inventory, decrypt=decrypt)
    words = vocabulary(request.roles_path, request.extra_vars, decrypt)
    playbooks = [load_playbook(path, words) for path in request.playbooks]
    run = Run(request, inventory, words, listeners, ask)
    run.check(playbooks)
    return run.go(playbooks)


class Run:
    """One run, from its first play to its recap."""

    def __init__(
        self,
        request: PlaybookRequest,
        inventory: Inventory,
        words: Vocabulary,
        listeners: Sequence[Listener],
        ask: Callable[[str, bool], str] | None,
    ) -> None:
        self._request = request
        self._words = words
        self._listeners = listeners
        self._id = uuid.uuid4().hex[:12]
        self._guard = threading.Lock()
        self._recap = Recap()
        self._progress = Progress(start_at=request.start_at)
        flags = {
            "ansible_check_mode": request.check,
            "ansible_diff_mode": request.diff,
            "ansible_forks": request.forks or MOST_FORKS,
            "ansible_run_tags": sorted(request.tags) or ["all"],
            "ansible_skip_tags": sorted(request.skip_tags),
            "ansible_limit": request.limit,
        }
        self._variables = RunVariables(inventory, request.extra_vars, request.vault, flags)
        self._interrupt = Interrupt()
        self._ask = self._interrupt.prompting(ask) if ask is not None else None
        self._connections = Connections(request, self._id, self._interrupt)

    def emit(self, event: Event) -> None:
        """Tell the listeners, one event at a time."""
        with self._guard:
            for listener in self._listeners:
                listener.on(event)

    def check(self, playbooks: Sequence[Playbook]) -> None:
        """Patterns and limits, before any host is touched.

        Raises:
            InputError, UsageError: a pattern is malformed, or the limit leaves no host at all.
        """
        patterns = [(play, str(play.hosts)) for playbook in playbooks for play in playbook.plays if "{{" not in str(play.hosts)]
        matched = [bool(self._match(play)) for play, _ in patterns]
        if self._request.limit is not None and patterns and not any(matched):
            raise UsageError(
                "no host of the plays is within the limit", where=f"--limit {self._request.limit}", hint="see: ringup inventory"
            )

    def _pattern(self, play: Play) -> str:
        pattern = str(play.hosts)
        if "{{" in pattern:
            pattern = str(PlayVariables(self._variables, play, (), []).templar("localhost").render(pattern, source=play.source))
        return pattern

    def _match(self, play: Play) -> tuple[str, ...]:
        return self._variables.inventory.match(self._pattern(play), limit=self._request.limit, source=play.source)

    def _nobody(self, play: Play) -> None:
        """A play without hosts is passed over, as Ansible does; a pattern that names nothing is said, with the nearest name."""
        pattern = self._pattern(play)
        unmatched = self._variables.inventory.select(pattern, source=play.source).unmatched
        if unmatched and self._request.limit is None:
            problem = self._variables.inventory.unmatched(unmatched[0], play.source)
            hint = f" ({problem.hint})" if problem.hint else ""
            self.emit(WarningIssued(time.time(), problem.message + hint, play.source))
        self.emit(PlaySkipped(time.time(), play.name, f"no host matches '{pattern}'"))

    def go(self, playbooks: Sequence[Playbook]) -> Outcome:
        """Run the plays; the recap is told even when an interrupt ends them."""
        begin = time.monotonic()
        self.emit(
            RunStarted(time.time(), self._id, tuple(str(playbook.path) for playbook in playbooks), self._request.check, self._request.diff)
        )
        problem: InputError | None = None
        pool = ThreadPoolExecutor(self._request.forks or MOST_FORKS, thread_name_prefix="host")
        impatient = False
        with self._interrupt.heard(self._told_to_end(), self._connections.close):
            try:
                for playbook in playbooks:
                    for play in playbook.plays:
                        if not self._progress.broken and not self._interrupt.asked:
                            self._play(play, pool)
                self._look_back()
            except KeyboardInterrupt:
                # asked once: a task saw it; twice: nobody is waited for
                impatient = True
            except InputError as error:
                problem = error
            finally:
                pool.shutdown(wait=not impatient, cancel_futures=True)
                self._connections.close()
        interrupted = self._interrupt.asked
        counts = self._recap.counts()
        code = INTERRUPTED if interrupted else 1 if problem else exit_code(self._variables.states.values(), stopped=self._progress.broken)
        self.emit(RunEnded(time.time(), self._id, counts, code, time.monotonic() - begin, interrupted, dict(self._progress.stopped)))
        if problem is not None:
            # hosts have been touched: this is no longer a file refused before the run
            problem.exit_code = code
            raise problem
        return Outcome(self._id, code, counts, interrupted)

    def _look_back(self) -> None:
        """A run that never came to the task it was to begin with has done nothing, and says so; the exit code is 0, as Ansible's."""
        wanted = self._progress.start_at
        if wanted is not None:
            message = f"there is no task '{wanted}', so nothing was run (tasks of include_tasks and include_role cannot be begun with)"
            self.emit(WarningIssued(time.time(), message, "--start-at-task"))

    def _told_to_end(self) -> Callable[[], None]:
        """Asks all tasks in hand to end; says so the first time."""
        said = threading.Event()

        def tell() -> None:
            if not said.is_set():
                said.set()
                self.emit(WarningIssued(time.time(), "interrupted: tasks in hand are being ended; once more to leave without them"))
            self._connections.cancel()

        return tell

    def _play(self, play: Play, pool: ThreadPoolExecutor) -> None:
        hosts = ordered(self._match(play), play.order if isinstance(play.order, str) else None)
        for host in hosts:
            state = self._variables.state(host)
            state.ended = False
            state.roles_begun.clear()
            state.roles_done.clear()
        if not hosts:
            self._nobody(play)
            return
        alive = [host for host in hosts if self._variables.state(host).active]
        if not alive:
            return
        batch: list[str] = []
        variables = PlayVariables(self._variables, play, hosts, batch)
        self._prompt(play, variables)
        bench = Bench(self._request, variables, self._connections, self._words.specs, self.emit, self._ask)
        tasks = plain_steps(
            [*play.pre_tasks, *(step for use in play.roles for step in use.steps), *play.tasks, *play.post_tasks],
            lambda task: int(selected(task.keywords.tags, self._request.tags, self._request.skip_tags)),
        )
        self.emit(PlayStarted(time.time(), play.name, tuple(alive), tasks + bool(play.gather_facts)))
        serial = variables.templar(alive[0]).render(list(play.serial), source=play.source)
        flat = [size for entry in serial for size in (entry if isinstance(entry, list) else [entry])]
        self._progress.play_ended = False
        for cut in batches(alive, flat):
            batch[:] = cut
            for host in cut:
                self._recap.see(host)
            self._read_vars_files(play, variables, cut)
            self._batch(play, bench, pool, cut)
            if all(not self._variables.state(host).active and not self._variables.state(host).ended for host in cut):
                self._progress.broken = True
            if self._progress.broken or self._progress.play_ended:
                break

    def _batch(self, play: Play, bench: Bench, pool: ThreadPoolExecutor, hosts: list[str]) -> None:
        runner = TaskRunner(bench, pool, self._recap)
        sources = [*(use.handlers for use in play.roles), play.handlers]
        handlers = Handlers(sources, lambda task: runner.title(task, hosts[0]))
        BatchRun(bench, runner, Includer(bench, self._words), handlers, self._progress, self._recap, hosts).run()

    def _prompt(self, play: Play, variables: PlayVariables) -> None:
        """vars_prompt: asked unless given by -e.

        Raises:
            UsageError: nobody is there to ask.
        """
        for wish in play.vars_prompt:
            name = str(wish["name"])
            if name in self._variables.extra:
                continue
            if self._ask is None:
                if "default" not in wish:
                    raise UsageError(f"the play asks for '{name}' and nobody is there", where=play.source, hint=f"give it: -e {name}=...")
                variables.prompted[name] = wish["default"]
                continue
            answer = self._ask(str(wish.get("prompt") or name), bool(wish.get("private", True)))
            variables.prompted[name] = answer or wish.get("default", "")

    def _read_vars_files(self, play: Play, variables: PlayVariables, hosts: Sequence[str]) -> None:
        """vars_files, whose names may differ by host; the first that exists of a list of alternatives.

        Raises:
            InputError: none of them exists.
        """
        if not play.vars_files:
            return
        for host in hosts:
            loaded: dict[Path, Mapping[str, Any]] = {}
            for entry in play.vars_files:
                path = self._vars_file(play, variables, host, entry if isinstance(entry, tuple) else (entry,))
                values = load_yaml(path)
                if values is not None and not isinstance(values, Mapping):
                    raise InputError(f"{path} holds no mapping of variables", where=play.source, hint="write name: value")
                loaded[path] = values or {}
            variables.read_files(host, loaded)

    def _vars_file(self, play: Play, variables: PlayVariables, host: str, names: Sequence[Any]) -> Path:
        rendered = [variables.templar(host).render(name, source=play.source) for name in names]
        places = [place for name in rendered if name is not OMIT for place in (play.folder / str(name), play.folder / "vars" / str(name))]
        for place in places:
            if place.is_file():
                return place
        looked = ", ".join(str(place) for place in places)
        raise InputError(f"there is no file of variables {', '.join(map(str, rendered))}", where=play.source, hint=f"looked for {looked}")
