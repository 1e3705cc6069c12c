import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ringup.errors import TemplateError
from ringup.templating import Templar


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "files" / "motd").write_text("  hello\n\n")
    (tmp_path / "files" / "two").write_text("2")
    (tmp_path / "templates" / "t.j2").write_text("{{ name }}-{{ extra | default('none') }}\n")
    (tmp_path / "racks.csv").write_text("node01,r1,7\nnode02,r2,8\n")
    (tmp_path / "tabs.csv").write_text("a\t1\n")
    (tmp_path / "app.ini").write_text("[global]\nuser=ann\n[prod]\nUser=bob\nuser2=eve\n")
    (tmp_path / "app.properties").write_text("user.name=ann\n")
    return tmp_path


VARIABLES = {"name": "node01", "folder_name": "files"}

FOUND = [
    ("lookup('file', 'motd')", "  hello"),
    ("lookup('file', 'motd', lstrip=true, rstrip=false)", "hello\n\n"),
    ("lookup('file', 'motd', 'two')", "  hello,2"),
    ("query('file', 'motd', 'two')", ["  hello", "2"]),
    ("lookup('file', '{{ folder_name }}/two')", "2"),
    ("lookup('template', 't.j2')", "node01-none\n"),
    ("lookup('template', 't.j2', template_vars={'extra': 5})", "node01-5\n"),
    ("lookup('template', 't.j2', variable_start_string='[[', variable_end_string=']]')", "{{ name }}-{{ extra | default('none') }}\n"),
    ("query('fileglob', 't*') | map('basename')", ["two"]),
    ("query('fileglob', 'none*')", []),
    ("lookup('first_found', ['gone', 'two']) | basename", "two"),
    ("lookup('first_found', 'gone', 't.j2') | basename", "t.j2"),
    ("lookup('first_found', files=['gone', 'two'], paths=['files']) | basename", "two"),
    ("lookup('first_found', [{'files': 'gone,two', 'paths': 'nowhere:files'}]) | basename", "two"),
    ("query('first_found', [{'files': 'gone', 'skip': true}])", []),
    ("lookup('csvfile', 'node02 file=racks.csv delimiter=,')", "r2"),
    ("lookup('csvfile', 'node02', file='racks.csv', delimiter=',', col=2)", "8"),
    ("lookup('csvfile', 'r1', file='racks.csv', delimiter=',', keycol=1, col=0)", "node01"),
    ("lookup('csvfile', 'node09', file='racks.csv', delimiter=',', default='none')", "none"),
    ("lookup('csvfile', 'a', file='tabs.csv')", "1"),
    ("lookup('ini', 'user', file='app.ini')", "ann"),
    ("lookup('ini', 'user section=prod file=app.ini')", "bob"),
    ("query('ini', 'user.*', section='prod', file='app.ini', re=true)", ["bob", "eve"]),
    ("lookup('ini', 'gone', file='app.ini', default='none')", "none"),
    ("lookup('ini', 'user.name', type='properties', file='app.properties')", "ann"),
    ("lookup('pipe', 'ls')", "app.ini\napp.properties\nfiles\nracks.csv\ntabs.csv\ntemplates"),
    ("query('lines', 'echo a; echo b')", ["a", "b"]),
    ("query('inventory_hostnames', 'rack', '!node02')", ["node01"]),
    ("query('random_choice', 5, 5)", [5]),
    ("lookup('file', 'gone', errors='ignore')", None),
]


@pytest.mark.parametrize(("expression", "value"), FOUND)
def test_lookups_read_on_the_controller(folder, expression, value):
    hosts = {"rack:!node02": ["node01"]}
    templar = Templar(VARIABLES, [folder], inventory_hostnames=hosts.__getitem__)
    assert templar.render("{{ " + expression + " }}") == value


FAILING = [
    ("lookup('file', 'gone')", "lookup 'file': the file 'gone' is not there", "looked in"),
    ("lookup('first_found', 'gone')", "none of the files is there: gone", "skip"),
    ("lookup('pipe', 'echo oh no >&2; exit 4')", "ended with 4", "oh no"),
    ("lookup('ini', 'a', section='gone', file='app.ini')", "no section [gone]", "global, prod"),
    ("lookup('csvfile', 'a', file='tabs.csv', col='x')", "'x' is no number", "from 0"),
    ("lookup('url', 'file:///etc/passwd')", "no address of the web", "https://"),
    ("lookup('config', 'x')", "Ansible's own settings", "variable"),
    ("lookup('inventory_hostnames', 'all')", "only inside a play", "groups"),
    ("lookup(kind, 'x')", "the lookup 'fil' is not known", "did you mean 'file'?"),
    ("lookup('sequence', 'start=1')", "either end or count", "end=5"),
    ("lookup('sequence', 'one')", "is no sequence", "start=1"),
    ("lookup('subelements', [1])", "takes a list, a key", "users"),
    ("lookup('dict', [1])", "takes a dictionary", "type_debug"),
    ("lookup('varnames', '(')", "regular expression", "any character"),
]


@pytest.mark.parametrize(("expression", "message", "hint"), FAILING)
def test_a_lookup_that_fails_says_what_and_where_it_looked(folder, expression, message, hint):
    with pytest.raises(TemplateError) as caught:
        Templar({"kind": "fil"}, [folder]).render("{{ " + expression + " }}", source="site.yaml:3")
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")
    assert caught.value.where == "site.yaml:3"


def test_a_password_is_made_once_and_kept_for_all_hosts(tmp_path):
    expression = "{{ lookup('password', 'keys/db length=12 chars=ascii_letters') }}"
    made = []
    threads = [threading.Thread(target=lambda: made.append(Templar({}, [tmp_path]).render(expression))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1
    assert len(made[0]) == 12
    kept = tmp_path / "keys" / "db"
    assert kept.read_text() == made[0] + "\n"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_an_encrypted_password_keeps_its_salt(tmp_path):
    templar = Templar({}, [tmp_path])
    first = templar.render("{{ lookup('password', 'root encrypt=sha512_crypt') }}")
    assert first.startswith("$6$")
    assert templar.render("{{ lookup('password', 'root encrypt=sha512_crypt') }}") == first
    assert " salt=" in (tmp_path / "root").read_text()


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        good = self.path == "/good"
        self.send_response(200 if good else 404)
        self.end_headers()
        self.wfile.write((self.headers.get("Authorization", "none") + "\nsecond\n").encode() if good else b"")

    def log_message(self, *args):
        pass


def test_an_address_gives_its_lines():
    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        templar = Templar({"base": f"http://127.0.0.1:{server.server_port}"})
        assert templar.render("{{ query('url', base ~ '/good', username='a', password='b') }}") == ["Basic YTpi", "second"]
        assert templar.render("{{ lookup('url', base ~ '/good', split_lines=false) }}") == "none\nsecond\n"
        with pytest.raises(TemplateError, match="answers 404"):
            templar.render("{{ lookup('url', base ~ '/gone') }}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
