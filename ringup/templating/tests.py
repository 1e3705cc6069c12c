"""The tests of ansible.builtin that Jinja does not have: what stands after `is`."""

from __future__ import annotations

import math
import operator
import os.path
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from packaging.version import InvalidVersion, Version

from ringup.errors import TemplateError
from ringup.templating.filters.text import pattern
from ringup.templating.vault import HEADER
from ringup.yamlfile.values import VaultedText

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    **dict.fromkeys(("==", "=", "eq"), operator.eq),
    **dict.fromkeys(("<", "lt"), operator.lt),
    **dict.fromkeys(("<=", "le"), operator.le),
    **dict.fromkeys((">", "gt"), operator.gt),
    **dict.fromkeys((">=", "ge"), operator.ge),
    **dict.fromkeys(("!=", "<>", "ne"), operator.ne),
}
SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?\Z")
STRICT = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?\Z")
BOOLEANS = {
    **dict.fromkeys(("y", "yes", "on", "1", "true", "t", "1.0"), True),
    **dict.fromkeys(("n", "no", "off", "0", "false", "f", "0.0"), False),
}


def _result(value: Any, test: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TemplateError(f"'is {test}' takes the result of a task, not {value!r}", hint="use the name that 'register' gave")
    return value


def failed(result: Any) -> bool:
    return bool(_result(result, "failed").get("failed"))


def unreachable(result: Any) -> bool:
    return bool(_result(result, "unreachable").get("unreachable"))


def changed(result: Any) -> bool:
    said = _result(result, "changed")
    if "changed" in said:
        return bool(said["changed"])
    items = said.get("results")
    return isinstance(items, list) and any(isinstance(item, Mapping) and item.get("changed") for item in items)


def skipped(result: Any) -> bool:
    return bool(_result(result, "skipped").get("skipped"))


def started(result: Any) -> bool:
    return bool(_result(result, "started").get("started", True))


def finished(result: Any) -> bool:
    return bool(_result(result, "finished").get("finished", True))


def timed_out(result: Any) -> bool:
    limit = _result(result, "timedout").get("timedout")
    return bool(limit and limit.get("period"))


def regex(value: Any = "", regex: str = "", ignorecase: bool = False, multiline: bool = False, match_type: str = "search") -> bool:
    compiled = pattern(regex, ignorecase, multiline)
    look = {"search": compiled.search, "match": compiled.match, "fullmatch": compiled.fullmatch}.get(match_type, compiled.search)
    return look(str(value)) is not None


def match(value: Any, regex_text: str = "", ignorecase: bool = False, multiline: bool = False) -> bool:
    return regex(value, regex_text, ignorecase, multiline, "match")


def search(value: Any, regex_text: str = "", ignorecase: bool = False, multiline: bool = False) -> bool:
    return regex(value, regex_text, ignorecase, multiline)


def version(value: Any, other: Any, operator: str = "eq", strict: bool | None = None, version_type: str | None = None) -> bool:
    """Compare versions: loosely (numbers as numbers, the rest as text), or as `version_type` loose, strict, semver or pep440."""
    if operator not in OPERATORS:
        raise TemplateError(f"version: the operator '{operator}' is not known", hint=f"one of {', '.join(OPERATORS)}")
    kind = version_type or ("strict" if strict else "loose")
    if kind not in VERSIONS:
        raise TemplateError(f"version: the type '{kind}' is not known", hint=f"one of {', '.join(VERSIONS)}")
    if value in (None, "") or other in (None, ""):
        raise TemplateError("version: one of the two is empty", hint="write 'x | default(\"0\")' where it may be missing")
    try:
        return OPERATORS[operator](VERSIONS[kind](str(value)), VERSIONS[kind](str(other)))
    except (TypeError, ValueError, InvalidVersion) as error:
        raise TemplateError(f"version: '{value}' and '{other}' cannot be compared: {error}", hint="see version_type") from None


def _loose(text: str) -> list[int | str]:
    parts = [part for part in re.split(r"(\d+|[a-z]+|\.)", text) if part and part != "."]
    return [int(part) if part.isdigit() else part for part in parts]


def _semver(text: str) -> tuple[Any, ...]:
    found = SEMVER.match(text)
    if found is None:
        raise ValueError(f"'{text}' is no semantic version")
    # a version without a pre-release is after all those with one; numbers come before words
    marks = [(0, int(mark), "") if mark.isdigit() else (1, 0, mark) for mark in (found[4] or "").split(".") if mark]
    return int(found[1]), int(found[2]), int(found[3]), (0, marks) if marks else (1, [])


def _strict(text: str) -> tuple[Any, ...]:
    found = STRICT.match(text)
    if found is None:
        raise ValueError(f"'{text}' is no version of two or three numbers")
    return int(found[1]), int(found[2]), int(found[3] or 0), (found[4], int(found[5])) if found[4] else ("z", 0)


VERSIONS: dict[str, Callable[[str], Any]] = {"loose": _loose, "strict": _strict, "semver": _semver, "semantic": _semver, "pep440": Version}


def truthy(value: Any, convert_bool: bool = False) -> bool:
    if convert_bool and isinstance(value, str | int | float):
        value = BOOLEANS.get(str(value).lower().strip(), value)
    return bool(value)


def falsy(value: Any, convert_bool: bool = False) -> bool:
    return not truthy(value, convert_bool)


def vault_encrypted(value: Any) -> bool:
    return isinstance(value, VaultedText) or (isinstance(value, str) and value.startswith(HEADER))


def vaulted_file(path: Any) -> bool:
    try:
        with Path(str(path)).open("rb") as file:
            return file.read(len(HEADER)) == HEADER.encode()
    except OSError as error:
        raise TemplateError(f"vaulted_file: '{path}': {error.strerror}", hint="the file is looked for on the controller") from None


def subset(values: Iterable[Any], of: Iterable[Any]) -> bool:
    return set(values) <= set(of)


def superset(values: Iterable[Any], of: Iterable[Any]) -> bool:
    return set(values) >= set(of)


def contains(values: Any, value: Any) -> bool:
    return value in values


def not_a_number(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def uri(value: Any, schemes: Any = None) -> bool:
    try:
        parts = urlparse(value)
    except (ValueError, AttributeError, TypeError):
        return False
    return not schemes or parts.scheme in schemes


def url(value: Any, schemes: Any = None) -> bool:
    return uri(value, schemes) and bool(urlparse(value).netloc or urlparse(value).scheme == "file")


TESTS: dict[str, Callable[..., Any]] = {
    "failed": failed,
    "failure": failed,
    **dict.fromkeys(("succeeded", "success", "successful"), lambda result: not failed(result)),
    "unreachable": unreachable,
    "reachable": lambda result: not unreachable(result),
    "changed": changed,
    "change": changed,
    "skipped": skipped,
    "skip": skipped,
    "started": started,
    "finished": finished,
    "timedout": timed_out,
    "regex": regex,
    "match": match,
    "search": search,
    "version": version,
    "version_compare": version,
    "any": any,
    "all": all,
    "truthy": truthy,
    "falsy": falsy,
    "vault_encrypted": vault_encrypted,
    "vaulted_file": vaulted_file,
    "subset": subset,
    "issubset": subset,
    "superset": superset,
    "issuperset": superset,
    "contains": contains,
    "nan": not_a_number,
    "isnan": not_a_number,
    "uri": uri,
    "url": url,
    "urn": lambda value: uri(value, ["urn"]),
    **dict.fromkeys(("directory", "is_dir"), os.path.isdir),
    **dict.fromkeys(("file", "is_file"), os.path.isfile),
    **dict.fromkeys(("link", "is_link"), os.path.islink),
    "exists": os.path.exists,
    "link_exists": os.path.lexists,
    **dict.fromkeys(("abs", "is_abs"), os.path.isabs),
    **dict.fromkeys(("mount", "is_mount"), os.path.ismount),
    **dict.fromkeys(("same_file", "is_same_file"), os.path.samefile),
}
