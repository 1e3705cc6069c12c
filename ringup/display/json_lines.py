"""Events as JSON lines, for programs. One object a line: `event` is the event's name, the rest are its fields."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, TextIO

from ringup.events import Event
from ringup.results import Result
from ringup.source import Source


def event_as_dict(event: Event) -> dict[str, Any]:
    """An event as plain JSON values; results as `shown()`, so that nothing secret leaves."""
    fields = {field.name: _plain(getattr(event, field.name)) for field in dataclasses.fields(event)}
    return {"event": type(event).__name__, **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, Result):
        return _plain(value.shown())
    if isinstance(value, Source):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value


class JsonLines:
    """Writes each event as it comes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def on(self, event: Event) -> None:
        self._stream.write(json.dumps(event_as_dict(event), default=str, ensure_ascii=False) + "\n")
        self._stream.flush()
