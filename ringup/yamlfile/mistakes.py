"""What libyaml says about a broken file, in words that say what to type."""

from __future__ import annotations

import re

import yaml

from ringup.errors import InputError
from ringup.source import Source

TEMPLATE_VALUE = re.compile(r"^\s*(?:-\s+)*(?P<key>[\w.-]+\s*:\s+|-\s+)\{\{")
QUOTED_START = re.compile(r"""^\s*(?:-\s+)*[\w.-]+\s*:\s+(?P<quote>["']).*(?P=quote)\s*[^\s#].*$""")
INDENTED_BY_TAB = re.compile(r"^[ ]*\t")

MISALIGNED = "the indentation does not fit the lines above, or text follows a closing quote"
UNCLOSED = "a quote is opened and never closed"

#: Part of libyaml's message -> (what happened, what to do). First match wins.
MEANINGS: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "a ':' stands inside an unquoted value, or the line is indented deeper than its neighbours",
        "quote the value, or align the line with the key above",
    ),
    ("could not find expected ':'", "a line that should be 'key: value' has no ':'", "write 'key: value', or indent it below its key"),
    (
        "did not find expected '-' indicator",
        "a list and something that is no list item share one indentation",
        "begin each item with '- ', and indent what belongs to an item by two more spaces",
    ),
    ("expected <block end>", MISALIGNED, "align it with its neighbours; quote the whole value"),
    ("did not find expected key", MISALIGNED, "align it with its neighbours; quote the whole value"),
    (
        "block sequence entries are not allowed",
        "a list item stands where a value is expected",
        "put the '- ' on its own line below the key",
    ),
    (
        "expected ',' or",
        "a '[' or '{' is not closed, or a ',' is missing in it",
        "close the bracket, or quote a value that holds one",
    ),
    ("did not find expected node content", "a bracket or a ',' stands alone", "quote the value if text is meant"),
    ("found unexpected end of stream", UNCLOSED, "close the quote that is opened here"),
    ("found unexpected document indicator", UNCLOSED, "close the quote that is opened here"),
    ("found undefined tag handle", "the tag begins with an unknown handle", "quote the value if text is meant"),
    ("did not find expected alphabetic or numeric character", "an '&' or '*' begins an unquoted value", "quote the value"),
    ("found unknown escape character", "a backslash in double quotes begins no known escape", "use single quotes, or double the backslash"),
    ("cannot start any token", "the value begins with a character that YAML keeps for itself", "quote the value"),
    ("exceeded maximum nesting depth", "lists and mappings are nested too deep", "a person could not read it either"),
)


def explained(error: yaml.MarkedYAMLError, text: str, path: str) -> InputError:
    """The error an operator sees for what the YAML parser refused."""
    problem = error.problem or "it cannot be read"
    unclosed = problem.startswith(("found unexpected end of stream", "found unexpected document"))
    mark = error.context_mark if unclosed and error.context_mark is not None else error.problem_mark or error.context_mark
    line = mark.line if mark is not None else 0
    special = by_the_line(text.splitlines(), line, path)
    if special is not None:
        return special
    where = Source(path, line + 1, mark.column + 1 if mark is not None else 0)
    for part, meaning, hint in MEANINGS:
        if part in problem:
            return InputError(meaning, where=where, hint=hint)
    return InputError(
        f"this is not YAML: {problem}", where=where, hint="compare the line with its neighbours; quote values with special characters"
    )


def by_the_line(lines: list[str], line: int, path: str) -> InputError | None:
    """Mistakes that the line itself (or the one above, where the parser noticed late) shows better than the parser's message."""
    for number in (line, line - 1):
        if not 0 <= number < len(lines):
            continue
        text = lines[number]
        if tab := INDENTED_BY_TAB.match(text):
            return InputError("a tab is used to indent", where=Source(path, number + 1, tab.end()), hint="indent by spaces")
        if start := TEMPLATE_VALUE.match(text):
            column = start.end() - 1
            value = text[column - 1 :].strip()
            quoted = value if '"' not in value else value.replace('"', "'")
            return InputError(
                "a value begins with '{{' and is not quoted", where=Source(path, number + 1, column), hint=f'write it in quotes: "{quoted}"'
            )
        if start := QUOTED_START.match(text):
            where = Source(path, number + 1, start.start("quote") + 1)
            return InputError("text follows a closing quote", where=where, hint="put the whole value in quotes, or none of it")
    return None
