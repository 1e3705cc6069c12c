"""Lookups of variables, hosts and the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from jinja2.utils import missing

from ringup.errors import TemplateError
from ringup.templating.lookups.call import LookupCall
from ringup.templating.results import finished
from ringup.templating.undefined import Undefined, UndefinedUse


def variables(call: LookupCall) -> list[Any]:
    """`vars`: the values of variables by name; `default` for one that is not defined."""
    found: list[Any] = []
    for name in call.terms:
        value = call.templar.resolve(str(name))
        if value is missing or isinstance(value, Undefined):
            if "default" not in call.options:
                raise UndefinedUse(Undefined(name=str(name)))
            value = call.options["default"]
        found.append(finished(value))
    return found


def names(call: LookupCall) -> list[Any]:
    """`varnames`: the names of variables that match one of the expressions."""
    found: list[Any] = []
    for term in call.terms:
        try:
            pattern = re.compile(str(term))
        except re.error as error:
            raise TemplateError(f"the regular expression '{term}': {error}", hint="'.' matches any character") from None
        found.extend(name for name in call.templar.names() if pattern.search(name))
    return found


def environment(call: LookupCall) -> list[Any]:
    """`env`: the controller's environment variables; empty, or `default`, for one that is not set."""
    return [os.environ.get(str(term), call.option("default", "")) for term in call.terms]


def inventory_hostnames(call: LookupCall) -> list[Any]:
    """The hosts of the inventory that match patterns."""
    if call.templar.inventory_hostnames is None:
        raise TemplateError("it is known only inside a play", hint="use groups['name']")
    return list(call.templar.inventory_hostnames(":".join(map(str, call.terms))))


def config(call: LookupCall) -> list[Any]:
    raise TemplateError("it reads Ansible's own settings, which there are none of here", hint="put the value into a variable")


LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {
    "vars": variables,
    "varnames": names,
    "env": environment,
    "inventory_hostnames": inventory_hostnames,
    "config": config,
}
