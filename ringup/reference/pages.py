"""All pages of the reference, and how those on disk compare with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringup.reference import errors, facts, modules, roles, tasks


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the reference.

    Attributes:
        path: below docs/reference, such as `modules/copy.md`.
        text: all of it.
    """

    path: str
    text: str


def all_pages(commands: Mapping[str, Any], specs: Mapping[str, Any], role_folder: Path) -> tuple[Page, ...]:
    """The whole reference.

    Args:
        commands: the tasks by name, as `ringup.tasks.docs.own_copies` gives them.
        specs: modules and actions by name.
        role_folder: `roles/` of the project.
    """
    return (
        Page("tasks.md", tasks.tasks_page(commands)),
        Page("modules.md", modules.index_page(specs)),
        *(Page(f"modules/{name}.md", modules.module_page(specs[name])) for name in modules.shown(specs)),
        Page("roles.md", roles.roles_page(role_folder)),
        Page("facts.md", facts.facts_page()),
        Page("errors.md", errors.errors_page()),
    )


def stale(pages: tuple[Page, ...], folder: Path) -> tuple[str, ...]:
    """Paths that are missing in a folder, differ there, or have no page any more."""
    wanted = {page.path: page.text for page in pages}
    present = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.md")}
    return tuple(sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name)))


def write(pages: tuple[Page, ...], folder: Path) -> tuple[str, ...]:
    """Bring a folder to the pages; what has no page any more is removed.

    Returns:
        the paths that changed.
    """
    changed = stale(pages, folder)
    wanted = {page.path: page.text for page in pages}
    for name in changed:
        path = folder / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
    return changed
