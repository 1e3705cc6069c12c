"""Compiles templates and conditions, once per text, and says what is wrong with those that cannot be."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from jinja2 import TemplateSyntaxError, nodes
from jinja2.parser import Parser

from ringup.errors import TemplateError
from ringup.templating.context import VariableTemplate
from ringup.templating.environment import CONDITIONS, TemplateEnvironment, text_environment
from ringup.templating.lookups import LOOKUPS

OPENING = re.compile(r"\{[{%#]")
LOOKUP_CALLS = ("lookup", "query", "q")


def has_template(text: str) -> bool:
    """Whether a text holds anything to render."""
    return "{" in text and OPENING.search(text) is not None


def compiled_text(text: str, search_path: tuple[Path, ...] = ()) -> VariableTemplate:
    """The template of a string from a playbook or variable.

    Raises:
        TemplateError: it is no template, or uses a filter, test or lookup that there is not.
    """
    environment = text_environment(search_path if "{%" in text else ())
    return environment.compiled.get(text) or compiled_in(environment, text)


def compiled_condition(text: str) -> VariableTemplate:
    """The template that gives the value of a bare expression."""
    return CONDITIONS.compiled.get(text) or _compiled_expression(text)


def check_template(text: str) -> None:
    """Refuse a string whose templates could never be rendered, on any host.

    Raises:
        TemplateError: with the nearest known name for an unknown filter, test or lookup.
    """
    if has_template(text):
        compiled_text(text)


def check_expression(text: str) -> None:
    """Refuse a condition that could never be evaluated, on any host.

    Raises:
        TemplateError: as `check_template`.
    """
    if text.strip().startswith("{{"):
        check_template(text)
    else:
        compiled_condition(text.strip())


def compiled_in(environment: TemplateEnvironment, text: str, path: str | None = None) -> VariableTemplate:
    """Compile a text in an environment and remember it there; `path` is the file it came from, for messages."""
    try:
        tree = environment._parse(text, None, path)
        _refuse_unknown(tree, environment)
        template: VariableTemplate = environment.from_string(tree)  # type: ignore[assignment]
    except TemplateSyntaxError as error:
        raise explained(error, text) from None
    except RecursionError:
        raise TemplateError("the template is nested too deep", hint="split it into several variables") from None
    environment.compiled[text] = template
    return template


def _compiled_expression(text: str) -> VariableTemplate:
    try:
        parser = Parser(CONDITIONS, text, state="variable")
        expression = parser.parse_expression()
        if not parser.stream.eos:
            raise TemplateSyntaxError(f"unexpected {parser.stream.current.value!r}", parser.stream.current.lineno)
        tree = nodes.Template([nodes.Output([expression], lineno=1)], lineno=1)
        tree.set_environment(CONDITIONS)
        _refuse_unknown(tree, CONDITIONS)
        template: VariableTemplate = CONDITIONS.from_string(tree)  # type: ignore[assignment]
    except TemplateSyntaxError as error:
        failure = explained(error, text)
        if "{{" in text:
            failure.hint = "a condition is an expression already: write it without {{ }}"
        raise failure from None
    except RecursionError:
        raise TemplateError("the condition is nested too deep", hint="split it into several conditions") from None
    CONDITIONS.compiled[text] = template
    return template


def _refuse_unknown(tree: nodes.Template, environment: TemplateEnvironment) -> None:
    # Jinja itself looks into the branches of an `if` only when they run
    for node in tree.find_all((nodes.Filter, nodes.Test, nodes.Call)):
        if isinstance(node, nodes.Filter) and node.name is not None and node.name not in environment.filters:
            raise unknown("filter", node.name, environment.filters, node.lineno)
        if isinstance(node, nodes.Test) and node.name not in environment.tests:
            raise unknown("test", node.name, environment.tests, node.lineno)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in LOOKUP_CALLS and node.args:
            name = node.args[0]
            if isinstance(name, nodes.Const) and isinstance(name.value, str) and plain_name(name.value) not in LOOKUPS:
                raise unknown("lookup", name.value, LOOKUPS, node.lineno)


def plain_name(name: str) -> str:
    """A name without the prefix of what is built in."""
    return name.removeprefix("ansible.builtin.").removeprefix("ansible.legacy.")


def unknown(kind: str, name: str, known: Iterable[str], line: int = 1) -> BrokenTemplate:
    """The error for a filter, test or lookup that there is not."""
    at_line = f" (line {line} of the template)" if line > 1 else ""
    message = f"the {kind} '{name}' is not known{at_line}"
    failure = BrokenTemplate(message)
    failure.line = line
    near = difflib.get_close_matches(name.rsplit(".", 1)[-1], [known_name for known_name in known if "." not in known_name], 1, 0.7)
    if near:
        failure.hint = f"did you mean '{near[0]}'?"
    elif "." in name:
        failure.hint = f"{kind}s of collections are not supported; those of ansible.builtin and Jinja are"
    else:
        failure.hint = f"docs/templating.md lists the {kind}s there are"
    return failure


def shortened(text: str) -> str:
    """The first line of a template, for messages."""
    first = text.strip().split("\n", 1)[0]
    return first if len(first) <= 100 else first[:97] + "..."


class BrokenTemplate(TemplateError):
    """A text that is no template; `line` is counted from 1 within it."""

    line = 1


def explained(error: TemplateSyntaxError, text: str) -> BrokenTemplate:
    """Jinja's message with the text at fault and what to write instead."""
    lines = text.splitlines() or [""]
    line = lines[min(error.lineno, len(lines)) - 1]
    place = f" (line {error.lineno} of {error.name or 'the template'})" if len(lines) > 1 or error.name else ""
    message = (error.message or "it cannot be read").rstrip(".")
    hint = "check quotes, brackets and the names of blocks"
    if "unexpected end of template" in message or "end of print statement" in message:
        hint = "close {{ with }} and {% with %}, and quote text inside"
    elif "tag" in message and ("end" in message or "Jinja was looking for" in message):
        hint = "every {% if %}, {% for %} and {% block %} needs its {% end... %}"
    elif "unexpected '}'" in message or "unexpected char" in message:
        hint = "a character stands where none may: quote text inside {{ }}"
    failure = BrokenTemplate(f"this is no template: {message[:1].lower() + message[1:]}{place}: {shortened(line)}", hint=hint)
    failure.line = error.lineno
    return failure
