"""Paths on the controller (`realpath`, `expanduser`, `fileglob`) or of any machine (`basename`, `win_dirname`)."""

from __future__ import annotations

import glob
import ntpath
import os.path
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ringup.errors import TemplateError


def path_join(paths: Any) -> str:
    if isinstance(paths, str):
        return paths
    if isinstance(paths, list | tuple):
        return os.path.join(*map(str, paths))  # noqa: PTH118 - '..' and '//' stay as they are
    raise TemplateError(f"path_join takes a list of names, not {paths!r}", hint="write ['/opt', name] | path_join")


def commonpath(paths: Any) -> str:
    if not isinstance(paths, list | tuple):
        raise TemplateError(f"commonpath takes a list of paths, not {paths!r}", hint="write a list: ['/a/b', '/a/c'] | commonpath")
    return os.path.commonpath([str(path) for path in paths])


def fileglob(pattern: str) -> list[str]:
    """The files, not folders, on the controller that a shell pattern matches."""
    return [name for name in glob.glob(str(pattern)) if Path(name).is_file()]  # noqa: PTH207 - the pattern may be absolute


def _of_text(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_text(value: Any, *args: Any, **kwargs: Any) -> Any:
        return function(str(value), *args, **kwargs)

    return of_text


FILTERS: dict[str, Callable[..., Any]] = {
    "basename": _of_text(os.path.basename),
    "dirname": _of_text(os.path.dirname),
    "expanduser": _of_text(os.path.expanduser),
    "expandvars": _of_text(os.path.expandvars),
    "realpath": _of_text(os.path.realpath),
    "relpath": _of_text(os.path.relpath),
    "normpath": _of_text(os.path.normpath),
    "splitext": _of_text(os.path.splitext),
    "win_basename": _of_text(ntpath.basename),
    "win_dirname": _of_text(ntpath.dirname),
    "win_splitdrive": _of_text(ntpath.splitdrive),
    "path_join": path_join,
    "commonpath": commonpath,
    "fileglob": fileglob,
}
