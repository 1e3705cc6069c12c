import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.errors import InputError, RingupError
from ringup.templating import Templar, mark_unsafe
from ringup.templating.filters.structured import to_yaml
from ringup.yamlfile import load_yaml_text

VALUES = [
    # made by crypt(3) of libxcrypt 4.4
    (
        "'text' | password_hash('sha512', 'saltsalt')",
        "$6$saltsalt$HXkRkgF4HQ8ZkNz.GUD7zo9tKv4sUZuFL4vi9FeIVehRAMNrdOhtMCjQhwy/BFdy2GOdXDu6Nam/SuZgRZyz71",
    ),
    ("'text' | password_hash('sha256', 'saltsalt', rounds=5001)", "$5$rounds=5001$saltsalt$.PBr2hyRnBplKGrNN370/0tFnqVFHg8gT8i/nHuuVEC"),
    ("'text' | password_hash('md5', 'saltsalt')", "$1$saltsalt$j.WHnOKGEOjZ4KgFy1GhQ0"),
    ("'text' | password_hash('bcrypt') | regex_search('^.2b.12.')", "$2b$12$"),
    ("[1, 2, 2, 1] | union([3]) ", [1, 2, 3]),
    ("[3, 1, 2] | difference([1])", [3, 2]),
    ("'%Y' | strftime | length", 4),
    ("files | fileglob | map('basename') | sort", ["a.txt", "b.txt"]),
    ("'$RINGUP_TEST_NAME/x' | expandvars", "value/x"),
    ("['x'] | zip(['y']) | map('join', '-')", ["x-y"]),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_filters_without_an_oracle(expression, value, tmp_path, monkeypatch):
    monkeypatch.setenv("RINGUP_TEST_NAME", "value")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).touch()
    assert Templar({"files": f"{tmp_path}/*.txt"}).render("{{ " + expression + " }}") == value


def test_a_vaulted_value_is_written_as_it_was_read():
    text = "a: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\n"
    assert to_yaml(load_yaml_text(text, "f")) == text


REFUSED = [
    ("'x' | password_hash('rot13')", "type 'rot13' is not known", "sha512"),
    ("'x' | password_hash('sha512', 'a b')", "salt 'a b'", "letters"),
    ("'x' | hash('rot13')", "type 'rot13'", "sha256"),
    ("'a' | regex_replace('(', '')", "regular expression '('", "escape"),
    ("'a' | regex_replace('a', '\\2')", "replacement", "groups"),
    ("'a' | regex_replace('b', 'c', mandatory_count=1)", "matches 0 times", "check"),
    ("'a' | regex_search('a', 'x')", "'x' names no group", "\\1"),
    ("5 | dict2items", "takes a dictionary", "type_debug"),
    ("[{'a': 1}] | items2dict", "lacks 'key'", "key_name"),
    ("{} | combine(list_merge='x')", "list_merge 'x'", "append"),
    ("'x' | from_json", "from_json", "JSON"),
    ("'a: b: c' | from_yaml", "':' stands inside", "quote"),
    ("'abc' | to_datetime", "to_datetime", "format"),
    ("'x' | human_readable", "takes a number", "int"),
    ("'10X' | human_to_bytes", "unit of '10X'", "KB"),
    ("'x' | comment('y')", "style 'y'", "plain"),
    ("'x' | to_uuid('y')", "namespace 'y'", "leave it out"),
    ("'abc' | b64decode", "b64decode", "base64"),
    ("[1] | subelements('x')", "no dictionary", "path"),
    ("5 is changed", "result of a task", "register"),
    ("'1' is version('x.y', '<', version_type='semver')", "cannot be compared", "version_type"),
    ("'1' is version('2', 'lower')", "operator 'lower'", "lt"),
    ("'a' + 1", "concatenate", "type_debug"),
    ("{'a': 1}.keys", "gives the function", "call it"),
    ("lipsum", "gives the function", "call it"),
    ("[1] | random(start=2)", "number only", "slice"),
    ("nope | mandatory('give me nope')", "give me nope", "define it"),
]


@pytest.mark.parametrize(("expression", "message", "hint"), REFUSED)
def test_a_filter_that_cannot_says_what_it_takes(expression, message, hint):
    with pytest.raises(InputError) as caught:
        Templar({}).render("{{ " + expression + " }}", source="site.yaml:3")
    assert message in caught.value.message, caught.value.message
    assert hint in (caught.value.hint or ""), caught.value.hint


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text("ab{}% é", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1, max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON_LIKE)
def test_json_and_yaml_come_back_as_they_went(value):
    templar = Templar({"value": mark_unsafe(value)})
    assert templar.render("{{ value | to_json | from_json }}") == value
    assert templar.render("{{ value | to_nice_yaml | from_yaml }}") == value
    assert templar.render("{{ value }}") == value


@given(st.text("{}%#x |.'\"()[]1 ", max_size=25))
def test_any_text_renders_or_is_refused_with_a_hint(text):
    try:
        Templar({"x": 1}).render(text)
    except RingupError as error:
        assert error.hint
