"""Keywords that are true or false once they are rendered: a template may give the text "false", which Python takes for true."""

from __future__ import annotations

from typing import Any

from ringup.agent.arguments import boolean
from ringup.errors import TemplateError
from ringup.source import Source


def truth(value: Any, keyword: str, where: Source | None = None) -> bool:
    """A rendered keyword as a boolean; nothing is false.

    Raises:
        TemplateError: it is neither true nor false.
    """
    if value is None or value == "":
        return False
    try:
        return bool(boolean(value))
    except ValueError:
        raise TemplateError(f"{keyword} must be true or false, not {value!r}", where=where, hint="end the template with | bool") from None
