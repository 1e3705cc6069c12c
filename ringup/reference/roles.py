"""Roles as a page: what each is for and the variables it reads, from its argument_specs and its defaults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ringup.reference.markdown import code, codes, page, table

INTRODUCTION = """\
The roles of the toolkit. A variable is set in the inventory (a group's or a host's) or with `-e`; without that, the default holds.
What is wished of driver, CUDA and PyTorch is said in variables of its own: [variables](../variables.md)."""


def roles_page(folder: Path) -> str:
    """All roles of a folder.

    Args:
        folder: `roles/` of the project.
    """
    names = sorted(path.name for path in folder.iterdir() if (path / "tasks").is_dir())
    return page("Roles", INTRODUCTION, *(_section(folder / name) for name in names))


def _section(role: Path) -> str:
    spec = (_read(role / "meta" / "argument_specs.yaml").get("argument_specs") or {}).get("main") or {}
    options = spec.get("options") or {}
    written = _text(role / "defaults" / "main.yaml")
    parts = [f"## {role.name}", str(spec.get("short_description", ""))]
    if options:
        parts.append(table(["Variable", "Kind", "Meaning"], _rows(options)))
    if written:
        parts += ["Defaults:", f"```yaml\n{written}\n```"]
    return "\n\n".join(part for part in parts if part)


def _rows(options: dict[str, Any]) -> Iterator[list[str]]:
    for name, option in options.items():
        kind = str(option.get("type", "str"))
        elements = f" of {option['elements']}" if option.get("elements") else ""
        choices = f" One of {codes(option['choices'])}." if option.get("choices") else ""
        yield [code(name), kind + elements, str(option.get("description", "")) + choices]


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_text(path)) or {}
    return found


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
