"""The same expressions through ansible-core's templar and ours: equal values of equal types, or an error from both."""

import datetime
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.template import Templar as AnsibleTemplar
from ansible.template import trust_as_template
from ansible.utils.collection_loader import AnsibleCollectionConfig

from ringup.errors import RingupError
from ringup.templating import Templar

VARIABLES: dict[str, Any] = {
    "i": 3,
    "f": 2.5,
    "s": "text",
    "no_text": "no",
    "yes_text": "yes",
    "none_var": None,
    "true_var": True,
    "list_text": "[1, 2]",
    "json_text": '{"a": [1, 2], "b": null}',
    "yaml_text": "a: 1\nb: [x, y]\n",
    "numbers": [3, 1, 2, 3],
    "words": ["b", "A", "a", "c"],
    "mixed": [1, [2, [3, None, [4]]], None],
    "empty_list": [],
    "empty_map": {},
    "empty_text": "",
    "disk": {"name": "sda", "size": 10, "parts": [{"id": 1, "fs": "ext4"}, {"id": 2, "fs": "xfs"}]},
    "other": {"size": 20, "parts": [{"id": 3}], "owner": {"uid": 0}},
    "users": [
        {"name": "ann", "uid": 1000, "keys": ["k1", "k2"], "shell": "/bin/bash"},
        {"name": "bob", "uid": 1001, "keys": ["k3"]},
    ],
    "lazy": "{{ s }}-{{ i }}",
    "lazier": "{{ lazy }}!",
    "lazy_map": {"a": "{{ i }}", "b": {"c": "{{ lazy }}"}, "d": ["{{ s }}"]},
    "lazy_list": ["{{ i }}", {"x": "{{ s }}"}],
    "broken": {"good": "{{ i }}", "bad": "{{ nowhere }}"},
    "half": "x{{ nowhere }}",
    "path": "/etc/ssh/sshd_config.d/10-a.conf",
    "win": "C:\\Users\\ann\\file.txt",
    "result": {"changed": True, "failed": False, "rc": 0, "stdout": "a\nb", "stdout_lines": ["a", "b"]},
    "skipped_result": {"changed": False, "skipped": True},
    "loop_result": {"results": [{"changed": False}, {"changed": True}]},
    "address": "http://ann:pw@host.example:8080/a/b?q=1&r=2#top",
    "multi": "first line\nsecond line\n  third",
    "key_b": "b",
}

