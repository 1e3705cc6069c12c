"""Whole files as templates, with the options of Ansible's template module."""

from __future__ import annotations

import ast
import dataclasses
import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.context import VariableTemplate
from ringup.templating.environment import TemplateOptions, file_environment
from ringup.templating.syntax import compiled_in

HEADER = "#jinja2:"
NAMES = tuple(field.name for field in dataclasses.fields(TemplateOptions))
#: The template module takes the newline as an escape too.
NEWLINES = {"\\n": "\n", "\\r": "\r", "\\r\\n": "\r\n"}


def with_header(text: str, options: Mapping[str, Any]) -> tuple[str, TemplateOptions]:
    """The text below a `#jinja2: name: value, ...` line, and the options with that line's on top.

    Raises:
        TemplateError: an option is not known, or its value is no Python constant.
    """
    wanted = {name: value for name, value in options.items() if value is not None}
    if text.startswith(HEADER):
        line, _, text = text[len(HEADER) :].partition("\n")
        for pair in line.split(","):
            name, colon, value = pair.partition(":")
            try:
                wanted[name.strip()] = ast.literal_eval(value.strip())
            except (ValueError, SyntaxError):
                missing = "" if colon else " has no ':'"
                raise TemplateError(f"in the '{HEADER}' line, '{pair.strip()}'{missing} cannot be read", hint="write name: True") from None
    for name in wanted:
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, 1)
            raise TemplateError(f"the template option '{name}' is not known", hint=f"did you mean '{(near or NAMES)[0]}'?")
    newline = wanted.get("newline_sequence", "\n")
    chosen = TemplateOptions(**{**wanted, "newline_sequence": NEWLINES.get(newline, newline)})
    starts = {chosen.block_start_string, chosen.variable_start_string, chosen.comment_start_string}
    if len(starts) < 3:
        raise TemplateError("blocks, variables and comments begin alike", hint="give each its own start string")
    return text, chosen


def holds_template(text: str, options: TemplateOptions) -> bool:
    """Whether there is anything to render; a file without is left as it is, newlines and all."""
    return any(start in text for start in (options.block_start_string, options.variable_start_string, options.comment_start_string))


def compiled_file(text: str, options: TemplateOptions, search_path: tuple[Path, ...]) -> VariableTemplate:
    """The compiled template of a file's text, cached by text, options and search path."""
    environment = file_environment(options, search_path)
    return environment.compiled.get(text) or compiled_in(environment, text)


def with_final_newline(rendered: str, template: str, newline: str = "\n") -> str:
    """As many newlines at the end as the template has: Jinja drops one, Ansible puts it back."""
    wanted = len(template) - len(template.rstrip("\n"))
    have = len(rendered) - len(rendered.rstrip("\n"))
    return rendered + newline * max(wanted - have, 0)
