"""Where roles and files of tasks are looked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ringup.errors import PlaybookError
from ringup.playbook.values import Task
from ringup.source import Source
from ringup.yamlfile import shown_path

EXTENSIONS = (".yml", ".yaml", ".json", "")
#: a folder with one of these is a role
PARTS = ("tasks", "handlers", "defaults", "vars", "meta", "files", "templates")


def find_role(name: str, where: Source, playbook_folder: Path, roles_path: Iterable[Path], beside: Path | None) -> Path:
    """The folder of a role.

    Args:
        name: as written: a name, or a path.
        beside: the folder that holds the role which asks for it.
    Returns:
        the first of: roles/ of the playbook's folder, the folders of roles, those beside the asking role, the playbook's folder, a path.
    Raises:
        PlaybookError: it is nowhere; the hint names the nearest role, or the folders.
    """
    folders = [playbook_folder / "roles", *roles_path, *([beside] if beside is not None else []), playbook_folder]
    for folder in folders:
        if (folder / name).is_dir():
            return folder / name
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser()
    known = {entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir() if _is_role(entry)}
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    looked = ", ".join(dict.fromkeys(shown_path(folder) for folder in folders))
    hint = f"did you mean '{near[0]}'?" if near else f"looked in {looked}"
    if not near and name.count(".") == 2:
        hint = f"roles of collections are not supported: put it into {shown_path(folders[0])}"
    raise PlaybookError(f"there is no role '{name}'", where=where, hint=hint)


def _is_role(folder: Path) -> bool:
    return any((folder / part).is_dir() for part in PARTS)


def find_part(folder: Path, name: str = "main") -> Path | None:
    """A file of a role's folder by its name without extension, or the folder of that name; None when there is neither."""
    endings = ("", *EXTENSIONS) if Path(name).suffix in EXTENSIONS[:3] else EXTENSIONS
    for ending in endings:
        candidate = folder / f"{name}{ending}"
        if candidate.is_file():
            return candidate
    return folder / name if (folder / name).is_dir() else None


def files_in(path: Path) -> Iterator[Path]:
    """A file itself; of a folder, its YAML files in order of name, at any depth."""
    if path.is_file():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if not entry.name.startswith(".") and (entry.is_dir() or entry.suffix in EXTENSIONS[:3]):
            yield from files_in(entry)


def task_folders(folder: Path, role_path: Path | None, playbook_folder: Path, *, handlers: bool = False) -> tuple[Path, ...]:
    """The folders in which a file of tasks is looked for, best first: beside the file that names it, in the role, beside the playbook."""
    kind = "handlers" if handlers else "tasks"
    role = (role_path / kind, role_path) if role_path is not None else ()
    return tuple(dict.fromkeys((folder, *role, playbook_folder, playbook_folder / kind)))


def find_file(name: str, folders: Iterable[Path], where: Source, what: str = "file") -> Path:
    """The first file of that name in the folders.

    Raises:
        PlaybookError: there is none; the hint names a near one, or the folders.
    """
    wanted = Path(name).expanduser()
    candidates = [wanted] if wanted.is_absolute() else [folder / wanted for folder in folders]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    # by stems: every file looks like every other by its extension
    files = (entry for candidate in candidates if candidate.parent.is_dir() for entry in candidate.parent.iterdir())
    neighbours = {entry.stem: entry.name for entry in files if entry.is_file()}
    near = [neighbours[stem] for stem in difflib.get_close_matches(wanted.stem, neighbours, n=1, cutoff=0.6)]
    looked = ", ".join(dict.fromkeys(shown_path(candidate.parent) for candidate in candidates))
    raise PlaybookError(f"there is no {what} '{name}'", where=where, hint=f"did you mean '{near[0]}'?" if near else f"looked in {looked}")


def find_tasks_file(name: str, include: Task, playbook_folder: Path, *, handlers: bool = False) -> Path:
    """The file that an `include_tasks` names once its name is rendered.

    Raises:
        PlaybookError: there is none.
    """
    role_path = include.role.path if include.role is not None else None
    folders = task_folders(include.folder, role_path, playbook_folder, handlers=handlers)
    return find_file(name, folders, include.source, "file of tasks")