TEMPLATES = """\
{{ i }}
{{ 1 }}
{{ i + 1 }}
{{ i / 2 }}
{{ i // 2 }}
{{ 7 % 4 }}
{{ 2 ** 10 }}
{{ f }}
{{ true_var }}
{{ none_var }}
{{ none }}
{{ none }}{{ none }}
x{{ none }}
x{{ none_var }}y
{{ (1, 2) }}x
{{ disk.keys() }}x
x{{ omit }}
x{{ [1, omit] }}
{{ broken }}x
{{ lazy_map }}x
{{ lazy_list }}{{ i }}
{{ [lazy, broken.bad | default('d')] }}
{{ [nowhere] | length }}
{{ [nowhere] }}
{{ {'a': nowhere} }}
{{ {'a': nowhere}.b is defined }}
{{ false and nowhere }}
{{ s if nowhere is not defined else nowhere }}
{{ i }}{{ i }}
 {{ i }}
{{ list_text }}
{{ json_text }}
{{ yes_text }}
{{ '1' }}
{{ [1, 'a', none, true] }}
{{ (1, 2) }}
{{ {'a': 1, 'b': [1]} }}
{{ {'a': omit, 'b': 1} }}
{{ [1, omit, 2] }}
{{ s ~ i }}
{{ s + 'x' }}
{{ s * 2 }}
{{ not true_var }}
{{ i > 2 and s == 'text' }}
{{ 1 if i == 3 else 2 }}
{{ 'x' if false }}
{% if i == 3 %}yes{% else %}no{% endif %}
{% if false %}x{% endif %}
{% for n in numbers %}{{ n }},{% endfor %}
{% for n in numbers %}{{ loop.index }}{% if not loop.last %}-{% endif %}{% endfor %}
{% set x = 5 %}{{ x }}
{% set x = [1, 2] %}{{ x }}
{% set x %}{{ i }}{% endset %}{{ x }}
{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(i) }}{{ m('b') }}
{# comment #}
a{# comment #}b
{% raw %}{{ i }}{% endraw %}
{{ '{{' }} i
{{ lazy }}
{{ lazier }}
{{ lazy_map }}
{{ lazy_map.a }}
{{ lazy_map.b.c }}
{{ lazy_map['d'] }}
{{ lazy_list }}
{{ lazy_list[1].x }}
{{ lazy_map | dict2items }}
{{ lazy_map | combine({'z': 1}) }}
{{ lazy_map | to_json }}
{{ lazy_list + [5] }}
{{ lazy_map == {'a': 3, 'b': {'c': 'text-3'}, 'd': ['text']} }}
{{ broken.good }}
{{ broken.bad }}
{{ broken }}
{{ half }}
{{ half | default('d') }}
{{ half is defined }}
{{ nowhere }}
{{ nowhere.a.b | default('d') }}
{{ nowhere | default }}
{{ nowhere | default(omit) is defined }}
{{ nowhere | upper | default('d') }}
{{ disk.nope }}
{{ disk.nope | default(7) }}
{{ disk.nope.deeper | default(7) }}
{{ disk['parts'][0].fs }}
{{ disk.parts[5] | default('none') }}
{{ numbers[10] }}
{{ disk.items() }}
{{ disk.keys() }}
{{ disk.keys() | list }}
{{ disk.values() | list | length }}
{{ '' | default('x') }}
{{ '' | default('x', true) }}
{{ none_var | default('x') }}
{{ none_var | default('x', true) }}
{{ false | default('x', boolean=true) }}
{{ i | string }}
{{ '5' | int + 1 }}
{{ 'a' | int }}
{{ 'a' | int(9) }}
{{ '0x1f' | int(0, 16) }}
{{ '2.5' | float }}
{{ yes_text | bool }}
{{ no_text | bool }}
{{ 'maybe' | bool }}
{{ 1 | bool }}
{{ 2 | bool }}
{{ 'On' | bool }}
{{ numbers | sort }}
{{ words | sort }}
{{ words | sort(case_sensitive=true) }}
{{ numbers | unique }}
{{ words | unique }}
{{ words | unique(case_sensitive=true) }}
{{ users | unique(attribute='shell') | length }}
{{ numbers | min }}
{{ numbers | max }}
{{ numbers | sum }}
{{ numbers | first }}
{{ numbers | last }}
{{ empty_list | first | default('none') }}
{{ numbers | reverse | list }}
{{ 'abc' | reverse }}
{{ numbers | length }}
{{ numbers | join('-') }}
{{ numbers | map('string') }}
{{ numbers | map('string') | list }}
{{ users | map(attribute='name') }}
{{ users | map(attribute='shell', default='none') | list }}
{{ users | selectattr('uid', '>', 1000) | map(attribute='name') | list }}
{{ users | selectattr('shell', 'defined') | list | length }}
{{ users | rejectattr('shell', 'defined') | map(attribute='name') | first }}
{{ numbers | select('odd') | list }}
{{ numbers | reject('odd') }}
{{ numbers | select('gt', 2) | length }}
{{ users | groupby('uid') }}
{{ numbers | batch(2) | list }}
{{ numbers | slice(2) | list }}
{{ disk | dictsort | first }}
{{ users | sort(attribute='uid', reverse=true) | map(attribute='name') | join(',') }}
{{ 'a,b,c' | split(',') }}
{{ 'a b' | split }}
{{ s | upper }}
{{ s | capitalize }}
{{ s | title }}
{{ s | replace('t', 'T') }}
{{ s | length }}
{{ s | first }}
{{ '  x ' | trim }}
{{ multi | indent(4) }}
{{ s | center(10) }}
{{ 'x' | format }}
{{ '%s-%02d' | format(s, i) }}
{{ 3.7 | round }}
{{ 3.7 | round | int }}
{{ 3.14159 | round(2) }}
{{ -3 | abs }}
{{ '<a>' | escape }}
{{ '<a>' | e }}x
{{ multi | wordcount }}
{{ s | urlencode }}
{{ {'a': 1, 'b': 'x y'} | urlencode }}
{{ 10 | filesizeformat }}
{{ disk | to_json }}
{{ disk | to_nice_json }}
{{ users | to_nice_json(indent=2) }}
{{ numbers | to_json }}
{{ s | to_json }}
{{ none_var | to_json }}
{{ 'ü' | to_json }}
{{ 'ü' | to_json(ensure_ascii=false) }}
{{ disk | to_json(sort_keys=true) }}
{{ json_text | from_json }}
{{ (json_text | from_json).a }}
{{ 'no json' | from_json }}
{{ disk | to_yaml }}
{{ disk | to_nice_yaml }}
{{ users | to_nice_yaml(indent=2) }}
{{ numbers | to_yaml }}
{{ s | to_yaml }}
{{ multi | to_nice_yaml }}
{{ true | to_yaml }}
{{ {'a': none, 'b': '1', 'c': 'yes', 'd': ''} | to_nice_yaml }}
{{ yaml_text | from_yaml }}
{{ 'a: 2024-01-02' | from_yaml }}
{{ 'a: 1\n---\nb: 2' | from_yaml_all | list | length }}
{{ none | from_yaml_all }}
{{ s | b64encode }}
{{ 'dGV4dA==' | b64decode }}
{{ '??>' | b64encode(urlsafe=true) }}
{{ 'ü' | b64encode }}
{{ s | hash }}
{{ s | hash('sha256') }}
{{ s | hash('md5') }}
{{ s | md5 }}
{{ s | sha1 }}
{{ s | checksum }}
{{ s | hash('nope') }}
{{ s | to_uuid }}
{{ s | to_uuid(namespace='11111111-2222-3333-4444-555555555555') }}
{{ path | basename }}
{{ path | dirname }}
{{ path | splitext }}
{{ path | relpath('/etc') }}
{{ '/a/../b//c' | normpath }}
{{ '~root/x' | expanduser }}
{{ '/usr/../usr/bin' | realpath }}
{{ ['/a', 'b', 'c'] | path_join }}
{{ ['/a/b/c', '/a/b/d'] | commonpath }}
{{ win | win_basename }}
{{ win | win_dirname }}
{{ win | win_splitdrive }}
{{ 'a b;c' | quote }}
{{ none | quote }}
{{ i | quote }}
{{ s | comment }}
{{ multi | comment }}
{{ multi | comment('cblock') }}
{{ multi | comment('xml') }}
{{ s | comment('c') }}
{{ s | comment('erlang') }}
{{ s | comment('plain', prefix='###', postfix='###', decoration='## ') }}
{{ s | comment('plain', prefix_count=2, postfix_count=0) }}
{{ s | comment('nope') }}
{{ 'a1b22' | regex_replace('([0-9]+)', '<\\1>') }}
{{ 'a1b22' | regex_replace('[0-9]', '') }}
{{ 'A1' | regex_replace('a', 'x', ignorecase=true) }}
{{ 'aaa' | regex_replace('a', 'b', count=2) }}
{{ multi | regex_replace('^', '# ', multiline=true) }}
{{ i | regex_replace('3', '4') }}
{{ 'a1b22' | regex_search('[0-9]+') }}
{{ 'a1b22' | regex_search('x') }}
{{ 'a1b22' | regex_search('([a-z])([0-9])', '\\1', '\\2') }}
{{ 'a1b22' | regex_search('(?P<n>[0-9]+)', '\\g<n>') }}
{{ 'a1b22' | regex_findall('[0-9]+') }}
{{ 'a1b22' | regex_findall('([a-z])([0-9]+)') }}
{{ 'a.b*c' | regex_escape }}
{{ 'a.b*c' | regex_escape('posix_basic') }}
{{ 'x' | regex_replace('(', '') }}
{{ true | ternary('a', 'b') }}
{{ none | ternary('a', 'b', 'c') }}
{{ 0 | ternary('a', 'b') }}
{{ true | ternary('a', nowhere) }}
{{ nowhere | mandatory }}
{{ i | mandatory }}
{{ disk | combine(other) }}
{{ disk | combine(other, recursive=true) }}
{{ disk | combine(other, list_merge='append', recursive=true) }}
{{ {'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='append_rp') }}
{{ {'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='prepend_rp') }}
{{ {'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='prepend') }}
{{ {'a': [1, 2]} | combine({'a': [2, 3]}, list_merge='keep') }}
{{ {'a': {'x': 1, 'y': 1}} | combine({'a': {'y': 2, 'z': 3}}, recursive=true) }}
{{ [{'a': 1}, {'b': 2}] | combine }}
{{ disk | combine([1]) }}
{{ other | dict2items }}
{{ {'a': 1} | dict2items(key_name='k', value_name='v') }}
{{ [{'key': 'a', 'value': 1}] | items2dict }}
{{ users | items2dict(key_name='name', value_name='uid') }}
{{ [{'x': 1}] | items2dict }}
{{ users | subelements('keys') }}
{{ users | subelements('shell', skip_missing=true) }}
{{ users | subelements('nope') }}
{{ users | subelements('nope', skip_missing=true) }}
{{ 'b' | extract({'a': 1, 'b': 2}) }}
{{ [0, 2] | map('extract', numbers) | list }}
{{ 'a' | extract({'a': {'x': 5}}, 'x') }}
{{ mixed | flatten }}
{{ mixed | flatten(levels=1) }}
{{ mixed | flatten(skip_nulls=false) }}
{{ [1, 2] | zip(['a', 'b']) | list }}
{{ [1, 2, 3] | zip_longest(['a'], fillvalue='-') }}
{{ [1, 2] | product([3, 4]) | list }}
{{ [1, 2, 3] | permutations(2) | list | length }}
{{ [1, 2, 3] | combinations(2) }}
{{ [1, 2, 2, 3] | intersect([3, 2]) | sort }}
{{ [1, 2, 3] | difference([2]) | sort }}
{{ [1, 2] | symmetric_difference([2, 3]) | sort }}
{{ [1, 2] | union([2, 3]) | sort }}
{{ [{'a': 1}] | union([{'a': 1}, {'b': 2}]) }}
{{ [{'a': 1}, {'b': 2}] | difference([{'a': 1}]) }}
{{ users | rekey_on_member('name') | dictsort | map('first') }}
{{ 8 | log(2) }}
{{ 100 | log(10) }}
{{ 2 | pow(8) }}
{{ 9 | root }}
{{ 27 | root(3) }}
{{ s | log }}
{{ 1024 | human_readable }}
{{ 1536000 | human_readable }}
{{ 10 | human_readable }}
{{ 102400000 | human_readable(unit='G') }}
{{ 102400 | human_readable(isbits=true) }}
{{ '10G' | human_to_bytes }}
{{ '1.5 MB' | human_to_bytes }}
{{ '512' | human_to_bytes }}
{{ '10' | human_to_bytes('K') }}
{{ '1Mb' | human_to_bytes(isbits=true) }}
{{ '1KB' | human_to_bytes }}
{{ '1 kb' | human_to_bytes }}
{{ '1Kb' | human_to_bytes }}
{{ '10B' | human_to_bytes }}
{{ '1 kilobyte' | human_to_bytes }}
{{ '10 byte' | human_to_bytes }}
{{ '10Q' | human_to_bytes }}
{{ 100 | random(seed='x') }}
{{ numbers | random(seed='x') }}
{{ 100 | random(start=10, step=10, seed=4) }}
{{ [1, 2, 3, 4] | shuffle(seed='x') }}
{{ '%Y-%m-%d' | strftime(0, utc=true) }}
{{ '%H:%M' | strftime('61', utc=true) }}
{{ '2024-01-02 03:04:05' | to_datetime }}
{{ ('2024-01-02' | to_datetime('%Y-%m-%d')).year }}
{{ (('2024-01-03' | to_datetime('%Y-%m-%d')) - ('2024-01-01' | to_datetime('%Y-%m-%d'))).days }}
{{ i | type_debug }}
{{ s | type_debug }}
{{ disk | type_debug }}
{{ numbers | type_debug }}
{{ none | type_debug }}
{{ f | type_debug }}
{{ lazy_map | type_debug }}
{{ address | urlsplit }}
{{ address | urlsplit('hostname') }}
{{ address | urlsplit('port') }}
{{ 'a%20b+c' | urldecode }}
{{ result is succeeded }}
{{ result is success }}
{{ result is failed }}
{{ result is changed }}
{{ loop_result is changed }}
{{ result is skipped }}
{{ skipped_result is skip }}
{{ result is unreachable }}
{{ result is reachable }}
{{ result is finished }}
{{ result is started }}
{{ result is timedout }}
{{ s is failed }}
{{ 'abc' is match('b') }}
{{ 'abc' is match('a') }}
{{ 'abc' is search('b') }}
{{ 'ABC' is search('b', ignorecase=true) }}
{{ 'abc' is regex('^a.c$') }}
{{ 'abc' is regex('c', match_type='match') }}
{{ '1.10' is version('1.9', '>') }}
{{ '1.0' is version('1.0', '==') }}
{{ '550.54.15' is version('550.100', '<') }}
{{ '1.0rc1' is version('1.0', '<', version_type='pep440') }}
{{ '1.0.0-rc.1' is version('1.0.0', '<', version_type='semver') }}
{{ '1.0.0-rc.10' is version('1.0.0-rc.9', '>', version_type='semver') }}
{{ '1.2' is version('1.2.0', '==', strict=true) }}
{{ '1.0' is version('', '>') }}
{{ '1.0' is version('1', '~') }}
{{ '12.04' is version('12.4', '==') }}
{{ '2.7.18-rc1' is version('2.7.18', '>') }}
{{ [1, 2] is subset([1, 2, 3]) }}
{{ [1, 2, 3] is superset([1]) }}
{{ [1, 2] is contains(1) }}
{{ 'text' is contains('ex') }}
{{ 1 in numbers }}
{{ 'a' in disk }}
{{ 3 is in(numbers) }}
{{ 'yes' is truthy(convert_bool=true) }}
{{ 'no' is truthy(convert_bool=true) }}
{{ 'no' is truthy }}
{{ '' is falsy }}
{{ [] is truthy }}
{{ [true, 1] is all }}
{{ [false, 0] is any }}
{{ '/etc' is directory }}
{{ '/etc/passwd' is file }}
{{ '/no/such' is exists }}
{{ '/etc' is abs }}
{{ '/' is mount }}
{{ 'http://a/b' is url }}
{{ 'nope' is url }}
{{ 'urn:isbn:1' is urn }}
{{ 'mailto:a@b' is uri }}
{{ s is string }}
{{ disk is mapping }}
{{ numbers is iterable }}
{{ numbers is sequence }}
{{ i is number }}
{{ true_var is boolean }}
{{ none_var is none }}
{{ i is odd }}
{{ i is divisibleby(3) }}
{{ i is eq(3) }}
{{ 'a' is lower }}
{{ s is sameas(s) }}
{{ s is vault_encrypted }}
{{ (0.0 / 1) is nan }}
{{ lookup('env', 'HOME') }}
{{ lookup('env', 'NO_SUCH_VARIABLE') }}
{{ lookup('env', 'NO_SUCH_VARIABLE', default='x') }}
{{ lookup('items', [1, [2, 3]]) }}
{{ query('items', [1, [2]], 3) }}
{{ lookup('list', [1, 2]) }}
{{ query('list', 1, 2) }}
{{ query('dict', {'a': 1}) }}
{{ lookup('dict', {'a': 1}) }}
{{ lookup('dict', {'a': 1, 'b': 2}) }}
{{ query('indexed_items', ['a', 'b']) }}
{{ query('together', [1, 2], ['a']) }}
{{ query('nested', [1, 2], ['a', 'b']) }}
{{ query('subelements', users, 'keys') | length }}
{{ query('sequence', 'start=1 end=3') }}
{{ query('sequence', start=1, end=10, stride=4) }}
{{ query('sequence', 'count=3 format=n%02x') }}
{{ query('sequence', '4-8/2:host%02d') }}
{{ lookup('sequence', 'end=3') }}
{{ query('sequence', 'start=5 end=1 stride=-2') }}
{{ query('sequence', 'count=0') }}
{{ query('sequence', 'start=1 end=5 stride=-1') }}
{{ lookup('vars', 's') }}
{{ lookup('vars', 's', 'i') }}
{{ lookup('vars', 'lazy_map') }}
{{ lookup('vars', 'nowhere', default='x') }}
{{ lookup('vars', 'nowhere') }}
{{ query('varnames', '^lazy') | sort }}
{{ lookup('varnames', '^key_') }}
{{ lookup('pipe', 'echo hello') }}
{{ lookup('pipe', 'exit 3') }}
{{ query('lines', 'printf "a\\nb\\n"') }}
{{ lookup('file', '/etc/hostname') is string }}
{{ lookup('file', '/no/such/file') }}
{{ lookup('file', '/no/such/file', errors='ignore') }}
{{ query('file', '/no/such/file', errors='ignore') }}
{{ query('fileglob', '/etc/host*') | sort | first }}
{{ lookup('first_found', ['/no/such', '/etc/passwd']) }}
{{ query('first_found', ['/no/such'], skip=true) }}
{{ lookup('first_found', ['/no/such']) }}
{{ lookup('first_found', {'files': ['passwd'], 'paths': ['/no', '/etc']}) }}
{{ lookup('ansible.builtin.env', 'HOME') }}
{{ lookup('password', '/dev/null length=5') | length }}
{{ lookup('password', '/dev/null chars=digits length=8') is match('[0-9]{8}$') }}
{{ lookup('file', '{{ nowhere_dir | default("/etc") }}/hostname') is string }}
{{ lookup('nope', 1) }}
{{ s | nope }}
{{ s is nope }}
{{ s | ansible.builtin.to_json }}
{{ range(3) | list }}
{{ range(1, 10, 3) | sum }}
{{ dict(a=1) }}
{{ dict([['a', 1]]) }}
{{ namespace(a=1).a }}
{{ s[1:3] }}
{{ numbers[1:] }}
{{ numbers[-1] }}
{{ s.upper() }}
{{ numbers.index(2) }}
{{ 'a-b'.split('-') }}
{{ ','.join(words) }}
{{ s.startswith('te') }}
{{ '{}-{}'.format(1, 2) }}
{{ disk.size | int > 5 }}
{{ (i, s) | list }}
{{ undef('give it') }}
{{ undef() | default('x') }}
{{ 1 / 0 }}
{{ s + 1 }}
{{ numbers | nofilter('a') }}
{{ i ==
{{ 'a\\tb' }}
{{ "it's" }}
{{ 'x' 'y' }}
{{ 1_000 }}
{{ 1e3 }}
{{ 0x10 }}
{{ i < 5 < 10 }}
{{ {'b': 1}[key_b] }}
{{ now(utc=true).year > 2000 }}
{{ now(fmt='%Y') | int > 2000 }}
""".splitlines()

