"""Lookups that read files, commands and addresses, all on the controller."""

from __future__ import annotations

import base64
import re
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ringup.errors import TemplateError
from ringup.templating.lookups.call import LookupCall

COMMAND_LIMIT_S = 600
#: Options of the template lookup that are those of the template module.
TEMPLATE_OPTIONS = (
    "variable_start_string",
    "variable_end_string",
    "comment_start_string",
    "comment_end_string",
    "block_start_string",
    "block_end_string",
    "trim_blocks",
    "lstrip_blocks",
    "newline_sequence",
)


def file(call: LookupCall) -> list[Any]:
    """The texts of files, without white space at the end (`rstrip=false` keeps it, `lstrip=true` removes it at the beginning)."""
    texts = []
    for term in call.terms:
        text = call.text(call.needed(term))
        text = text.lstrip() if _on(call, "lstrip", default=False) else text
        texts.append(text.rstrip() if _on(call, "rstrip", default=True) else text)
    return texts


def unvault(call: LookupCall) -> list[Any]:
    """The texts of vaulted files, to the last character."""
    return [call.text(call.needed(term)) for term in call.terms]


def template(call: LookupCall) -> list[Any]:
    """Templates rendered with the host's variables and those of `template_vars`."""
    options = {name: call.options[name] for name in TEMPLATE_OPTIONS if name in call.options}
    extra = call.option("template_vars", {})
    rendered = []
    for term in call.terms:
        path = call.needed(term, ("templates", ""))
        templar = call.templar.with_variables(Layered(extra, call.templar.variables)) if extra else call.templar
        rendered.append(templar.render_text(call.text(path), source=str(path), **options))
    return rendered


class Layered(Mapping[str, Any]):
    """Two mappings as one, the first on top."""

    def __init__(self, top: Mapping[str, Any], below: Mapping[str, Any]) -> None:
        self._top = top
        self._below = below

    def __getitem__(self, name: str) -> Any:
        return self._top[name] if name in self._top else self._below[name]

    def __iter__(self) -> Any:
        yield from self._top
        yield from (name for name in self._below if name not in self._top)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def fileglob(call: LookupCall) -> list[Any]:
    """The files that shell patterns match in the last folder of each; a relative pattern is tried in every folder of the search path."""
    found = []
    for term in call.terms:
        pattern = Path(str(term)).expanduser()
        folders = [pattern.parent] if pattern.is_absolute() else _folders(call, pattern.parent)
        for folder in folders:
            matches = sorted(str(path.absolute()) for path in folder.glob(pattern.name) if path.is_file()) if folder.is_dir() else []
            found.extend(matches)
            if matches:
                break
    return found


def _folders(call: LookupCall, parent: Path) -> list[Path]:
    return [folder / sub / parent for folder in call.templar.search_path or (Path(),) for sub in ("files", "")]


def first_found(call: LookupCall) -> list[Any]:
    """The first file that exists of a list; entries may be `{files: [...], paths: [...], skip: true}`."""
    names, skip = _candidates(call.terms, call.options)
    for name in names:
        found = call.find(name, ("files", "templates", "vars", ""))
        if found is not None:
            return [str(found.absolute())]
    if skip:
        return []
    raise TemplateError(
        f"none of the files is there: {', '.join(names) or 'no name was given'}", hint="add one that always exists, or skip: true"
    )


def _candidates(terms: list[Any], options: Mapping[str, Any]) -> tuple[list[str], bool]:
    names: list[str] = []
    skip = _true(options.get("skip"))
    for term in terms:
        if isinstance(term, Mapping):
            files = _split(term.get("files", options.get("files", [])), r"[,;]")
            paths = _split(term.get("paths", options.get("paths", [])), r"[,:;]")
            names += [f"{path}/{file}" for path in paths for file in files] if paths else files
            skip = _true(term.get("skip", skip))
        elif isinstance(term, list):
            inner, inner_skip = _candidates(term, options)
            names += inner
            skip = skip or inner_skip
        else:
            paths = _split(options.get("paths", []), r"[,:;]")
            files = _split(term, r"[,;]")
            names += [f"{path}/{file}" for path in paths for file in files] if paths else files
    if not terms:
        files = _split(options.get("files", []), r"[,;]")
        paths = _split(options.get("paths", []), r"[,:;]")
        names += [f"{path}/{file}" for path in paths for file in files] if paths else files
    return names, skip


def _split(value: Any, separators: str) -> list[str]:
    if isinstance(value, str):
        return [part for part in re.split(separators, value) if part]
    return [str(part) for part in value]


def pipe(call: LookupCall) -> list[Any]:
    """The output of shell commands on the controller, run in the playbook's folder."""
    return [_output(call, term).rstrip() for term in call.terms]


def lines(call: LookupCall) -> list[Any]:
    """The lines that shell commands print on the controller."""
    return [line for term in call.terms for line in _output(call, term).splitlines()]


def _output(call: LookupCall, command: Any) -> str:
    folder = call.templar.search_path[-1] if call.templar.search_path else None
    try:
        done = subprocess.run(
            str(command), shell=True, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise TemplateError(
            f"'{command}' takes more than {COMMAND_LIMIT_S} s", hint="run it as a task with delegate_to: localhost"
        ) from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise TemplateError(f"'{command}' ended with {done.returncode}", hint=said[-1] if said else "it said nothing")
    return done.stdout.decode(errors="replace")


def url(call: LookupCall) -> list[Any]:
    """The lines (or with `split_lines=false` the text) that addresses give."""
    found: list[Any] = []
    for term in call.terms:
        text = _fetched(call, str(term))
        found.extend(text.splitlines() if _on(call, "split_lines", default=True) else [text])
    return found


def _fetched(call: LookupCall, address: str) -> str:
    if not address.startswith(("http://", "https://", "ftp://")):
        raise TemplateError(f"'{address}' is no address of the web", hint="begin it with https://, or use the file lookup")
    request = urllib.request.Request(address, headers=dict(call.option("headers", {})))
    if call.option("username"):
        token = base64.b64encode(f"{call.option('username')}:{call.option('password', '')}".encode()).decode()
        request.add_header("Authorization", f"Basic {token}")
    trust = ssl.create_default_context(cafile=call.option("ca_path"))
    if not _on(call, "validate_certs", default=True):
        trust.check_hostname = False
        trust.verify_mode = ssl.CERT_NONE
    handlers: list[Any] = [urllib.request.HTTPSHandler(context=trust)]
    if not _on(call, "use_proxy", default=True):
        handlers.append(urllib.request.ProxyHandler({}))
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=float(call.option("timeout", 10))) as answer:
            content: bytes = answer.read()
    except urllib.error.HTTPError as error:
        error.close()
        raise TemplateError(f"'{address}' answers {error.code} {error.reason}", hint="open it in a browser or by curl") from None
    except (OSError, ValueError) as error:
        raise TemplateError(f"'{address}' cannot be read: {error}", hint="it is read by the controller, not by the hosts") from None
    return content.decode(errors="replace")


def _on(call: LookupCall, name: str, *, default: bool) -> bool:
    return _true(call.option(name, default))


def _true(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() in ("yes", "true", "on", "1", "y", "t")


LOOKUPS: dict[str, Callable[[LookupCall], list[Any]]] = {
    "file": file,
    "unvault": unvault,
    "template": template,
    "fileglob": fileglob,
    "first_found": first_found,
    "pipe": pipe,
    "lines": lines,
    "url": url,
}
