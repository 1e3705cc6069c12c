"""Text: regular expressions, quoting, comments, addresses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_plus, urlsplit

from ringup.errors import TemplateError

COMMENTS: dict[str, dict[str, str]] = {
    "plain": {"decoration": "# "},
    "erlang": {"decoration": "% "},
    "c": {"decoration": "// "},
    "cblock": {"beginning": "/*", "decoration": " * ", "end": " */"},
    "xml": {"beginning": "<!--", "decoration": " - ", "end": "-->"},
}
URL_PARTS = ("scheme", "netloc", "path", "query", "fragment", "username", "password", "hostname", "port")


def pattern(text: str, ignorecase: bool = False, multiline: bool = False) -> re.Pattern[str]:
    """A compiled regular expression.

    Raises:
        TemplateError: it is none.
    """
    try:
        return re.compile(text, (re.IGNORECASE if ignorecase else 0) | (re.MULTILINE if multiline else 0))
    except (re.error, TypeError) as error:
        raise TemplateError(f"the regular expression {text!r}: {error}", hint="escape characters that are meant as they are") from None


def regex_replace(
    value: Any = "",
    regex: str = "",
    replacement: str = "",
    ignorecase: bool = False,
    multiline: bool = False,
    count: int = 0,
    mandatory_count: int = 0,
) -> str:
    compiled = pattern(regex, ignorecase, multiline)
    try:
        text, made = compiled.subn(replacement, str(value), count=count)
    except (re.error, IndexError) as error:
        raise TemplateError(
            f"regex_replace: the replacement {replacement!r}: {error}", hint="write groups as \\\\1 or \\\\g<name>"
        ) from None
    if mandatory_count and made != mandatory_count:
        raise TemplateError(
            f"regex_replace: {regex!r} matches {made} times, not {mandatory_count}", hint="check the expression and the text"
        )
    return text


def regex_search(value: Any, regex: str, *groups: str, ignorecase: bool = False, multiline: bool = False) -> Any:
    """The first match, or a list of the groups that are named (`'\\\\1'`, `'\\\\g<name>'`); None without a match."""
    wanted: list[int | str] = []
    for group in groups:
        if named := re.fullmatch(r"\\g<(\S+)>", group):
            wanted.append(named[1])
        elif numbered := re.match(r"\\(\d+)", group):
            wanted.append(int(numbered[1]))
        else:
            raise TemplateError(f"regex_search: {group!r} names no group", hint="write '\\\\1' or '\\\\g<name>'")
    found = pattern(regex, ignorecase, multiline).search(str(value))
    if found is None:
        return None
    try:
        return [found.group(group) for group in wanted] if wanted else found.group()
    except IndexError:
        raise TemplateError(f"regex_search: {regex!r} has no group {wanted!r}", hint="put the part in ( )") from None


def regex_findall(value: Any, regex: str, multiline: bool = False, ignorecase: bool = False) -> list[Any]:
    return pattern(regex, ignorecase, multiline).findall(str(value))


def regex_escape(value: Any, re_type: str = "python") -> str:
    if re_type == "python":
        return re.escape(str(value))
    if re_type == "posix_basic":
        return re.sub(r"([].[^$*\\])", r"\\\1", str(value))
    raise TemplateError(f"regex_escape: the type '{re_type}' is not known", hint="python or posix_basic")


def quote(value: Any) -> str:
    """The text as one word of a shell."""
    return shlex.quote("" if value is None else str(value))


def comment(text: str, style: str = "plain", **changes: Any) -> str:
    """The text as a comment: of a shell (plain), C (c, cblock), Erlang or XML, or as the named parts say."""
    if style not in COMMENTS:
        raise TemplateError(f"comment: the style '{style}' is not known", hint=f"one of {', '.join(COMMENTS)}")
    edge = str(changes.get("decoration", COMMENTS[style]["decoration"])).rstrip()
    part: dict[str, Any] = {
        "newline": "\n",
        "beginning": "",
        "prefix": edge,
        "postfix": edge,
        "end": "",
        "prefix_count": 1,
        "postfix_count": 1,
    }
    part.update(COMMENTS[style])
    part.update(changes)
    newline, decoration = str(part["newline"]), str(part["decoration"])
    beginning = f"{part['beginning']}{newline}" if part["beginning"] else ""
    prefix = ""
    if part["prefix"]:
        prefix = (newline if part["prefix"] == newline else f"{part['prefix']}{newline}") * int(part["prefix_count"])
    body = decoration + text.replace(newline, newline + decoration)
    body = body.replace(decoration + newline, decoration.rstrip() + newline)
    postfix = newline.join(["", *[str(part["postfix"])] * int(part["postfix_count"])])
    return beginning + prefix + body + postfix + (f"{newline}{part['end']}" if part["end"] else "")


def url_split(value: str, query: str = "") -> Any:
    """The parts of an address, or the one that is named."""
    parts = urlsplit(value)
    if query and query not in URL_PARTS:
        raise TemplateError(f"urlsplit: the part '{query}' is not known", hint=f"one of {', '.join(URL_PARTS)}")
    return getattr(parts, query) if query else {name: getattr(parts, name) for name in URL_PARTS}


def split(value: str, separator: str | None = None, maxsplit: int = -1) -> list[str]:
    return value.split(separator, maxsplit)


FILTERS: dict[str, Callable[..., Any]] = {
    "regex_replace": regex_replace,
    "regex_search": regex_search,
    "regex_findall": regex_findall,
    "regex_escape": regex_escape,
    "quote": quote,
    "comment": comment,
    "urlsplit": url_split,
    "urldecode": unquote_plus,
    "split": split,
}
