"""Lookups in tables: CSV and INI files."""

from __future__ import annotations

import configparser
import csv
import io
import re
from collections.abc import Callable
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.lookups.call import LookupCall

CSV_OPTIONS = ("file", "col", "keycol", "delimiter", "default", "encoding")
INI_OPTIONS = ("file", "section", "default", "re", "type", "encoding", "allow_no_value", "case_sensitive", "interpolation")


def csvfile(call: LookupCall) -> list[Any]:
    """`lookup('csvfile', 'key', file='x.csv', delimiter=',', col=1, keycol=0)`: the value beside a key."""
    found = []
    for term in call.terms:
        key, options = call.with_pairs(str(term), CSV_OPTIONS)
        delimiter = str(options.get("delimiter", "TAB"))
        delimiter = {"TAB": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        text = call.text(call.needed(options.get("file", "ansible.csv")))
        row = next((row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if _cell(row, options.get("keycol", 0)) == key), None)
        value = options.get("default") if row is None else _cell(row, options.get("col", 1))
        if value is not None:
            found.append(value)
    return found


def _cell(row: list[str], number: Any) -> str | None:
    try:
        return row[int(number)]
    except IndexError:
        return None
    except ValueError:
        raise TemplateError(f"the column '{number}' is no number", hint="columns are counted from 0") from None


def ini(call: LookupCall) -> list[Any]:
    """`lookup('ini', 'key', file='x.ini', section='global')`; `type=properties` reads a file without sections."""
    found: list[Any] = []
    for term in call.terms:
        key, options = call.with_pairs(str(term), INI_OPTIONS)
        parser = _parsed(call, options)
        section = "properties" if options.get("type") == "properties" else options.get("section", "global")
        if section not in parser:
            raise TemplateError(f"there is no section [{section}]", hint=f"there are {', '.join(parser.sections()) or 'none'}")
        if str(options.get("re", False)).lower() in ("true", "yes", "1"):
            found.extend(value for name, value in parser.items(section) if re.match(key, name))
        else:
            found.append(parser.get(section, key, fallback=options.get("default", "")))
    return found


def _parsed(call: LookupCall, options: dict[str, Any]) -> configparser.ConfigParser:
    interpolated = str(options.get("interpolation", True)).lower() != "false"
    parser = configparser.ConfigParser(
        allow_no_value=str(options.get("allow_no_value", options.get("allow_none", False))).lower() == "true",
        interpolation=configparser.BasicInterpolation() if interpolated else None,
    )
    if str(options.get("case_sensitive", False)).lower() == "true":
        parser.optionxform = str  # type: ignore[assignment,method-assign]
    text = call.text(call.needed(options.get("file", "ansible.ini")))
    if options.get("type") == "properties":
        text = "[properties]\n" + text
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise TemplateError(f"the file cannot be read: {str(error).splitlines()[0]}", hint="it must be an INI file") from None
    return parser


LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {"csvfile": csvfile, "ini": ini}
