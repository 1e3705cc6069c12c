"""The one argument of every lookup."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.omit import OMIT
from ringup.templating.results import finished
from ringup.yamlfile import VAULT_HEADER, read_text

PAIR = re.compile(r"(\w+)=(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LookupCall:
    """A lookup with its arguments.

    Attributes:
        templar: renders, knows the variables and where files are looked for.
        name: as written.
        terms: the positional arguments; for `with_name: value`, the items of value.
        options: the named arguments.
    """

    templar: Any
    name: str
    terms: list[Any]
    options: dict[str, Any]

    def rendered(self) -> LookupCall:
        """The same call with plain values; constants that are templates (`lookup('file', '{{ x }}')`) are rendered."""
        options = {name: self._plain(value) for name, value in self.options.items()}
        return replace(
            self,
            terms=[self._plain(term) for term in self.terms],
            options={name: value for name, value in options.items() if value is not OMIT},
        )

    def option(self, name: str, default: Any = None) -> Any:
        return self.options.get(name, default)

    def with_pairs(self, term: str, known: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
        """A term of the old form `key name=value name="other value"`, and its options over those of the call."""
        words, options = [], dict(self.options)
        try:
            parts = shlex.split(term, posix=True)
        except ValueError:
            parts = term.split()
        for word in parts:
            pair = PAIR.match(word)
            if pair and pair[1] in known:
                options[pair[1]] = pair[2]
            else:
                words.append(word)
        return " ".join(words), options

    def find(self, name: Any, subfolders: tuple[str, ...] = ("files", "")) -> Path | None:
        """The first file of this name in the search path; None when there is none."""
        path = Path(str(name)).expanduser()
        if path.is_absolute():
            return path if path.exists() else None
        for folder in self.templar.search_path or (Path(),):
            for subfolder in subfolders:
                if (found := folder / subfolder / path).exists():
                    return found
        return None

    def needed(self, name: Any, subfolders: tuple[str, ...] = ("files", "")) -> Path:
        """As `find`.

        Raises:
            TemplateError: there is no such file; the hint lists the folders.
        """
        found = self.find(name, subfolders)
        if found is None:
            folders = ", ".join(map(str, self.templar.search_path)) or "the working folder"
            raise TemplateError(
                f"the file '{name}' is not there", hint=f"looked in {folders}, and in {' and '.join(filter(None, subfolders))} of each"
            )
        return found

    def text(self, path: Path) -> str:
        """A file's text, decrypted when it is vaulted."""
        text = read_text(path)
        if not text.startswith(VAULT_HEADER):
            return text
        if self.templar.vault is None:
            raise TemplateError(f"'{path}' is vaulted", hint="give --vault-password-file")
        plain: str = self.templar.vault.text(text)
        return plain

    def _plain(self, value: Any) -> Any:
        from ringup.templating.environment import EmbeddedTemplate

        if isinstance(value, EmbeddedTemplate):
            return self.templar.render(str(value))
        if isinstance(value, list):
            return [self._plain(item) for item in value]
        return finished(value)
