"""Dates and times."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from typing import Any

from jinja2.utils import pass_context

from ringup.errors import TemplateError


def to_datetime(text: str, format: str = "%Y-%m-%d %H:%M:%S") -> datetime.datetime:
    try:
        return datetime.datetime.strptime(text, format)
    except (ValueError, TypeError) as error:
        raise TemplateError(f"to_datetime: {error}", hint="give the format of the text: to_datetime('%Y-%m-%d')") from None


@pass_context
def strftime(context: Any, format: str, second: Any = None, utc: bool = False) -> str:
    """`'%Y-%m-%d' | strftime(epoch)`; now without an epoch."""
    try:
        moment = None if second is None else float(second)
    except (TypeError, ValueError):
        raise TemplateError(f"strftime: {second!r} is no number of seconds", hint="give an epoch, as ansible_date_time.epoch is") from None
    return time.strftime(format, (time.gmtime if utc else time.localtime)(moment))


FILTERS: dict[str, Callable[..., Any]] = {"to_datetime": to_datetime, "strftime": strftime}
