"""`group_vars/` and `host_vars/`: which files of a folder belong to a group or host, and what is in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringup.errors import InventoryError
from ringup.inventory.values import Layer
from ringup.source import Source
from ringup.yamlfile import Decrypt, load_yaml, shown_path

#: Endings of files with variables, the first that exists is taken.
ENDINGS = ("", ".yml", ".yaml", ".json")


class VariableFiles:
    """Reads each folder once and each file once.

    Args:
        decrypt: for files that are vaulted as a whole.
    """

    def __init__(self, decrypt: Decrypt | None = None) -> None:
        self._decrypt = decrypt
        self._listings: dict[Path, dict[str, Path]] = {}
        self._layers: dict[Path, tuple[Layer, ...]] = {}

    def layers(self, folder: Path, kind: str, name: str) -> tuple[Layer, ...]:
        """The layers for a group or host; several when `group_vars/NAME` is a folder.

        Args:
            folder: the inventory's or the playbook's.
            kind: `group_vars` or `host_vars`.
        Raises:
            InputError: a file that cannot be read.
            InventoryError: a file that holds no mapping.
        """
        listing = self._listings.get(folder / kind)
        if listing is None:
            listing = self._listings[folder / kind] = _listed(folder / kind)
        found = next((listing[name + ending] for ending in ENDINGS if name + ending in listing), None)
        if found is None:
            return ()
        layers = self._layers.get(found)
        if layers is None:
            layers = self._layers[found] = tuple(self._layer(path, f"{kind}/{name}") for path in _files(found))
        return layers

    def _layer(self, path: Path, name: str) -> Layer:
        content = load_yaml(path, decrypt=self._decrypt)
        source = Source(shown_path(path))
        if content is None:
            return Layer(name, source)
        if not isinstance(content, Mapping):
            raise InventoryError("a file of variables is a mapping", where=Source(source.path, 1), hint="write 'name: value' lines")
        for key in content:
            if not isinstance(key, str):
                place: Any = getattr(content, "key_source", lambda _: source)(key)
                raise InventoryError(f"the variable {key!r} has no text for a name", where=place, hint=f'quote it: "{key}"')
        return Layer(name, source, content)


def _listed(folder: Path) -> dict[str, Path]:
    try:
        return {path.name: path for path in folder.iterdir()}
    except (FileNotFoundError, NotADirectoryError):
        return {}


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for inner in sorted(path.iterdir()):
        if inner.name.startswith(".") or inner.name.endswith("~"):
            continue
        if inner.is_dir():
            found += _files(inner)
        elif inner.suffix in ENDINGS:
            found.append(inner)
    return found
