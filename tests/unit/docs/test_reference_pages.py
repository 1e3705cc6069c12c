"""The reference says what the code says, and says it the same way each time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from invoke.collection import Collection
from invoke.context import Context
from invoke.tasks import task

from ringup import errors, reference
from ringup.actions.words import vocabulary
from ringup.agent.arguments import Arguments, option, parse
from ringup.agent.catalogue import ModuleSpec
from ringup.agent.facts import subjects
from ringup.agent.host import Host
from ringup.agent.modules import setup
from ringup.reference import markdown, modules
from ringup.reference.errors import CODES
from ringup.reference.facts import FACTS, INTERFACE
from ringup.reference.tasks import tasks_page
from ringup.tasks.docs import own_copies, pages
from ringup.tasks.namespace import commands

PROJECT = Path(__file__).parents[3]


class Args(Arguments):
    """Ensure a thing.

    It is explained here.
    """

    mutually_exclusive = (("size", "word"),)
    required_if = (("state", "present", ("size",)),)

    name = option("str", required=True, aliases=("title",), help="its name")
    state = option("str", choices=("present", "absent"), default="present", help="what must be true")
    size = option("list", elements="int", default=[], help="sizes | all")
    word = option("str", secret=True, help="a password")
    upload = option("str", help="internal: of the controller")


def test_a_module_page_tells_every_option_and_rule() -> None:
    text = modules.module_page(ModuleSpec("thing", Args, "converge", Args.__doc__ or ""))
    assert text.splitlines()[2:] == [
        "# thing",
        "",
        "Ensure a thing.",
        "",
        "It is explained here.",
        "",
        f"*converge*: {modules.KINDS['converge']}",
        "",
        "| Option | Kind | Default | Meaning |",
        "| --- | --- | --- | --- |",
        "| `name` (also `title`) | str | needed | its name. |",
        "| `state` | str | `present` | what must be true. One of `present`, `absent`. |",
        "| `size` | list of int |  | sizes \\| all. |",
        "| `word` | str |  | a password. Never shown. |",
        "",
        "- Only one of `size`, `word` may be given.",
        "- When `state` is `present`, `size` must be given.",
    ]


@pytest.mark.parametrize(
    ("text", "shown"), [("word", "`word`"), ("\n", "`'\\n'`"), ("", "`''`"), ("a`b", "``a`b``"), (" ", "`' '`"), (5, "`5`")]
)
def test_a_word_is_shown_as_it_is_typed(text: object, shown: str) -> None:
    assert markdown.code(text) == shown


def test_a_task_page_tells_flags_values_and_defaults() -> None:
    @task(positional=["host"], help={"host": "which one", "dry_run": "only say it", "times": "how often"})
    def knock(_: Context, host: str, dry_run: bool = False, times: int = 3) -> None:
        """Knock at a door.

        More words.
        """

    text = tasks_page(own_copies(Collection("some", knock)))
    assert "| [knock](#knock) | Knock at a door. |" in text
    assert "    invoke knock HOST" in text
    assert "| `--host` | text | needed | which one |" in text.replace("`-h`, ", "")
    assert "| `-d`, `--dry-run` |  |  | only say it |" in text
    assert "| `-t`, `--times` | number | `3` | how often |" in text


def test_every_task_of_the_toolkit_has_words_for_itself_and_its_options() -> None:
    known = {name: (one, own_copies(Collection("some", one))[one.name].get_arguments()) for name, one in commands.items()}
    assert [f"{name} --{argument.name}" for name, (_, arguments) in known.items() for argument in arguments if not argument.help] == []
    assert [name for name, (one, _) in known.items() if not one.__doc__] == []


def test_every_module_has_words_for_itself_and_its_options() -> None:
    specs = vocabulary().specs
    assert [f"{name}: {one}" for name, spec in specs.items() for one, declared in spec.args.options().items() if not declared.help] == []
    assert [name for name, spec in specs.items() if not spec.summary] == []


def test_inner_modules_are_modules() -> None:
    assert modules.INNER - vocabulary().specs.keys() == set()


@pytest.mark.parametrize("part", subjects.PARTS)
def test_every_fact_that_setup_gathers_is_explained(part: str) -> None:
    asked = parse(setup.Args, {"gather_subset": ["!all", "!min", part]})
    facts = setup.read(asked, Host())["ansible_facts"]
    named = {re.sub("[-.:]", "_", name) for name in facts.get("interfaces", ())}
    gathered = {re.sub("^ssh_host_key_[a-z0-9]+_", "ssh_host_key_TYPE_", name) for name in facts.keys() - named}
    assert gathered - FACTS[part].keys() - {"gather_subset", "module_setup"} == set()
    assert {key for name in named for key in facts[name]} - INTERFACE.keys() == set()


def test_no_part_is_explained_that_is_not_there() -> None:
    assert FACTS.keys() == subjects.PARTS.keys()


def test_every_exit_code_of_an_error_is_explained() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, errors.RingupError)]
    assert {one.exit_code for one in classes} - CODES.keys() == set()


def test_two_runs_give_the_same_pages() -> None:
    assert pages(commands, PROJECT / "roles") == pages(commands, PROJECT / "roles")


def test_what_is_stale_is_named_and_mended(tmp_path: Path) -> None:
    wanted = (reference.Page("one.md", "one\n"), reference.Page("deep/two.md", "two\n"))
    (tmp_path / "one.md").write_text("other\n")
    (tmp_path / "gone.md").write_text("gone\n")
    assert reference.stale(wanted, tmp_path) == ("deep/two.md", "gone.md", "one.md")
    reference.write(wanted, tmp_path)
    assert reference.stale(wanted, tmp_path) == ()
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == ["one.md", "two.md"]
