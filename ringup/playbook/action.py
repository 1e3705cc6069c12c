"""What a task does: finds its module, brings its arguments into one form, and judges all that can be judged before a host is touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ringup.agent.arguments import ArgumentError, Option, check_names, parse_value
from ringup.agent.failure import ModuleFailure
from ringup.agent.modes import parse_mode
from ringup.errors import InputError, PlaybookError
from ringup.playbook import freeform
from ringup.playbook.keywords import unknown_keyword
from ringup.playbook.kinds import described, templated
from ringup.playbook.vocabulary import Spec, Vocabulary
from ringup.source import Source
from ringup.yamlfile import SourcedList, SourcedMap, UnsafeText, VaultedText

#: options that name a file's mode may also say this
PRESERVE = "preserve"


@dataclass(frozen=True, slots=True)
class Action:
    """A module with its arguments.

    Attributes:
        template: a template that gives more arguments.
        delegate_to: of `local_action`.
        places: where each option was written.
    """

    spec: Spec
    args: Mapping[str, Any]
    source: Source
    template: str | None = None
    delegate_to: str | None = None
    places: Mapping[str, Source] = field(default_factory=dict)


@dataclass(slots=True)
class _Written:
    """The arguments of a task while they are gathered from its parts."""

    args: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Source] = field(default_factory=dict)
    template: str | None = None

    def add(self, given: Mapping[str, Any], where: Source) -> None:
        self.args.update(given)
        for name in given:
            self.places[name] = given.value_source(name) if isinstance(given, SourcedMap) else where


def find_action(task: SourcedMap, known: Mapping[str, Any], vocabulary: Vocabulary, what: str) -> Action:
    """The one module a task names.

    Args:
        known: the keywords a task may have here.
        what: "a task" or "a handler".
    Raises:
        PlaybookError: it names none, two, or one that there is not; an argument cannot be read.
    """
    words = [key for key in task if key not in known and not str(key).startswith("with_")]
    indirect = [key for key in ("action", "local_action") if key in task]
    found = [(word, spec) for word in words if (spec := vocabulary.find(str(word))) is not None]
    unknown = [word for word in words if vocabulary.find(str(word)) is None]
    if unknown:
        word = unknown[0]
        if found or indirect:
            raise unknown_keyword(word, known, what, task.key_source(word))
        raise vocabulary.unknown(str(word), task.key_source(word), tuple(known))
    if len(found) + len(indirect) > 1:
        both = [word for word, _ in found] + indirect
        raise PlaybookError(
            f"two modules in one task: '{both[0]}' and '{both[1]}'", where=task.key_source(both[1]), hint="begin a second task with '- '"
        )
    if indirect:
        return _indirect(indirect[0], task, vocabulary)
    if not found:
        raise PlaybookError(
            f"{what} without a module", where=task.source, hint="add one, for example 'command: uptime' or 'debug: msg=...'"
        )
    word, spec = found[0]
    return _gathered(spec, task[word], task, word)


def _indirect(keyword: str, task: SourcedMap, vocabulary: Vocabulary) -> Action:
    """`action: copy src=a dest=b` or `action: {module: copy, src: a}`, and `local_action` likewise."""
    value, where = task[keyword], task.value_source(keyword)
    rest: Any
    if isinstance(value, str):
        name, _, rest = value.strip().partition(" ")
    elif isinstance(value, Mapping) and isinstance(value.get("module"), str):
        name = value["module"].strip()
        rest = SourcedMap(value, path=where.path, position=(where.line, where.column))
        if isinstance(value, SourcedMap):
            rest.key_positions, rest.value_positions = value.key_positions, value.value_positions
        del rest["module"]
        name, _, line = name.partition(" ")
        rest.update(freeform.pairs(line))
    else:
        raise PlaybookError(f"'{keyword}' names no module", where=where, hint=f"write {keyword}: copy src=a dest=b")
    if "{{" in name:
        raise PlaybookError(
            f"the module's name cannot be a template: '{name}'", where=where, hint="write one task per module, each with its 'when'"
        )
    spec = vocabulary.find(name)
    if spec is None:
        raise vocabulary.unknown(name, where)
    action = _gathered(spec, rest, task, keyword)
    if keyword == "local_action":
        return Action(action.spec, action.args, action.source, action.template, "localhost", action.places)
    return action


def _gathered(spec: Spec, value: Any, task: SourcedMap, key: str) -> Action:
    written = _Written()
    if task.get("args") is not None:
        _gather_args_keyword(task, written)
    where = task.value_source(key)
    if isinstance(value, Mapping):
        written.add(value, where)
    elif isinstance(value, str):
        _gather_line(spec, value, where, written)
    elif value is not None:
        free = spec.args.free_form
        if free is None or isinstance(value, list):
            raise PlaybookError(
                f"'{key}' takes options (name: value), not {described(value)}",
                where=where,
                hint=f"options: {', '.join(spec.args.options())}",
            )
        written.add({free: str(value)}, where)
    return Action(spec, written.args, task.key_source(key), written.template, None, written.places)


def _gather_args_keyword(task: SourcedMap, written: _Written) -> None:
    given, where = task["args"], task.value_source("args")
    if templated(given) and isinstance(given, str):
        written.template = given
    elif isinstance(given, Mapping):
        written.add(given, where)
    else:
        raise PlaybookError(f"'args' takes options (name: value), not {described(given)}", where=where, hint="write args: {chdir: /tmp}")


def _gather_line(spec: Spec, line: str, where: Source, written: _Written) -> None:
    free = spec.args.free_form
    if free is not None:
        text, options = freeform.text_and_pairs(line, spec.args.options())
        if text and not _is_free_pair(spec, free, text, where, written):
            written.add({free: text}, where)
        written.add(options, where)
        return
    stripped = line.strip()
    if stripped.startswith("{{") and stripped.endswith("}}") and "=" not in stripped.split("}}", 1)[0]:
        written.template = stripped
        return
    try:
        written.add(freeform.pairs(line), where)
    except freeform.UnbalancedText as error:
        raise PlaybookError(
            f"{error}: {line.strip()}", where=where, hint="quote values with spaces, and close every quote and {{"
        ) from None
    except ValueError as error:
        raise PlaybookError(
            f"'{error}' is not key=value, and {spec.name} takes no free text",
            where=where,
            hint=f"options: {', '.join(spec.args.options())}",
        ) from None


def _is_free_pair(spec: Spec, free: str, text: str, where: Source, written: _Written) -> bool:
    """`include_tasks: file=x.yml` and `include_vars: dir=vars`: a text that is pairs of known options after all."""
    if free in ("free_form", "cmd", "_raw_params"):
        return False
    try:
        found = freeform.pairs(text)
    except ValueError:
        return False
    if not found or not set(found) <= set(spec.args.options()):
        return False
    written.add(found, where)
    return True


def check_action(action: Action, defaults: Mapping[str, Any], vocabulary: Vocabulary) -> None:
    """Refuse arguments that cannot be right on any host.

    Args:
        defaults: of `module_defaults` for this module.
    Raises:
        InputError: an option is unknown, missing, contradicts another, has a wrong literal value, or holds a broken template.
    """
    if action.template is None:
        try:
            resolved = check_names(action.spec.args, {**defaults, **action.args})
        except ArgumentError as error:
            hint = error.hint or f"{action.spec.name} knows {', '.join(action.spec.args.options())}"
            raise PlaybookError(f"{action.spec.name}: {error.message}", where=_place_of(error, action), hint=hint) from None
        for name, value in resolved.items():
            declared = action.spec.args.options()[name]
            where = _written_place(name, declared, action)
            _check_literal(action.spec.name, declared, value, where)
    for name, value in action.args.items():
        where = action.places.get(name, action.source)
        if name in action.spec.args.expressions:
            check_conditions(value if isinstance(value, list) else [value], where, vocabulary)
        else:
            check_templates(value, where, vocabulary)
    if action.template is not None:
        check_templates(action.template, action.source, vocabulary)


def _place_of(error: ArgumentError, action: Action) -> Source:
    return next((place for name, place in action.places.items() if f"'{name}'" in error.message), action.source)


def _written_place(name: str, declared: Option, action: Action) -> Source:
    return next((action.places[word] for word in (name, *declared.aliases) if word in action.places), action.source)


def _check_literal(module: str, declared: Option, value: Any, where: Source) -> None:
    if value is None or holds_template(value):
        return
    try:
        parsed = parse_value(declared, value)
        if declared.kind == "mode" and parsed != PRESERVE:
            parse_mode(parsed, 0, is_folder=False)
    except (ArgumentError, ModuleFailure) as error:
        hint = error.hint or declared.help
        raise PlaybookError(f"{module}: {error.message}", where=where, hint=hint) from None


def holds_template(value: Any) -> bool:
    """Whether anything in a value is rendered later."""
    if isinstance(value, Mapping):
        return any(holds_template(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(holds_template(item) for item in value)
    return isinstance(value, VaultedText) or (
        isinstance(value, str) and not isinstance(value, UnsafeText) and ("{{" in value or "{%" in value)
    )


def check_templates(value: Any, where: Source, vocabulary: Vocabulary) -> None:
    """Refuse templates, at any depth of a value, that could be rendered on no host.

    Raises:
        InputError: with the place of the string.
    """
    if isinstance(value, str):
        if not isinstance(value, UnsafeText):
            _placed(vocabulary.check_template, value, where)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            check_templates(item, value.value_source(key) if isinstance(value, SourcedMap) else where, vocabulary)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            check_templates(item, value.item_source(index) if isinstance(value, SourcedList) else where, vocabulary)


def check_conditions(conditions: Any, where: Source, vocabulary: Vocabulary) -> None:
    """Refuse conditions that could be evaluated on no host.

    Raises:
        InputError: with the place of the condition.
    """
    for index, condition in enumerate(conditions):
        if isinstance(condition, str):
            place = conditions.item_source(index) if isinstance(conditions, SourcedList) else where
            _placed(vocabulary.check_expression, condition, place)


def _placed(check: Any, text: str, where: Source) -> None:
    try:
        check(text)
    except InputError as error:
        if error.where is None:
            error.where = where
        raise
