"""JSON and YAML, in and out."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Set
from typing import Any, cast

import yaml

from ringup.errors import InputError, TemplateError
from ringup.templating.undefined import Undefined, UndefinedUse
from ringup.yamlfile import load_yaml_text
from ringup.yamlfile.values import VaultedText


def to_json(value: Any, *, vault_to_text: Any = None, preprocess_unsafe: Any = None, profile: Any = None, **options: Any) -> str:
    """JSON on one line. The options are those of Python's `json.dumps`; the first three, of Ansible, change nothing here."""
    return json.dumps(value, default=_json_value, **options)


def to_nice_json(value: Any, indent: int = 4, sort_keys: bool = True, **options: Any) -> str:
    """JSON over several lines with sorted keys."""
    options.pop("separators", None)
    return to_json(value, indent=indent, sort_keys=sort_keys, separators=(",", ": "), **options)


def from_json(text: str, profile: Any = None, **options: Any) -> Any:
    try:
        return json.loads(text, **options)
    except (ValueError, TypeError) as error:
        raise TemplateError(f"from_json: {error}: {str(text)[:60]!r}", hint="check that the text is JSON and nothing else") from None


def to_yaml(value: Any, *args: Any, default_flow_style: bool | None = None, **options: Any) -> str:
    """YAML in which only the innermost containers are on one line. The options are those of PyYAML's `dump`."""
    options.pop("vault_to_text", None)
    dumped: str = yaml.dump(value, Dumper=Dumper, allow_unicode=True, default_flow_style=default_flow_style, **options)
    return dumped


def to_nice_yaml(value: Any, indent: int = 4, *args: Any, default_flow_style: bool = False, **options: Any) -> str:
    """YAML with a line for every item."""
    return to_yaml(value, indent=indent, default_flow_style=default_flow_style, **options)


def from_yaml(text: Any) -> Any:
    return load_yaml_text(text, "from_yaml") if isinstance(text, str) else text


def from_yaml_all(text: Any) -> Any:
    """The values of all documents in a text."""
    if not isinstance(text, str):
        return [] if text is None else text
    try:
        return list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        raise InputError(f"from_yaml_all: {error}", hint="check the text it is given") from None


BaseDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Dumper(BaseDumper):  # type: ignore[misc]
    """Knows the containers and texts that variables are made of."""


def _undefined(dumper: Dumper, value: Undefined) -> Any:
    raise UndefinedUse(value)


Dumper.add_multi_representer(dict, lambda dumper, value: dumper.represent_dict(dict(value.items())))
Dumper.add_multi_representer(list, lambda dumper, value: dumper.represent_list(value))
Dumper.add_multi_representer(tuple, lambda dumper, value: dumper.represent_list(value))
Dumper.add_multi_representer(cast(Any, Mapping), lambda dumper, value: dumper.represent_dict(dict(value.items())))
Dumper.add_multi_representer(str, lambda dumper, value: dumper.represent_str(str(value)))
Dumper.add_multi_representer(Undefined, _undefined)
Dumper.add_representer(VaultedText, lambda dumper, value: dumper.represent_scalar("!vault", value.ciphertext, style="|"))


def _json_value(value: Any) -> Any:
    if isinstance(value, Undefined):
        raise UndefinedUse(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value.items())
    if isinstance(value, Set | range):
        return list(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    raise TemplateError(f"a {type(value).__name__} cannot be written as JSON", hint="turn it into text: '| string'")


FILTERS: dict[str, Callable[..., Any]] = {
    "to_json": to_json,
    "to_nice_json": to_nice_json,
    "from_json": from_json,
    "to_yaml": to_yaml,
    "to_nice_yaml": to_nice_yaml,
    "from_yaml": from_yaml,
    "from_yaml_all": from_yaml_all,
}