TEXTS = [
    "{{ i }} ",
    "line\n{{ i }}\n",
    "{{ i }}\n",
    "{{ s }}\n\n",
    "\n{{ s }}",
    "{% for n in numbers %}\n{{ n }}\n{% endfor %}\n",
    "a\n{% if true %}\nb\n{% endif %}\nc\n",
    "{{ multi }}\n",
]

CONDITIONS = """\
i == 3
i
s
s | bool
yes_text | bool
numbers
numbers | length > 0
none_var
none_var is none
empty_text
nowhere
nowhere is defined
true or nowhere
false and nowhere
nowhere | default(false)
{{ true }}
{{ i == 3 }}
{{ s }}
not result.failed
result is changed and result.rc == 0
s == '{{ s }}'
s in ['text']
half is defined
i ==
s | nope
true
no
""".splitlines()


def trusted(value: Any) -> Any:
    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, dict):
        return {key: trusted(item) for key, item in value.items()}
    if isinstance(value, list):
        return [trusted(item) for item in value]
    return value


def plain(value: Any) -> Any:
    """Values without the marks that either side puts on them."""
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    for kind in (bool, int, float, str, datetime.datetime, datetime.date):
        if isinstance(value, kind):
            return (kind.__name__, str(value))
    return value


class Refused:
    """Stands for an error of either side."""

    def __repr__(self) -> str:
        return "refused"


