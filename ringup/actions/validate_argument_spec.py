"""Hold variables against a role's declaration of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ringup.actions.call import ActionCall
from ringup.agent.arguments import PARSERS, Arguments, nearest, option
from ringup.errors import TaskFailed
from ringup.results import Result

NEEDS_HOST = False
#: kinds of a role's argument_specs that the agent's own options do not have
ALSO: Mapping[str, Callable[[Any], Any]] = {"json": lambda value: value, "jsonarg": lambda value: value, "bytes": str, "bits": str}


class Args(Arguments):
    """Hold variables of the host against a specification of arguments."""

    argument_spec = option("dict", required=True, help="name -> type, required, choices, elements, options")
    provided_arguments = option("dict", default={}, help="values that go before the host's variables")
    validate_args_context = option("dict", default={}, help="where the specification comes from; part of the result")


def run(call: ActionCall) -> Result:
    spec = call.args.argument_spec
    given = {name: call.templar.render("{{ " + name + " }}") for name in spec if name in call.variables}
    errors = list(mistakes({**given, **call.args.provided_arguments}, spec))
    values: dict[str, Any] = {"changed": False, "validate_args_context": call.args.validate_args_context}
    if errors:
        text = "Validation of arguments failed:\n" + "\n".join(errors)
        return Result({**values, "failed": True, "msg": text, "argument_spec_data": spec, "argument_errors": errors})
    return Result({**values, "msg": "The arg spec validation passed"})


def mistakes(given: Mapping[str, Any], spec: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """What is wrong with values, a sentence each.

    Args:
        given: rendered values by name or alias.
        spec: of these values, as in meta/argument_specs.yaml.
        path: of the mapping they are in: "disks[0]".
    """
    missing = [name for name, wanted in spec.items() if wanted.get("required") and _value(given, name, wanted) is None]
    if missing:
        within = f" found in {path}" if path else ""
        yield f"missing required arguments: {', '.join(sorted(missing))}{within}"
    if path:
        yield from _unknown(given, spec, path)
    for name, wanted in spec.items():
        value = _value(given, name, wanted)
        if value is not None:
            yield from _of_value(value, wanted, f"{path}.{name}" if path else name)


def _value(given: Mapping[str, Any], name: str, wanted: Mapping[str, Any]) -> Any:
    words = [name, *(wanted.get("aliases") or ())]
    return next((given[word] for word in words if given.get(word) is not None), wanted.get("default"))


def _unknown(given: Mapping[str, Any], spec: Mapping[str, Any], path: str) -> Iterator[str]:
    known = {word for name, wanted in spec.items() for word in (name, *(wanted.get("aliases") or ()))}
    for word in given:
        if word not in known:
            close = nearest(word, known)
            yield f"{path}.{word} is not supported" + (
                f": did you mean '{close}'?" if close else f". Supported: {', '.join(sorted(known))}"
            )


def _of_value(value: Any, wanted: Mapping[str, Any], path: str) -> Iterator[str]:
    kind = wanted.get("type", "str")
    try:
        parsed = _parsed(value, kind)
    except ValueError as error:
        yield f"argument '{path}' is {value!r} and must be {error}"
        return
    choices = wanted.get("choices")
    if choices and any(part not in choices for part in (parsed if isinstance(parsed, list) else [parsed])):
        yield f"value of {path} must be one of: {', '.join(map(str, choices))}, got: {value}"
    if kind == "dict" and wanted.get("options"):
        yield from mistakes(parsed, wanted["options"], path)
    elif kind == "list":
        yield from _of_elements(parsed, wanted, path)


def _of_elements(parsed: list[Any], wanted: Mapping[str, Any], path: str) -> Iterator[str]:
    elements = wanted.get("elements")
    if elements is None:
        return
    for index, element in enumerate(parsed):
        nested = {"type": elements, "options": wanted.get("options")}
        yield from _of_value(element, nested, f"{path}[{index}]")


def _parsed(value: Any, kind: str) -> Any:
    parse: Callable[[Any], Any] | None = PARSERS.get(kind) or ALSO.get(kind)
    if parse is None:
        raise TaskFailed(f"the type '{kind}' in argument_spec is not known", hint=f"known are {', '.join(sorted([*PARSERS, *ALSO]))}")
    return parse(value)
