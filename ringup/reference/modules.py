"""Modules and actions as pages, from their declarations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ringup.agent.arguments import Arguments, Option
from ringup.reference.markdown import code, codes, page, table

#: what a kind means to somebody who writes a playbook
KINDS = {
    "converge": "Changes what is not as wanted, and nothing else. Check mode says what would change.",
    "read": "Reads, changes nothing; runs in check mode too.",
    "run": "Runs something; what that changes only its author knows.",
    "action": "Works from the controller, and through modules on the host.",
    "flow": "Steers the run itself.",
}
#: modules that other modules and actions use; a playbook has no need of them
INNER = frozenset(("ring_mesh", "ring_port", "ring_worker", "run_script", "send_file", "wheel_environment"))
INTRODUCTION = """\
All names that a task may use. `copy`, `ansible.builtin.copy` and `ringup.copy` are one module; what is not here is refused before any host
is touched. Options have Ansible's names and meaning; those that differ are told in [differences](../differences.md)."""


def shown(specs: Mapping[str, Any]) -> list[str]:
    """The names that have a page, in the order of the index."""
    return sorted(name for name in specs if name not in INNER)


def index_page(specs: Mapping[str, Any]) -> str:
    """All modules with their one line."""
    rows = [[f"[{name}](modules/{name}.md)", specs[name].kind, specs[name].summary] for name in shown(specs)]
    kinds = table(["Kind", "What that means"], [[kind, text] for kind, text in KINDS.items()])
    return page("Modules", INTRODUCTION, table(["Module", "Kind", "What it does"], rows), "## Kinds", kinds)


def module_page(spec: Any) -> str:
    """One module: what it does, its options, what must or must not be given together."""
    options = [option for option in spec.args.options().values() if not option.help.startswith("internal")]
    rows = [[_names(one), kind(one), default(one), meaning(one)] for one in options]
    described = table(["Option", "Kind", "Default", "Meaning"], rows) if rows else "No options."
    rules = "\n".join(f"- {rule}" for rule in sorted(rule for rule in _rules(spec.args)))
    return page(spec.name, _description(spec.description), f"*{spec.kind}*: {KINDS[spec.kind]}", described, rules)


def _description(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def _names(option: Option) -> str:
    also = f" (also {codes(option.aliases)})" if option.aliases else ""
    return code(option.name) + also


def kind(option: Option) -> str:
    """The kind of an option's value, as words."""
    return f"list of {option.elements}" if option.kind == "list" and option.elements else option.kind


def default(option: Option) -> str:
    """What holds when the option is left out."""
    if option.required:
        return "needed"
    if option.default is None or option.default in ("", [], {}):
        return ""
    if isinstance(option.default, (bool, list, tuple, dict)):
        return code(json.dumps(option.default))
    return code(option.default)


def meaning(option: Option) -> str:
    """The help of an option, with its choices; a secret one says so."""
    choices = f"One of {codes(option.choices)}." if option.choices else ""
    secret = "Never shown." if option.secret else ""
    return " ".join(part for part in (f"{option.help.rstrip('.')}.", choices, secret) if part)


def _rules(args: type[Arguments]) -> Iterator[str]:
    if args.free_form:
        yield (
            f"The text after the module's name is {code(args.free_form)}."
            if args.free_form != "free_form"
            else "The text after the name says what."
        )
    if args.other_options:
        yield f"Every other name is taken as an entry of {code(args.other_options)}."
    for names in args.required_one_of:
        yield f"One of {codes(names)} is needed."
    for names in args.mutually_exclusive:
        yield f"Only one of {codes(names)} may be given."
    for names in args.required_together:
        yield f"{codes(names)} go together."
    for name, value, needed in args.required_if:
        yield f"When {code(name)} is {code(value)}, {codes(needed)} must be given."
    if args.expressions:
        yield f"Expressions, without braces: {codes(args.expressions)}."
