"""What a module or action accepts, declared once: validation, help, docs and completion come from here.

class Args(Arguments):
    "Ensure a directory (or its absence)."
    path = option("path", required=True, help="the directory")
    state = option("str", choices=("directory", "absent"), default="directory", help="what must be true")

args = parse(Args, {"path": "/opt/data"})     -> args.path, args.state
"""

import os

MYPY = False
if MYPY:  # only for the type checker: typing costs every host 4 ms to import
    from typing import Any  # noqa: F401 - named in the types of comments


class ArgumentError(Exception):
    """The arguments of a task do not fit; `hint` says what to type instead."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.message = message
        self.hint = hint


class Option:
    """One option of a module.

    Attributes:
        kind: str, path, bool, int, float, list, dict, mode (octal or symbolic) or raw (anything).
        elements: the kind of a list's elements.
        secret: the value is never shown.
    """

    def __init__(self, kind, required, default, choices, aliases, elements, secret, help):
        self.name = ""
        self.kind = kind
        self.required = required
        self.default = default
        self.choices = tuple(choices)
        self.aliases = tuple(aliases)
        self.elements = elements
        self.secret = secret
        self.help = help

    def __set_name__(self, owner, name):
        self.name = name.rstrip("_")


def option(kind, required=False, default=None, choices=(), aliases=(), elements=None, secret=False, help=""):
    # type: (...) -> Any
    """Declare an option of `Args`; in an instance the attribute holds the parsed value."""
    return Option(kind, required, default, choices, aliases, elements, secret, help)


class Arguments:
    """Base of every module's `Args`. The docstring's first line is the module's one-line help.

    Class attributes that a subclass may set:
        free_form: name of the option that takes the text of `module: text` (command, shell, raw), or None.
        required_one_of, mutually_exclusive, required_together: tuples of tuples of option names.
        required_if: tuples (option, value, (needed, ...)).
        other_options: name of the dict option that takes every option without a name of its own (set_fact, add_host), or None.
        expressions: names of options that are conditions or expressions, not templates (`assert: that`).
        attributes: the names of attributes every file module takes are merged by `file_options()`.
    """

    free_form = None  # type: str | None
    required_one_of = ()  # type: tuple[tuple[str, ...], ...]
    mutually_exclusive = ()  # type: tuple[tuple[str, ...], ...]
    required_together = ()  # type: tuple[tuple[str, ...], ...]
    required_if = ()  # type: tuple[tuple[str, object, tuple[str, ...]], ...]
    other_options = None  # type: str | None
    expressions = ()  # type: tuple[str, ...]

    @classmethod
    def options(cls):
        """Every option by its canonical name, in the order of declaration."""
        found = {}
        for owner in reversed(cls.__mro__):
            for value in vars(owner).values():
                if isinstance(value, Option):
                    found[value.name] = value
        return found

    def __init__(self, values):
        for attribute in dir(type(self)):
            declared = getattr(type(self), attribute)
            if isinstance(declared, Option):
                setattr(self, attribute, values[declared.name])


class FileAttributes(Arguments):
    """Options shared by modules that leave a file behind."""

    mode = option("mode", help="permissions: octal ('0644', quoted) or symbolic ('u=rw,g=r'), or 'preserve' for copy and template")
    owner = option("str", help="user name or id that owns the file")
    group = option("str", help="group name or id of the file")


TRUE = frozenset(("y", "yes", "on", "1", "true", "t"))
FALSE = frozenset(("n", "no", "off", "0", "false", "f"))


def boolean(value):
    """Ansible's booleans: y/yes/on/1/true/t and n/no/off/0/false/f in any case."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in TRUE or value == 1:
        return True
    if text in FALSE or value == 0:
        return False
    raise ValueError("a boolean (yes or no)")


def _listed(value):
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")] if value else []
    if isinstance(value, (int, float)):
        return [value]
    raise ValueError("a list")


def _text(value):
    if isinstance(value, (dict, list)):
        raise ValueError("a string")
    return value if isinstance(value, str) else str(value)


def _mapped(value):
    if not isinstance(value, dict):
        raise ValueError("a dictionary")
    return value


def _mode(value):
    # an unquoted 0644 in YAML 1.1 is already the integer 420, which is what was meant
    return "%04o" % value if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _whole(value):
    if isinstance(value, bool) or (isinstance(value, float) and value != int(value)):
        raise ValueError("a whole number")
    try:
        return int(value)
    except (TypeError, ValueError):
        raise ValueError("a whole number")


