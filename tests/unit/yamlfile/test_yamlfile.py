import copy
import datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ringup.errors import InputError
from ringup.source import Source
from ringup.yamlfile import SourcedMap, UnsafeText, VaultedText, load_yaml, load_yaml_text

PLAIN = [
    ("yes", True),
    ("off", False),
    ("True", True),
    ("~", None),
    ("", None),
    ("0644", 420),
    ("0o644", "0o644"),
    ("0x1F", 31),
    ("1:30", 90),
    ("1_000", 1000),
    ("1.5", 1.5),
    ("1e3", "1e3"),
    ("2024-01-31", datetime.date(2024, 1, 31)),
    ("2024-13-45", "2024-13-45"),
    ("550.54.15", "550.54.15"),
    ("n", "n"),
    ("'yes'", "yes"),
    ("!!str 12", "12"),
    ("!!int '12'", 12),
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_plain_values_follow_yaml_1_1(text, value):
    built = load_yaml_text("a: " + text, "f")["a"]
    assert built == value
    assert type(built) is type(value)


def test_keys_and_items_know_their_place():
    play = load_yaml_text("- hosts: all\n  tasks:\n    - ping:\n    -   copy: {src: a}\n", "site.yaml")
    assert play.source == Source("site.yaml", 1, 1)
    assert play.item_source(0) == Source("site.yaml", 1, 3)
    assert play[0].key_source("tasks") == Source("site.yaml", 2, 3)
    assert play[0].value_source("hosts") == Source("site.yaml", 1, 10)
    assert play[0]["tasks"].item_source(1) == Source("site.yaml", 4, 9)
    assert play[0]["tasks"][1]["copy"].key_source("src") == Source("site.yaml", 4, 16)


def test_merge_keys_fill_what_is_not_given_and_keep_their_place():
    built = load_yaml_text("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  x: 9\n", "f")
    assert built["c"] == {"x": 9, "y": 2, "z": 4}
    assert built["c"].key_source("z").line == 2


def test_tags_of_ansible_give_their_values():
    built = load_yaml_text("p: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\nq: !unsafe '{{ x }}'\nr: !unsafe [a]\n", "f")
    assert built["p"] == VaultedText("$ANSIBLE_VAULT;1.1;AES256\n6162\n", Source("f", 1, 4))
    assert "6162" not in f"{built['p']!r}{built['p']}"
    assert isinstance(built["q"], UnsafeText)
    assert isinstance(built["r"][0], UnsafeText)


MISTAKES = [
    ("a: 1\nb: 2\na: 3\n", "f:3:1", "'a' is given twice", "line 1"),
    ("msg: error: no disk\n", "f:1:11", "':' stands inside", "quote"),
    ("a: {{ x }}\n", "f:1:4", "begins with '{{'", '"{{ x }}"'),
    ("a: {{ x }}/bin\n", "f:1:4", "begins with '{{'", '"{{ x }}/bin"'),
    ("- {{ x }}\n", "f:1:3", "begins with '{{'", "quotes"),
    ("a:\n\tb: 1\n", "f:2:1", "a tab", "spaces"),
    ("a:\n  b: 1\n \tc: 1\n", "f:3:2", "a tab", "spaces"),
    ("a: 1\n  b: 2\n", "f:2:4", "indented deeper", "align"),
    ("a:\n    b: 1\n  c: 1\n", "f:3:3", "indentation", "align"),
    ('a: "x" y\n', "f:1:4", "follows a closing quote", "whole value"),
    ('a: "x\nb: 1\n', "f:1:4", "never closed", "close"),
    ("a: [1, 2\nb: 3\n", "f:2:2", "not closed", "close"),
    ("a: *b\n", "f:1:4", "'*b' refers to an anchor", "quote"),
    ("a: @b\n", "f:1:4", "keeps for itself", "quote"),
    ("a: !foo b\n", "f:1:4", "'!foo' is not known", "!vault"),
    ("a: 1\n---\nb: 2\n", "f:2:1", "second document", "'---'"),
    ("a: &a [*a]\n", "f:1:8", "refers to what it is in", "itself"),
    ("[a]: 1\n", "f:1:1", "list or mapping cannot be a key", "text"),
    ("a:\n  <<: 1\n", "f:2:7", "'<<' takes a mapping", "anchor"),
    ("- a\nb: 1\n", "f:2:1", "share one indentation", "'- '"),
    ("a: 1\njust words\nb: 2\n", "f:3:1", "no ':'", "key: value"),
    ("a: b\x01c\n", "f:1", "not allowed in YAML", "remove"),
    ("a: !!int x\n", "f:1:4", "'x' is not a int", "!!int"),
    ('a: "\\d"\n', "f:1:5", "backslash", "single quotes"),
]


@pytest.mark.parametrize(("text", "where", "message", "hint"), MISTAKES)
def test_a_mistake_is_named_with_its_place_and_what_to_write(text, where, message, hint):
    with pytest.raises(InputError) as caught:
        load_yaml_text(text, "f")
    error = caught.value
    assert str(error.where) == where, str(error)
    assert message in error.message
    assert hint in (error.hint or "")


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"a: 1\nb: caf\xe9\n")
    for path, words in ((tmp_path, "is a folder"), (tmp_path / "none.yaml", "no such file"), (latin, "not UTF-8: byte 0xe9")):
        with pytest.raises(InputError, match=words):
            load_yaml(path)
    with pytest.raises(InputError) as caught:
        load_yaml(latin)
    assert str(caught.value.where).endswith("latin.yaml:2:7")


def test_a_vaulted_file_is_decrypted_by_what_the_caller_gives(tmp_path):
    path = tmp_path / "secret.yaml"
    path.write_text("$ANSIBLE_VAULT;1.1;AES256\n6162\n")
    with pytest.raises(InputError, match="encrypted by vault"):
        load_yaml(path)
    assert load_yaml(path, decrypt=lambda text, source: "a: 1") == {"a": 1}


def test_json_with_surrogate_pairs_is_read():
    assert load_yaml_text('{"a": "\\ud83d\\ude00"}', "f") == {"a": "\U0001f600"}


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert load_yaml(path) == {"a": 1}


def test_deep_nesting_is_an_error_and_no_crash():
    with pytest.raises(InputError, match="nested too deep"):
        load_yaml_text("[" * 20000 + "]" * 20000, "f")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz", min_size=1, max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_pyyaml_writes_is_read_as_pyyaml_reads_it(value):
    text = yaml.safe_dump(value)
    assert load_yaml_text(text, "f") == yaml.safe_load(text)


@given(st.text(alphabet="ab:-{}[]\"' \n\t#&*!|>%@,~", max_size=40))
def test_any_text_gives_a_value_or_an_input_error(text):
    try:
        load_yaml_text(text, "f")
    except InputError as error:
        assert error.where is not None
        assert error.hint


def test_copies_of_a_mapping_are_equal_and_keep_their_place():
    built = load_yaml_text("a: {b: [1]}", "f")
    other = copy.deepcopy(built)
    assert other == built
    assert isinstance(other, SourcedMap)
    assert other.key_source("a") == built.key_source("a")