REFUSED = Refused()


@pytest.fixture(scope="module")
def oracle():
    if not AnsibleCollectionConfig.collection_finder:
        init_plugin_loader([])
    return AnsibleTemplar(loader=DataLoader(), variables=trusted(VARIABLES))


@pytest.fixture(scope="module")
def ours():
    return Templar(VARIABLES)


def asked(function, *errors):
    try:
        return plain(function())
    except errors:
        return REFUSED


@pytest.mark.parametrize("template", [*TEMPLATES, *TEXTS])
def test_a_template_means_the_same_as_in_ansible(oracle, ours, template):
    expected = asked(lambda: oracle.template(trust_as_template(template)), AnsibleError)
    assert asked(lambda: ours.render(template), RingupError) == expected


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_means_the_same_as_in_ansible(oracle, ours, condition):
    expected = asked(lambda: oracle.evaluate_conditional(trust_as_template(condition)), AnsibleError)
    assert asked(lambda: ours.evaluate(condition), RingupError) == expected


FILES: list[tuple[str, dict[str, Any]]] = [
    (text, options)
    for options in ({}, {"trim_blocks": False}, {"lstrip_blocks": True}, {"newline_sequence": "\r\n"}, {"keep_trailing_newline": True})
    for text in (
        "a\n{% if i %}\n  b\n  {% endif %}\nc\n",
        "{% for n in numbers %}\n    {{ n }}{% if not loop.last %},{% endif %}\n\n{% endfor %}\nend",
        "#jinja2: lstrip_blocks: True, trim_blocks: False\n  {% if i %}\nx\n  {% endif %}\n",
        "{% include 'part.j2' %}\n",
        "{% include 'part.j2' %}{% include 'part.j2' %}",
        "{% include 'gone.j2' ignore missing %}x\n",
        "{% import 'forms.j2' as forms %}{{ forms.m(i) }}\n",
        "{% import 'forms.j2' as forms with context %}{{ forms.w() }}\n",
        "{% from 'forms.j2' import m %}{{ m('a') }}\n",
        "{% extends 'outer.j2' %}{% block body %}{{ i }}-{{ super() }}{% endblock %}",
        "{% macro o(x, y=2) %}{{ x }}{{ y }}{{ varargs }}{% endmacro %}{{ o(1) }} {{ o(1, 3, 4) }}\n",
        "{% set ns = namespace(n=0) %}{% for x in numbers %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}\n",
        "{% filter upper %}{{ s }}{% endfilter %}\n",
        "{% with %}{% set z = 1 %}{{ z }}{% endwith %}\n",
        "{{ lazy_map }}\n",
        "{{ disk }} {{ numbers }} {{ none }} {{ true }}\n",
        "{{ '\\t' }}|{{ 'a\\nb' }}\n",
        "{{ nowhere }}",
        "{% include 'gone.j2' %}",
        "{% fi %}",
        "{{ ansible_managed | default('none') }}"[:0] + "x\n\n\n",
        "",
    )
] + [
    (
        "<% if i %>[[ i ]]<% endif %>",
        {"block_start_string": "<%", "block_end_string": "%>", "variable_start_string": "[[", "variable_end_string": "]]"},
    ),
    ("{# c #}<# d #>{{ i }}", {"comment_start_string": "<#", "comment_end_string": "#>"}),
    ("% for n in numbers\n{{ n }}\n% endfor\n", {"line_statement_prefix": "%"}),
]


@pytest.mark.parametrize(("text", "options"), FILES)
def test_a_template_file_means_the_same_as_in_ansible(oracle, tmp_path, text, options):
    (tmp_path / "part.j2").write_text("part {{ i }}\n")
    (tmp_path / "forms.j2").write_text("{% macro m(x) %}<{{ x }}>{% endmacro %}\n{% macro w() %}{{ s }}{% endmacro %}\n")
    (tmp_path / "outer.j2").write_text("[{% block body %}outer{% endblock %}]\n")
    theirs = oracle.copy_with_new_env(searchpath=[str(tmp_path)], available_variables=trusted(VARIABLES))

    def rendered():
        value = theirs.template(trust_as_template(text), escape_backslashes=False, overrides=options)
        return "" if value is None else str(value)

    expected = asked(rendered, AnsibleError)
    assert asked(lambda: Templar(VARIABLES, [tmp_path]).render_text(text, **options), RingupError) == expected
