"""Lookups that make values: passwords kept in a file, sequences."""

from __future__ import annotations

import os
import re
import secrets
import string
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.filters.encoding import password_hash
from ringup.templating.lookups.call import LookupCall
from ringup.yamlfile import read_text

PASSWORD_OPTIONS = ("length", "chars", "encrypt", "ident", "seed")
SALTED = re.compile(r"(.*) salt=(\S+)\Z", re.DOTALL)
SEQUENCE_OPTIONS = ("start", "end", "stride", "count", "format")
SHORT_SEQUENCE = re.compile(r"(?:(-?(?:0x)?[0-9a-f]+)-)?(-?(?:0x)?[0-9a-f]+)(?:/(-?(?:0x)?[0-9a-f]+))?(?::(.+))?\Z", re.IGNORECASE)
_password_lock = threading.Lock()


def password(call: LookupCall) -> list[Any]:
    """The password in a file, made (20 letters, digits and .,:-_ unless said otherwise) when there is no such file yet."""
    found = []
    for term in call.terms:
        name, options = call.with_pairs(str(term), PASSWORD_OPTIONS)
        # two hosts may ask for one file at the same moment and must get one password
        with _password_lock:
            found.append(_kept_password(call, name, options))
    return found


def _kept_password(call: LookupCall, name: str, options: dict[str, Any]) -> str:
    path = Path(name).expanduser()
    if not path.is_absolute() and call.templar.search_path:
        path = call.templar.search_path[-1] / path
    kept = read_text(path).rstrip("\n") if str(path) != os.devnull and path.exists() else ""
    salted = SALTED.match(kept)
    plain, salt = (salted[1], salted[2]) if salted else (kept, None)
    made = not plain
    if made:
        letters = _letters(options.get("chars", ["ascii_letters", "digits", ".,:-_"]))
        plain = "".join(secrets.choice(letters) for _ in range(int(options.get("length", 20))))
    encrypted = plain
    if options.get("encrypt"):
        made = made or salt is None
        salt = salt or "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(8))
        encrypted = password_hash(None, plain, str(options["encrypt"]), salt, ident=options.get("ident"))
    if made and str(path) != os.devnull:
        _keep(path, f"{plain} salt={salt}" if salt else plain)
    return encrypted


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    partial.replace(path)


def _letters(chars: Any) -> str:
    names = chars.replace(",,", "\0").split(",") if isinstance(chars, str) else list(chars)
    letters = "".join(getattr(string, str(name), str(name).replace("\0", ",")) for name in names)
    if not letters:
        raise TemplateError("no characters to choose from", hint="chars=ascii_letters,digits")
    return letters


def sequence(call: LookupCall) -> list[Any]:
    """Numbers as texts: `start=1 end=5 stride=2 format=node%02d`, or short `1-5/2:node%02d`."""
    found: list[Any] = []
    for term in call.terms or [""]:
        rest, options = call.with_pairs(str(term), SEQUENCE_OPTIONS)
        short = SHORT_SEQUENCE.match(rest) if rest else None
        if rest and short is None:
            raise TemplateError(f"'{term}' is no sequence", hint="start=1 end=5 stride=2 format=node%02d")
        if short is not None:
            given = zip(("start", "end", "stride", "format"), short.groups(), strict=True)
            options.update({name: value for name, value in given if value is not None})
        found.extend(_numbers(options))
    return found


def _numbers(options: dict[str, Any]) -> list[str]:
    try:
        start, stride = (int(str(options.get(name, 1)), 0) for name in ("start", "stride"))
        end = int(str(options["end"]), 0) if "end" in options else None
        count = int(str(options["count"]), 0) if "count" in options else None
    except ValueError as error:
        raise TemplateError(f"a number is expected: {error}", hint="start=1 end=5 stride=2") from None
    if (end is None) == (count is None):
        raise TemplateError("it takes either end or count", hint="write end=5, or count=5")
    if count is not None:
        end = start + count * stride - (1 if stride > 0 else -1) if count else start - stride
    if end is None or stride == 0 or (count != 0 and (end - start) * stride < 0):
        raise TemplateError(f"from {start} to {end} by steps of {stride} there is no way", hint="to count down, write stride=-1")
    form = str(options.get("format", "%d"))
    try:
        return [form % number for number in range(start, end + (1 if stride > 0 else -1), stride)]
    except (TypeError, ValueError):
        raise TemplateError(f"the format '{form}' takes no number", hint="write one %d, %02d or %x in it") from None


LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {"password": password, "sequence": sequence}
