"""Reads a YAML file from disk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from ringup.errors import InputError
from ringup.source import Source
from ringup.yamlfile.building import Builder
from ringup.yamlfile.mistakes import explained

#: Turns the text of a vaulted file into its plain text; the source is for its error messages.
Decrypt = Callable[[str, Source], str]

VAULT_HEADER = "$ANSIBLE_VAULT;"


def load_yaml(path: Path, *, decrypt: Decrypt | None = None) -> Any:
    """The one document of a YAML (or JSON) file; None when it is empty.

    Args:
        path: an existing file in UTF-8.
        decrypt: called with the text of a file that is vaulted as a whole.
    Raises:
        InputError: the file is missing, is no file, is not UTF-8, or is not YAML; it names the line and what to write instead.
    """
    text = read_text(path)
    if text.startswith(VAULT_HEADER):
        source = Source(shown_path(path))
        if decrypt is None:
            raise InputError("the file is encrypted by vault", where=source, hint="give --vault-password-file, or decrypt the file")
        text = decrypt(text, source)
    return load_yaml_text(text, shown_path(path))


def load_yaml_text(text: str, path: str) -> Any:
    """The one document in `text`, as `load_yaml` gives it; `path` is what its places are named by."""
    try:
        return Builder(text, path).document()
    except yaml.MarkedYAMLError as error:
        if text.lstrip()[:1] in ("{", "["):
            # JSON has a few texts that YAML 1.1 has not (surrogate pairs in escapes); Ansible reads those too
            try:
                return json.loads(text)
            except (ValueError, RecursionError):
                pass
        raise explained(error, text, path) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"the character {error.character!r} is not allowed in YAML"
        raise InputError(message, where=Source(path, line), hint="remove it, or write it as an escape in double quotes") from None
    except RecursionError:
        raise InputError("lists and mappings are nested too deep", where=Source(path), hint="a person could not read it either") from None


def read_text(path: Path) -> str:
    """The text of a file in UTF-8, without its byte order mark.

    Raises:
        InputError: the file is missing, a folder, unreadable or not UTF-8.
    """
    source = Source(shown_path(path))
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        near = path.parent if path.parent.is_dir() else None
        hint = (
            f"the folder {shown_path(near)} exists and has no such file" if near else f"the folder {shown_path(path.parent)} is missing too"
        )
        raise InputError("there is no such file", where=source, hint=hint) from None
    except IsADirectoryError:
        raise InputError("a file is expected here and this is a folder", where=source, hint="name a file in it") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"the file cannot be read: {reason}", where=source, hint="check its owner and mode") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"the file is not UTF-8: byte 0x{content[error.start]:02x}"
        raise InputError(message, where=Source(source.path, line, column), hint="save the file as UTF-8") from None


def shown_path(path: Path) -> str:
    """A path as an operator would name it: relative when it lies in or under the working folder."""
    if not path.is_absolute():
        return str(path)
    folder = os.getcwd()  # noqa: PTH109 - Path.cwd().is_relative_to is five times slower and this runs once a file
    return str(path)[len(folder) + 1 :] if str(path).startswith(folder + os.sep) else str(path)
