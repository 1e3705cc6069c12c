"""`-e`: extra variables as they are typed. Pure but for reading `@file`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ringup.errors import UsageError
from ringup.yamlfile import load_yaml, load_yaml_text


def parse_extra_vars(given: Sequence[str]) -> dict[str, Any]:
    """The variables of all `-e`, later ones on top.

    Args:
        given: each `name=value` words (texts), JSON or YAML that begins with a brace (types kept), or `@file`.
    Raises:
        UsageError: it is none of these.
    """
    merged: dict[str, Any] = {}
    for text in given:
        merged.update(_one(text.strip()))
    return merged


def _one(text: str) -> dict[str, Any]:
    if text.startswith("@"):
        path = Path(text[1:]).expanduser()
        if not path.is_file():
            raise UsageError(f"there is no file {path}", where="-e", hint="write -e @vars.yaml with a path that exists")
        return _mapping(load_yaml(path), text)
    if text.startswith(("{", "[")):
        try:
            return _mapping(json.loads(text), text)
        except ValueError:
            return _mapping(load_yaml_text(text, "-e"), text)
    pairs: dict[str, Any] = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"'{word}' is not name=value", where="-e", hint="write -e name=value, -e '{\"name\": 1}', or -e @file")
        pairs[name] = value
    return pairs


def _mapping(value: Any, text: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"'{text}' holds no mapping of variables", where="-e", hint="write name: value")
    return dict(value)
