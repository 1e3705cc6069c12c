"""Tasks that come while the play runs: include_tasks and include_role, once for all hosts that ask for the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ringup.agent.arguments import ArgumentError, parse
from ringup.engine.execute import Bench, failure, skipped
from ringup.engine.loops import gathered, loop_items, loop_variables
from ringup.errors import RingupError, TemplateError
from ringup.playbook import Included, Vocabulary, find_tasks_file, load_role, load_tasks
from ringup.playbook.values import Task
from ringup.results import Result
from ringup.templating import OMIT


@dataclass
class Wish:
    """One include as some hosts ask for it: rendered arguments, and the variables that come with it."""

    given: dict[str, Any]
    params: dict[str, Any]
    hosts: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return str(self.given.get("file") or self.given.get("name"))


class Includer:
    """Finds out what hosts ask for, and loads it.

    Args:
        bench: of the play.
        vocabulary: of the run.
    """

    def __init__(self, bench: Bench, vocabulary: Vocabulary) -> None:
        self._bench = bench
        self._vocabulary = vocabulary

    def wishes(self, task: Task, hosts: list[str]) -> tuple[list[Wish], dict[str, Result]]:
        """What the hosts ask for, equal wishes together, in order; and the results of those that ask for nothing."""
        found: list[Wish] = []
        others: dict[str, Result] = {}
        for host in hosts:
            try:
                own = self._of_host(task, host)
            except RingupError as error:
                others[host] = Result(failure(error))
                continue
            if own is None:
                others[host] = Result(skipped("Conditional result was False"))
            elif not own:
                others[host] = Result(gathered([]))
            for given, params in own or ():
                same = next((wish for wish in found if wish.given == given and wish.params == params), None)
                if same is None:
                    same = Wish(given, params)
                    found.append(same)
                same.hosts.append(host)
        return found, others

    def _of_host(self, task: Task, host: str) -> list[tuple[dict[str, Any], dict[str, Any]]] | None:
        templar = self._bench.play.templar(host, task)
        if task.loop is None:
            one = self._one(task, host, {})
            return None if one is None else [one]
        items = loop_items(task.loop, templar, task)
        asked = []
        for number, item in enumerate(items):
            one = self._one(task, host, loop_variables(task.loop, items, number, item))
            if one is not None:
                asked.append(one)
        return asked if asked or not items else None

    def _one(self, task: Task, host: str, extra: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
        templar = self._bench.play.templar(host, task, extra)
        if not all(templar.evaluate(condition, source=task.source) for condition in task.keywords.when):
            return None
        # what applies to the included tasks is rendered by them
        given = {name: value if name == "apply" else templar.render(value, source=task.source) for name, value in task.args.items()}
        own = {name: value for name, value in task.keywords.vars.items() if task.inherited.vars.get(name) is not value}
        return {name: value for name, value in given.items() if value is not OMIT}, {**own, **extra}

    def load(self, task: Task, wish: Wish, *, handlers: bool) -> Included:
        """The steps of an include.

        Raises:
            InputError: they cannot be read.
        """
        spec = self._bench.specs[task.action]
        try:
            args = parse(spec.args, wish.given)
        except ArgumentError as error:
            raise TemplateError(f"{task.action}: {error.message}", where=task.source, hint=error.hint) from None
        folder = self._bench.play.play.folder
        apply: Mapping[str, Any] | None = wish.given.get("apply")
        if task.action == "include_tasks":
            path = find_tasks_file(args.file, task, folder, handlers=handlers)
            return load_tasks(path, task, self._vocabulary, playbook_folder=folder, params=wish.params, apply=apply, handlers=handlers)
        sections = {name: getattr(args, f"{name}_from") for name in ("tasks", "vars", "defaults", "handlers")}
        return load_role(
            args.name,
            task,
            self._vocabulary,
            playbook_folder=folder,
            params=wish.params,
            apply=apply,
            from_files={name: file for name, file in sections.items() if file != "main"},
            public=args.public,
            allow_duplicates=args.allow_duplicates,
            validate=args.rolespec_validate,
        )
