"""Renders values with the variables of one host."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError as JinjaError
from jinja2 import TemplateSyntaxError
from jinja2.utils import missing

from ringup.errors import RingupError, TemplateError
from ringup.source import Source
from ringup.templating import failures, files, syntax
from ringup.templating.context import Scope
from ringup.templating.globals import GLOBALS
from ringup.templating.lazy import LazyMap
from ringup.templating.lookups import LookupCall, run_lookup
from ringup.templating.omit import OMIT
from ringup.templating.results import finished, joined
from ringup.templating.undefined import Undefined, UndefinedUse
from ringup.templating.unsafe import UnsafeList, UnsafeMap
from ringup.templating.vault import VaultKeys
from ringup.yamlfile.values import UnsafeText, VaultedText

#: `{{ name }}` alone, which needs no Jinja at run time.
BARE_NAME = re.compile(r"\{\{\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*\}\}\Z")
#: A path of names, whose value may be a condition written elsewhere: `when: "{{ wanted }}"`.
BARE_PATH = re.compile(r"\{\{\s*([a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)*)\s*\}\}\Z")
KEYWORDS = frozenset(("true", "false", "none", "True", "False", "None", "not"))
#: Types whose values are never rendered and need no look inside.
PLAIN = frozenset((int, float, bool, type(None), UnsafeText, UnsafeMap, UnsafeList, LazyMap, bytes))


class _Rendering(threading.local):
    """The variables being rendered in this thread, outermost first: to name a circle instead of running out of stack."""

    def __init__(self) -> None:
        self.names: list[tuple[int, str]] = []


_rendering = _Rendering()


class Templar:
    """Renders with one host's variables. Variables are lazy: their own templates are rendered at each use.

    Args:
        variables: looked up, never copied; may change between calls. Values are as written, templates and all.
        search_path: folders for `include`, `import` and lookups of files, first match wins.
        vault: decrypts `!vault` values; without it their use is an error.
        inventory_hostnames: gives the hosts of a pattern, for the lookup of that name.
        basedir: the folder relative file names are resolved in when the search path has them not.
    """

    def __init__(
        self,
        variables: Mapping[str, Any],
        search_path: Sequence[Path] = (),
        *,
        vault: VaultKeys | None = None,
        inventory_hostnames: Any = None,
    ) -> None:
        self.variables = variables
        self.search_path = tuple(search_path)
        self.vault = vault
        self.inventory_hostnames = inventory_hostnames
        self._scope = Scope(self, {})

    def render(self, value: Any, *, source: Source | str | None = None) -> Any:
        """`value` with every template in it rendered, at any depth; what holds none comes back as it is.

        Args:
            value: a string, list, dictionary or anything else. A string that is one `{{ }}` gives a value of any type.
            source: the place to name in an error.
        Returns:
            plain values. `OMIT` stays as the value of a key of `value`; deeper it drops its key.
        Raises:
            TemplateError, UndefinedVariable: with `where` set to `source`.
        """
        try:
            return self._rendered(value)
        except Exception as error:  # noqa: BLE001 - a filter may raise anything; an operator sees a sentence
            raise self._explained(error, source) from (error if isinstance(error, RingupError) else None)

    def evaluate(self, condition: Any, *, source: Source | str | None = None) -> bool:
        """Whether a condition holds. As in ansible-core 2.19 its value must be a boolean.

        Args:
            condition: an expression without braces, a boolean, or `"{{ x }}"` whose value is a boolean or again a condition.
            source: the place to name in an error.
        Raises:
            TemplateError: the value is no boolean; the hint says how to make it one.
        """
        if condition is True or condition is False:
            return condition
        try:
            value = self._condition_value(condition)
        except Exception as error:  # noqa: BLE001 - a filter may raise anything; an operator sees a sentence
            raise self._explained(error, source) from (error if isinstance(error, RingupError) else None)
        if value is True or value is False:
            return value
        raise failures.no_boolean(condition, value, source)

    def expression(self, text: str, *, source: Source | str | None = None) -> Any:
        """The value of a bare expression, of any type."""
        try:
            return finished(self._value_of(text.strip()))
        except Exception as error:  # noqa: BLE001 - a filter may raise anything; an operator sees a sentence
            raise self._explained(error, source) from (error if isinstance(error, RingupError) else None)

    def render_text(self, template: str, *, source: Source | str | None = None, **options: Any) -> str:
        """The text of a template file.

        Args:
            options: those of Ansible's template module, by its names: trim_blocks (on by default), lstrip_blocks,
                newline_sequence, variable_start_string and so on. A first line `#jinja2: trim_blocks: False` overrides them.
        """
        first_line = 1
        try:
            body, chosen = files.with_header(template, options)
            if body is template and not files.holds_template(body, chosen):
                return body
            first_line = 1 if body is template else 2
            parts = files.compiled_file(body, chosen, self.search_path).nodes_in(self._scope)
            value = joined(parts)
            if isinstance(value, str):
                return files.with_final_newline(value, body, chosen.newline_sequence)
            # as in Ansible, a file that is one expression of another type than text ends without a newline
            return "" if value is None else str(finished(value))
        except syntax.BrokenTemplate as error:
            path = source.path if isinstance(source, Source) else source
            error.where = Source(path, error.line + first_line - 1) if path else None
            raise
        except Exception as error:  # noqa: BLE001 - a filter may raise anything; an operator sees a sentence
            place = failures.place_in_file(error, source, first_line)
            raise self._explained(error, place) from (error if isinstance(error, RingupError) else None)

    def resolve(self, name: str) -> Any:
        """The value of a variable, its templates rendered as it is used, or of a global; Jinja's `missing` when there is none."""
        try:
            raw = self.variables[name]
        except KeyError:
            if name == "vars":
                return RenderedVariables(self)
            return GLOBALS.get(name, missing)
        return raw if type(raw) in PLAIN else self.lazily(raw, name)

    def lazily(self, raw: Any, label: str) -> Any:
        """A raw value such that its templates are rendered when they are looked at; `label` names it in errors."""
        if isinstance(raw, str):
            return self._nested(raw, label) if type(raw) is not UnsafeText and syntax.has_template(raw) else raw
        if type(raw) in PLAIN:
            return raw
        if isinstance(raw, dict):
            pending = [key for key, value in raw.items() if _may_need_rendering(value)]
            return LazyMap(raw, pending, self.lazily, label) if pending else raw
        if isinstance(raw, list | tuple):
            if not any(map(_may_need_rendering, raw)):
                return raw
            return [self.lazily(item, f"{label}[{index}]") for index, item in enumerate(raw)]
        return self.lazily(self._decrypted(raw), label) if isinstance(raw, VaultedText) else raw

    def lookup(self, name: str, terms: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What `lookup(name, *terms, **options)` gives in a template."""
        return run_lookup(LookupCall(self, name, list(terms), dict(options)))

    def with_variables(self, variables: Mapping[str, Any]) -> Templar:
        """A templar like this one with other variables."""
        return Templar(variables, self.search_path, vault=self.vault, inventory_hostnames=self.inventory_hostnames)

    def names(self) -> list[str]:
        """The names of all variables, for messages and the varnames lookup."""
        return [name for name in self.variables if isinstance(name, str)]

    def _rendered(self, value: Any) -> Any:
        kind = type(value)
        if kind is str or (kind is not UnsafeText and isinstance(value, str)):
            return finished(self._text(value)) if syntax.has_template(value) else value
        if kind in PLAIN:
            return finished(value) if kind is LazyMap else value
        if isinstance(value, dict):
            return {key: _without_omitted(self._rendered(item)) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [item for item in map(self._rendered, value) if item is not OMIT]
        return self._rendered(self._decrypted(value)) if isinstance(value, VaultedText) else finished(value)

    def _text(self, text: str) -> Any:
        """The value of a string that holds templates; may be undefined, lazy or `OMIT`."""
        name = BARE_NAME.match(text)
        if name is not None and name[1] not in KEYWORDS:
            value = self.resolve(name[1])
            return Undefined(name=name[1]) if value is missing else value
        template = syntax.compiled_text(text, self.search_path)
        try:
            value = joined(template.nodes_in(self._scope))
        except (UndefinedUse, RingupError, JinjaError, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001 - as in render
            failure = failures.explained(error, self.names, self.search_path)
            failure.message = f"{failure.message}, in {syntax.shortened(text)}"
            raise failure from None
        return files.with_final_newline(value, text) if isinstance(value, str) and text.endswith("\n") else value

    def _nested(self, text: str, label: str) -> Any:
        names = _rendering.names
        entry = (id(self), label)
        if entry in names:
            circle = [name for _, name in names[names.index(entry) :]]
            raise TemplateError(
                f"the variable '{label}' refers to itself: {' -> '.join([*circle, label])}", hint="give one of them a value of its own"
            )
        names.append(entry)
        try:
            value = self._text(text)
        except UndefinedUse as error:
            value = error.undefined
        except TemplateSyntaxError as error:
            raise syntax.explained(error, text) from None
        finally:
            names.pop()
        if isinstance(value, Undefined):
            value = _needed_by(value, label)
        return value

    def _condition_value(self, condition: Any) -> Any:
        if not isinstance(condition, str):
            raise TemplateError(f"a condition is a text or a boolean, not {condition!r}", hint="write it as an expression: when: x == 1")
        text = condition.strip()
        if not text:
            raise TemplateError("the condition is empty", hint="remove it, or write true")
        if not text.startswith("{{"):
            return self._value_of(text)
        path = BARE_PATH.match(text)
        if path is not None and (elsewhere := self._written_condition(path[1])) is not None:
            return self._value_of(elsewhere)
        return finished(self._text(text))

    def _value_of(self, expression: str) -> Any:
        value = joined(syntax.compiled_condition(expression).nodes_in(self._scope))
        if isinstance(value, Undefined):
            raise UndefinedUse(value)
        return value

    def _written_condition(self, path: str) -> str | None:
        """The condition that an operator wrote into a variable; None for anything computed or sent by a host, which is never evaluated."""
        value: Any = self.variables
        for part in path.split("."):
            if type(value) in (UnsafeMap, LazyMap) or not isinstance(value, Mapping) or part not in value:
                return None
            value = value[part]
        if type(value) is not str or not value.strip():
            return None
        inner = BARE_PATH.match(value.strip())
        if inner is not None:
            return self._written_condition(inner[1]) if inner[1] != path else None
        return None if syntax.has_template(value) else value.strip()

    def _decrypted(self, value: VaultedText) -> str:
        if self.vault is None:
            raise TemplateError("a vaulted value is needed", where=value.source, hint="give --vault-password-file")
        return self.vault.text(value.ciphertext, value.source)

    def _explained(self, error: Exception, source: Source | str | None) -> RingupError:
        failure = failures.explained(error, self.names, self.search_path)
        if failure.where is None:
            failure.where = source
        return failure


class RenderedVariables(Mapping[str, Any]):
    """All variables of a host, each rendered when it is read: `vars` in templates, and what `hostvars[name]` should be."""

    def __init__(self, templar: Templar) -> None:
        self._templar = templar

    def __getitem__(self, name: str) -> Any:
        if name not in self._templar.variables:
            raise KeyError(name)
        return self._templar.resolve(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._templar.variables)

    def __len__(self) -> int:
        return len(self._templar.variables)

    def __contains__(self, name: object) -> bool:
        return name in self._templar.variables


def _without_omitted(value: Any) -> Any:
    if type(value) is dict and OMIT in value.values():
        return {key: item for key, item in value.items() if item is not OMIT}
    return value


def _may_need_rendering(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return "{" in value and syntax.has_template(value)
    return kind not in PLAIN and isinstance(value, dict | list | tuple | VaultedText | str)


def _needed_by(undefined: Undefined, label: str) -> Undefined:
    if undefined.needed_by is None:
        undefined.__dict__["needed_by"] = label
    return undefined
