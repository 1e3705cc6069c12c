"""What the documents tell people to type exists: commands, options, links, and the code they are told to write."""

from __future__ import annotations

import re
import shlex
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from invoke.parser import Parser
from packaging.requirements import Requirement

from ringup.agent.arguments import parse
from ringup.agent.host import Host
from ringup.inventory import load_inventory
from ringup.stack.wishes import KEYS
from ringup.tasks.namespace import namespace
from ringup.tasks.program import program
from ringup.transport.settings import ConnectionSettings

PROJECT = Path(__file__).parents[3]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def blocks(path: Path, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def commands() -> Iterator[tuple[str, str]]:
    """Every command of ours in a console block, with the page that shows it."""
    for path in PAGES:
        for line in "".join(blocks(path, "console")).splitlines():
            for part in line.split(" && "):
                words = shlex.split(part, comments=True)
                if words and words[0] in ("invoke", "ringup"):
                    yield path.name, part.strip()


def parsed(command: str) -> None:
    """Parse a command line as Invoke does; raises its ParseError."""
    words = shlex.split(command, comments=True)
    Parser(initial=program.initial_context, contexts=namespace.to_contexts()).parse_argv(words[1:])


@pytest.mark.parametrize(("page", "command"), sorted(set(commands())))
def test_every_command_that_is_shown_can_be_typed(page: str, command: str) -> None:
    parsed(command)


def test_the_documents_show_commands() -> None:
    assert {"README.md", "first-rack.md", "testing.md"} <= {page for page, _ in commands()}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    assert [target for target in LINK.findall(path.read_text(encoding="utf-8")) if not (path.parent / target).exists()] == []


@pytest.mark.parametrize("path", [path for path in PAGES if blocks(path, "yaml")], ids=lambda path: path.name)
def test_every_yaml_that_is_shown_can_be_read(path: Path) -> None:
    for text in blocks(path, "yaml"):
        yaml.safe_load(text)


@pytest.mark.parametrize("page", ["README.md", "docs/first-rack.md"])
def test_the_inventory_that_is_shown_has_the_hosts_it_speaks_of(page: str, tmp_path: Path) -> None:
    text = next(block for block in blocks(PROJECT / page, "yaml") if block.startswith("gpu-rack:"))
    (tmp_path / "hosts.yaml").write_text(text)
    inventory = load_inventory([str(tmp_path / "hosts.yaml")])
    assert len(inventory.match("gpu-rack")) == 16
    assert "node01" in inventory.hosts


def test_the_module_that_the_guide_writes_is_a_module(tmp_path: Path) -> None:
    (source,) = blocks(PROJECT / "docs" / "adding-a-module.md", "python")
    module = types.ModuleType("ringup.agent.modules.motd")
    module.__package__ = "ringup.agent.modules"
    exec(compile(source, "motd.py", "exec"), module.__dict__)
    module.PATH = str(tmp_path / "motd")  # type: ignore[attr-defined]
    args, host = parse(module.Args, {"text": "hello"}), Host()
    diff = module.check(args, host)
    assert diff
    module.apply(args, diff, host)
    assert (tmp_path / "motd").read_text() == "hello\n"
    assert not module.check(args, host)


def test_every_wish_and_connection_variable_is_documented() -> None:
    text = (PROJECT / "docs" / "variables.md").read_text()
    wishes = [f"{group}.{key}" for group, keys in KEYS.items() for key in keys]
    source = Path(ConnectionSettings.from_variables.__code__.co_filename).read_text()
    read = set(re.findall(r'variables\.get\("(\w+)"', source))
    assert [name for name in [*wishes, *sorted(read)] if f"`{name}`" not in text] == []


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    text = (PROJECT / "docs" / "dependencies.md").read_text()
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    assert [name for name in (Requirement(word).name for word in wanted) if name not in text] == []