def _number(value):
    if isinstance(value, bool):
        raise ValueError("a number")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError("a number")


PARSERS = {
    "str": _text,
    "path": lambda value: os.path.expanduser(_text(value)),
    "bool": boolean,
    "int": _whole,
    "float": _number,
    "list": _listed,
    "dict": _mapped,
    "mode": _mode,
    "raw": lambda value: value,
}


def nearest(word, known):
    """The known word closest to a misspelt one, or None."""
    import difflib

    close = difflib.get_close_matches(str(word), sorted(known), n=1, cutoff=0.6)
    return close[0] if close else None


def resolve_names(spec, given):
    """Given arguments under canonical names.

    Raises:
        ArgumentError: an option is unknown, or is given under two of its names.
    """
    options = spec.options()
    # the option that collects the others is not written by its own name: `set_fact: facts=1` is a fact of that name
    named = {name: declared for name, declared in options.items() if name != spec.other_options}
    names = {alias: name for name, declared in named.items() for alias in declared.aliases + (name,)}
    resolved = {}  # type: dict[str, Any]
    for word, value in given.items():
        if word not in names and spec.other_options is not None:
            resolved.setdefault(spec.other_options, {})[word] = value
            continue
        if word not in names:
            close = nearest(word, names)
            known = ", ".join(sorted(options))
            raise ArgumentError("unknown option '%s'" % word, "did you mean '%s'?" % close if close else "known options: %s" % known)
        if names[word] in resolved:
            raise ArgumentError("option '%s' is given twice, under two names" % names[word], "keep one of them")
        resolved[names[word]] = value
    return resolved


def check_names(spec, given):
    """What can be judged before any value is rendered: unknown, missing and mutually exclusive options.

    Raises:
        ArgumentError: with a hint that names the nearest option.
    """
    resolved = resolve_names(spec, given)
    # an explicit null counts as absent, as ansible-core's argument specs do
    present = {name for name, value in resolved.items() if value is not None}
    for name, declared in spec.options().items():
        if declared.required and name not in present:
            raise ArgumentError("missing option '%s'" % name, declared.help)
    for names in spec.required_one_of:
        if not present.intersection(names):
            raise ArgumentError("one of %s is needed" % ", ".join(names))
    for names in spec.mutually_exclusive:
        both = sorted(present.intersection(names))
        if len(both) > 1:
            raise ArgumentError("%s exclude each other" % " and ".join(both), "keep one of them")
    for names in spec.required_together:
        some = present.intersection(names)
        if some and len(some) < len(names):
            raise ArgumentError("%s go together" % ", ".join(names))
    return resolved


def parse_value(declared, value):
    """One value as its option's kind; raises ArgumentError."""
    try:
        parsed = PARSERS[declared.kind](value)
        if declared.kind == "list" and declared.elements:
            parsed = [PARSERS[declared.elements](element) for element in parsed]
    except ValueError as wanted:
        shown = "a secret" if declared.secret else repr(value)
        raise ArgumentError("option '%s' must be %s, not %s" % (declared.name, wanted, shown))
    if declared.choices and parsed not in declared.choices:
        close = nearest(parsed, [str(choice) for choice in declared.choices])
        known = ", ".join(str(choice) for choice in declared.choices)
        hint = "did you mean '%s'?" % close if close else "one of: %s" % known
        raise ArgumentError("option '%s' cannot be '%s'" % (declared.name, parsed), hint)
    return parsed


def parse(spec, given):
    """The arguments as an instance of `spec`, every option present.

    Args:
        spec: a subclass of `Arguments`.
        given: rendered arguments by name or alias.
    Raises:
        ArgumentError: unknown, missing, contradicting or malformed options.
    """
    resolved = check_names(spec, given)
    values = {}
    for name, declared in spec.options().items():
        value = resolved.get(name)
        values[name] = parse_value(declared, value) if value is not None else declared.default
    for name, wanted, needed in spec.required_if:
        if values.get(name) == wanted:
            for other in needed:
                if values.get(other) is None:
                    raise ArgumentError("option '%s' is needed when %s is '%s'" % (other, name, wanted))
    return spec(values)
