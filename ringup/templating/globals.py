"""Names every template has."""

from __future__ import annotations

import datetime
from typing import Any

from jinja2.defaults import DEFAULT_NAMESPACE
from jinja2.runtime import Context
from jinja2.utils import pass_context

from ringup.templating.omit import OMIT
from ringup.templating.undefined import Undefined


def now(utc: bool = False, fmt: str | None = None) -> Any:
    """The time of rendering; a string when `fmt` is given."""
    moment = datetime.datetime.now(datetime.UTC).replace(tzinfo=None) if utc else datetime.datetime.now()
    return moment.strftime(fmt) if fmt else moment


def undef(hint: str | None = None) -> Undefined:
    """A value that fails when it is used: the default of a role variable that must be given."""
    return Undefined(hint or "a variable that must be given was not given")


@pass_context
def lookup(context: Context, name: str, *terms: Any, **options: Any) -> Any:
    """`lookup('file', 'x')`: one value, or several joined by commas."""
    templar: Any = context.parent.templar  # type: ignore[attr-defined]
    return templar.lookup(name, terms, options)


@pass_context
def query(context: Context, name: str, *terms: Any, **options: Any) -> Any:
    """`query('file', 'x')`: always a list."""
    templar: Any = context.parent.templar  # type: ignore[attr-defined]
    return templar.lookup(name, terms, {**options, "wantlist": True})


GLOBALS: dict[str, Any] = {
    **DEFAULT_NAMESPACE,
    "range": range,
    "now": now,
    "undef": undef,
    "omit": OMIT,
    "lookup": lookup,
    "query": query,
    "q": query,
    "ansible_managed": "Ansible managed",
}
