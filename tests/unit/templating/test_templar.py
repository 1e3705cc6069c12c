import pytest

from ringup.errors import TemplateError, UndefinedVariable
from ringup.source import Source
from ringup.templating import OMIT, RenderedVariables, Templar, UnsafeMap, check_expression, check_template, mark_unsafe

VARIABLES = {
    "i": 3,
    "s": "text",
    "yes_text": "yes",
    "none_var": None,
    "listing": "[1, 2]",
    "a": "{{ b }}/a",
    "b": "{{ c }}",
    "c": "end",
    "rack": {"leaf": "leaf{{ i }}", "broken": "{{ nowhere }}", "deep": {"x": ["{{ i }}", "{{ s }}"]}},
    "numbers": [1, "{{ i }}"],
    "wanted": "i == 3",
    "wanted_too": "{{ wanted }}",
    "half": "{{ nowhere }}",
    "sent": mark_unsafe({"stdout": "{{ i }}", "code": "lookup('pipe', 'false') is defined"}),
    "empty": [],
}

VALUES = [
    ("plain", "plain"),
    ("{{ i }}", 3),
    ("{{ i + 1 }}", 4),
    ("{{ 1 }}", 1),
    ("{{ i }}{{ i }}", "33"),
    (" {{ i }}", " 3"),
    ("x{{ none }}", "x"),
    ("{{ none_var }}", None),
    ("{{ listing }}", "[1, 2]"),
    ("{{ a }}", "end/a"),
    ("{{ rack.leaf }}", "leaf3"),
    ("{{ rack['deep'].x }}", [3, "text"]),
    ("{{ rack.deep }}", {"x": [3, "text"]}),
    ("{{ numbers + [4] }}", [1, 3, 4]),
    ("{{ nope.a.b | default('d') }}", "d"),
    ("{{ half | default('d') }}", "d"),
    ("{{ half is defined }}", False),
    ("{{ nope | upper | default('d') }}", "d"),
    ("{{ '' | default('x') }}", ""),
    ("{{ '' | default('x', true) }}", "x"),
    ("{{ [1, 2] | map('string') }}", ["1", "2"]),
    ("{{ {'a': 1}.items() }}", [["a", 1]]),
    ("{{ {'a': omit, 'b': 1} }}", {"b": 1}),
    ("{{ nope | default(omit) }}", OMIT),
    ("{% if i == 3 %}{{ [i] }}{% endif %}", [3]),
    ("{{ 'a1' | regex_replace('(\\d)', '<\\1>') }}", "a<1>"),
    ("line\n{{ i }}\n", "line\n3\n"),
    ("{{ sent.stdout }}", "{{ i }}"),
    ("{{ vars['a'] }}", "end/a"),
    ("{{ lookup('vars', 'b') }}", "end"),
    ("{{ lookup('vars', '{{ s }}', default='none') }}", "none"),
    ({"k": ["{{ i }}", {"x": "{{ s }}"}]}, {"k": [3, {"x": "text"}]}),
    (5, 5),
]


@pytest.mark.parametrize(("template", "value"), VALUES)
def test_templates_give_native_values(template, value):
    rendered = Templar(VARIABLES).render(template)
    assert rendered == value
    assert isinstance(rendered, type(value))


TRUE = [
    "i == 3",
    "true",
    "{{ true }}",
    "i is defined",
    "nope is not defined",
    "true or nope",
    "yes_text | bool",
    "{{ wanted }}",
    "{{ wanted_too }}",
]
FALSE = ["i == 4", "false", "half is defined", "nope is defined and nope.x", "s == '{{ i }}'"]


@pytest.mark.parametrize(("condition", "holds"), [(text, True) for text in TRUE] + [(text, False) for text in FALSE] + [(True, True)])
def test_conditions_are_expressions(condition, holds):
    assert Templar(VARIABLES).evaluate(condition) is holds


NO_BOOLEANS = [
    ("s", "| bool"),
    ("empty", "| length > 0"),
    ("i", "!= 0"),
    ("none_var", "is not none"),
    ("", "remove it"),
    ("{{ i }}", "!= 0"),
    ("i == {{ i }}", "without {{ }}"),
    ("{{ sent.code }}", "| bool"),
]


