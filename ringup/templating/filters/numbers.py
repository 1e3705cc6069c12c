"""Numbers, sizes, chance."""

from __future__ import annotations

import math
import random as chance
import re
from collections.abc import Callable
from typing import Any

from jinja2.utils import pass_context

from ringup.errors import TemplateError

UNITS = {unit: 1 << (10 * power) for power, unit in enumerate("BKMGTPEZY")}
NAMES = {"K": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta", "E": "exa", "Z": "zeta", "Y": "yotta"}
SIZE = re.compile(r"([0-9]*\.?[0-9]+)(?:\s*([A-Za-z]+))?\s*\Z")


def log(value: Any, base: float = math.e) -> float:
    return _number("log", lambda: math.log10(value) if base == 10 else math.log(value, base))


def power(value: Any, exponent: float) -> float:
    return _number("pow", lambda: math.pow(value, exponent))


def root(value: Any, base: float = 2) -> float:
    return _number("root", lambda: math.sqrt(value) if base == 2 else math.pow(value, 1.0 / float(base)))


def _number(name: str, compute: Callable[[], float]) -> float:
    try:
        return compute()
    except (TypeError, ValueError, OverflowError) as error:
        raise TemplateError(f"{name}: {error}", hint="it takes numbers; '| int' or '| float' makes one of a text") from None


def human_readable(size: Any, isbits: bool = False, unit: str | None = None) -> str:
    """`1048576` as `1.00 MB`; powers of 1024, as Ansible counts."""
    try:
        amount = float(size)
    except (TypeError, ValueError):
        raise TemplateError(f"human_readable takes a number, not {size!r}", hint="write '| int' before it") from None
    chosen = next((name for name in reversed(UNITS) if (name == unit.upper() if unit else amount >= UNITS[name])), "B")
    suffix = ("bits" if isbits else "Bytes") if chosen == "B" else chosen + ("b" if isbits else "B")
    return f"{amount / UNITS[chosen]:.2f} {suffix}"


def human_to_bytes(size: Any, default_unit: str | None = None, isbits: bool = False) -> int:
    """`10G` or `1.5 MB` as a number of bytes (bits with `isbits`)."""
    found = SIZE.match(str(size))
    if found is None:
        raise TemplateError(f"human_to_bytes cannot read {size!r}", hint="write a number and a unit: 10GB")
    unit = found[2] or default_unit
    if unit is None:
        return round(float(found[1]))
    scale = UNITS.get(unit[0].upper())
    end = "b" if isbits else "B"
    word = NAMES.get(unit[0].upper(), "") + ("bit" if isbits else "byte")
    if scale is None or not (len(unit) == 1 or unit.lower() == word or unit in (unit[0].upper() + end, end)):
        raise TemplateError(f"human_to_bytes: the unit of {size!r} is not known", hint=f"write K{end}, M{end}, G{end}, T{end} ...")
    return round(float(found[1]) * scale)


@pass_context
def random(context: Any, end: Any, start: int | None = None, step: int | None = None, seed: Any = None) -> Any:
    """A random item of a list, or a number below `end`; the same each time for one `seed`."""
    source = chance.SystemRandom() if seed is None else chance.Random(seed)
    if isinstance(end, int):
        return source.randrange(start or 0, end, step or 1)
    if start or step:
        raise TemplateError("random: start and step go with a number only", hint="cut the list by a slice")
    return source.choice(list(end))


@pass_context
def shuffle(context: Any, values: Any, seed: Any = None) -> list[Any]:
    """The list in random order; the same each time for one `seed`."""
    shuffled = list(values)
    (chance.Random(seed) if seed else chance.SystemRandom()).shuffle(shuffled)
    return shuffled


FILTERS: dict[str, Callable[..., Any]] = {
    "log": log,
    "pow": power,
    "root": root,
    "human_readable": human_readable,
    "human_to_bytes": human_to_bytes,
    "random": random,
    "shuffle": shuffle,
}
