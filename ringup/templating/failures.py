"""From whatever a rendering raised to the error an operator sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jinja2 import TemplateNotFound, TemplateSyntaxError

from ringup.errors import RingupError, TemplateError
from ringup.source import Source
from ringup.templating import syntax, undefined
from ringup.templating.globals import GLOBALS
from ringup.yamlfile import shown_path

#: What to write so that a value of a type becomes a condition.
BOOLEAN_HINTS: tuple[tuple[type, str], ...] = (
    (str, "write '... | bool' for a text like yes or false, or '... | length > 0'"),
    (list, "write '... | length > 0'"),
    (dict, "write '... | length > 0'"),
    (int, "write '... != 0', or '... | bool'"),
    (float, "write '... != 0'"),
    (type(None), "write '... is not none'"),
)
#: The name Jinja gives to the code of a template that came from no file.
NAMELESS = "<template>"


def explained(error: Exception, names: Callable[[], Iterable[str]], search_path: Iterable[Path]) -> RingupError:
    """The error for an exception of a rendering.

    Args:
        names: gives the known variables' names, for the nearest.
    """
    if isinstance(error, undefined.UndefinedUse):
        return undefined.explained(error.undefined, [*names(), *GLOBALS])
    if isinstance(error, RingupError):
        return error
    if isinstance(error, TemplateSyntaxError):
        return syntax.explained(error, error.source or "")
    if isinstance(error, TemplateNotFound):
        folders = ", ".join(map(str, search_path)) or "no folder"
        return TemplateError(f"the template '{error.name}' to include is not there", hint=f"looked in {folders}")
    if isinstance(error, RecursionError):
        return TemplateError("variables refer to each other without end", hint="give one of them a value of its own")
    return TemplateError(
        str(error).rstrip(".") or type(error).__name__, hint="check the types of what is combined: '| type_debug' says them"
    )


def no_boolean(condition: Any, value: Any, source: Source | str | None) -> TemplateError:
    """The error for a condition whose value is neither true nor false."""
    hint = next((text for kind, text in BOOLEAN_HINTS if isinstance(value, kind)), "compare it with something")
    shown = repr(value) if len(repr(value)) < 80 else repr(value)[:77] + "..."
    return TemplateError(f"the condition '{condition}' gave {shown}; it must be true or false", where=source, hint=hint)


def place_in_file(error: BaseException, source: Source | str | None, first_line: int) -> Source | str | None:
    """The line of a template file (or of one that it includes) in which an error was raised; `source` when that is not known.

    Args:
        source: the template file.
        first_line: the line of the file at which the template begins.
    """
    found: tuple[str, int] | None = None
    step = error.__traceback__
    while step is not None:
        lines = step.tb_frame.f_globals.get("debug_info")
        if isinstance(lines, str) and "blocks" in step.tb_frame.f_globals:
            found = step.tb_frame.f_code.co_filename, _template_line(lines, step.tb_lineno)
        step = step.tb_next
    if found is None or source is None:
        return source
    file, line = found
    if file != NAMELESS:
        return Source(shown_path(Path(file)), line)
    return Source(source.path if isinstance(source, Source) else source, line + first_line - 1)


def _template_line(pairs: str, code_line: int) -> int:
    """Jinja notes in the compiled code, as `template line=code line&...`, where each line came from."""
    best = 1
    for pair in filter(None, pairs.split("&")):
        template_line, _, line = pair.partition("=")
        if int(line) <= code_line:
            best = int(template_line)
    return best