@pytest.mark.parametrize(("condition", "hint"), NO_BOOLEANS)
def test_a_condition_that_is_no_boolean_says_how_to_make_it_one(condition, hint):
    with pytest.raises(TemplateError) as caught:
        Templar(VARIABLES).evaluate(condition, source=Source("site.yaml", 4))
    assert hint in (caught.value.hint or "")
    assert str(caught.value.where) == "site.yaml:4"


def test_an_undefined_variable_names_the_nearest_and_who_needs_it():
    with pytest.raises(UndefinedVariable) as caught:
        Templar({"rack_name": "r1", "title": "{{ rack_nam }}"}).render("{{ title }}", source="site.yaml:7")
    assert caught.value.message == "the variable 'rack_nam' is not defined, which 'title' needs"
    assert caught.value.hint == "did you mean 'rack_name'?"
    assert caught.value.where == "site.yaml:7"


def test_a_missing_key_lists_what_there_is():
    with pytest.raises(UndefinedVariable) as caught:
        Templar({"gpu": {"count": 8, "model": "H100"}}).render("{{ gpu.name }}")
    assert "has no key 'name'" in caught.value.message
    assert caught.value.hint == "it has the keys count, model"


@pytest.mark.parametrize(
    ("variables", "circle"),
    [
        ({"a": "{{ b }}", "b": "{{ a }}"}, "a -> b -> a"),
        ({"a": "x{{ a }}"}, "a -> a"),
        ({"a": {"x": "{{ a.y }}", "y": "{{ a.x }}"}}, "a.x -> a.y -> a.x"),
    ],
)
def test_variables_that_refer_to_themselves_are_named_in_order(variables, circle):
    with pytest.raises(TemplateError, match="refers to itself: " + circle):
        Templar(variables).render("{{ a }}")


def test_a_key_that_fails_does_not_break_its_neighbours():
    assert Templar(VARIABLES).render("{{ rack.leaf }}-{{ rack.keys() | length }}") == "leaf3-3"


def test_lazy_variables_follow_later_changes():
    variables = {"now": "{{ later }}", "later": 1}
    templar = Templar(variables)
    assert templar.render("{{ now }}") == 1
    variables["later"] = 2
    assert templar.render("{{ now }}") == 2


def test_what_a_host_sent_is_never_rendered_again():
    templar = Templar({"result": mark_unsafe({"stdout": "{{ lookup('pipe', 'false') }}"})})
    text = templar.render("got {{ result.stdout }}")
    assert text == "got {{ lookup('pipe', 'false') }}"
    assert Templar({"kept": text}).render("{{ kept }}") == text
    assert isinstance(mark_unsafe({"a": [1]}), UnsafeMap)


UNKNOWN = [
    ("{{ x | to_jsn }}", "filter 'to_jsn'", "to_json"),
    ("{{ x is mtch('a') }}", "test 'mtch'", "match"),
    ("{{ lookup('flie', 'a') }}", "lookup 'flie'", "file"),
    ("{% if false %}{{ x | nope_at_all }}{% endif %}", "filter 'nope_at_all'", "lists"),
    ("{{ x | community.general.json_query('a') }}", "json_query", "collections"),
    ("{{ x ", "no template", "close"),
    ("{% if x %}a", "no template", "{% end"),
    ("{{ x ? }}", "no template", "quote"),
]


@pytest.mark.parametrize(("text", "message", "hint"), UNKNOWN)
def test_what_could_never_be_rendered_is_refused_before_any_host(text, message, hint):
    with pytest.raises(TemplateError) as caught:
        check_template(text)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_expressions_are_checked_too():
    check_expression("x | ansible.builtin.bool and y is ansible.builtin.match('a')")
    check_expression("{{ wanted }}")
    for wrong in ("x ==", "x | nofilter", "x y"):
        with pytest.raises(TemplateError):
            check_expression(wrong)


def test_template_files_keep_the_options_of_ansible(tmp_path):
    (tmp_path / "part.j2").write_text("part {{ i }}\n")
    (tmp_path / "forms.j2").write_text("{% macro m(x) %}<{{ x }}>{% endmacro %}")
    (tmp_path / "outer.j2").write_text("[{% block body %}outer{% endblock %}]\n")
    templar = Templar(VARIABLES, [tmp_path])
    cases = [
        ("{% if true %}\na\n{% endif %}\n", {}, "a\n"),
        ("{% if true %}\na\n{% endif %}\n", {"trim_blocks": False}, "\na\n"),
        ("  {% if true %}\na\n  {% endif %}\n", {"lstrip_blocks": True}, "a\n"),
        ("#jinja2: trim_blocks: False\n{% if true %}\na{% endif %}\n", {}, "\na\n"),
        ("<< i >>", {"variable_start_string": "<<", "variable_end_string": ">>"}, "3"),
        ("{{ s }}\nb\n", {"newline_sequence": "\\r\\n"}, "text\r\nb\r\n"),
        ("{% include 'part.j2' %}!", {}, "part 3!"),
        ("{% from 'forms.j2' import m %}{{ m(i) }}", {}, "<3>"),
        ("{% extends 'outer.j2' %}{% block body %}{{ i }}{{ super() }}{% endblock %}", {}, "[3outer]"),
        ("{% for x in [1,2] %}{% include 'part.j2' %}{{ x }}{% endfor %}", {}, "part 31part 32"),
        ("{{ none }}{{ ansible_managed }}\n\n", {}, "Ansible managed\n\n"),
        ("{{ '\\t' }}|", {}, "\t|"),
    ]
    for text, options, expected in cases:
        assert templar.render_text(text, **options) == expected, text


def test_an_error_in_a_file_names_its_line(tmp_path):
    (tmp_path / "part.j2").write_text("fine\n{{ nope }}\n")
    templar = Templar({"x": 1}, [tmp_path])
    cases = [
        ("a\n{{ nope }}\n", "t.j2:2"),
        ("#jinja2: trim_blocks: False\na\n{{ x + 'a' }}\n", "t.j2:3"),
        ("a\n{% if x %}\nb {{ x.y.z }}\n{% endif %}\n", "t.j2:3"),
        ("a\n{% include 'part.j2' %}\n", f"{tmp_path}/part.j2:2"),
        ("a\nb\n{% fi %}\n", "t.j2:3"),
        ("a\n\n{{ x | nope }}\n", "t.j2:3"),
        ("{% for y in [1, 0] %}\n{{ 1 / y }}\n{% endfor %}", "t.j2:2"),
    ]
    for text, where in cases:
        with pytest.raises(TemplateError) as caught:
            templar.render_text(text, source=Source("t.j2"))
        assert str(caught.value.where) == where, text


def test_omitted_values_stay_at_the_top_for_the_engine_and_drop_out_below():
    rendered = Templar({}).render({"mode": "{{ omit }}", "deep": {"a": "{{ omit }}", "b": 1}, "list": ["{{ omit }}", 2]})
    assert rendered == {"mode": OMIT, "deep": {"b": 1}, "list": [2]}


def test_a_type_error_names_the_template():
    with pytest.raises(TemplateError, match=r"in \{\{ a \+ 1 \}\}"):
        Templar({"a": "x", "b": "{{ a + 1 }}"}).render("{{ b }}")


def test_hostvars_of_another_host_are_rendered_with_its_variables():
    other = Templar({"name": "{{ short }}.rack", "short": "node02", "bad": "{{ nope }}"})
    templar = Templar({"short": "node01", "hostvars": {"node02": RenderedVariables(other)}})
    assert templar.render("{{ short }} {{ hostvars['node02'].name }}") == "node01 node02.rack"
    assert templar.render("{{ hostvars.node02.bad | default('none') }}") == "none"
    assert templar.render("{{ hostvars.node02.gone is defined }}") is False
    with pytest.raises(UndefinedVariable, match="'nope' is not defined, which 'bad' needs"):
        templar.render("{{ hostvars.node02.bad }}")


def test_a_template_error_names_line_and_option():
    templar = Templar({})
    with pytest.raises(TemplateError, match="line 3"):
        templar.render_text("a\nb\n{% fi %}\n")
    with pytest.raises(TemplateError) as caught:
        templar.render_text("a", trim_block=True)
    assert caught.value.hint == "did you mean 'trim_blocks'?"
    with pytest.raises(TemplateError, match=r"'gone\.j2' to include is not there"):
        templar.render_text("{% include 'gone.j2' %}")
