"""get_url, against real HTTP servers of this machine."""

import base64
import functools
import gzip
import hashlib
import http.server
import os
import stat
import threading
from pathlib import Path
from typing import ClassVar

import pytest

CONTENT = b"content\n" * 1000


class Server(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, and a few servers' habits."""

    seen: ClassVar[list] = []

    def log_message(self, *words):
        pass

    def do_HEAD(self):
        self._answer(super().do_HEAD)

    def do_GET(self):
        self._answer(super().do_GET)

    def _answer(self, plainly):
        self.seen.append((self.command, self.path, dict(self.headers)))
        special = {"/asks": self._ask, "/broken": self._break, "/packed": self._pack, "/named": self._name, "/moved": self._move}
        special.get(self.path.partition("?")[0], plainly)()

    def _send(self, content, **headers):
        self.send_response(200)
        for name, value in {"Content-Length": len(content), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)

    def _ask(self):
        if self.headers.get("Authorization") == "Basic " + base64.b64encode(b"me:secret").decode():
            self._send(CONTENT)
        else:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()

    def _break(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"half")

    def _pack(self):
        self._send(gzip.compress(CONTENT), Content_Encoding="gzip")

    def _name(self):
        self._send(CONTENT, Content_Disposition='attachment; filename="../../given.txt"')

    def _move(self):
        self.send_response(302)
        self.send_header("Location", "/file")
        self.send_header("Content-Length", "0")
        self.end_headers()


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "www"
    folder.mkdir()
    (folder / "file").write_bytes(CONTENT)
    digest = hashlib.sha256(CONTENT).hexdigest()
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  other\n{digest} *file\n")
    os.utime(folder / "file", (1_000_000_000, 1_000_000_000))
    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=str(folder)))
    listening.daemon_threads = True
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    Server.seen.clear()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.mark.parametrize(
    "checksum",
    ["", "sha256:" + hashlib.sha256(CONTENT).hexdigest(), "md5:" + hashlib.md5(CONTENT).hexdigest().upper(), "sha256:{server}/SHA256SUMS"],
)
def test_a_file_is_loaded_once(run_four_times, tmp_path, server, checksum):
    args = {"url": server + "/file", "dest": str(tmp_path / "got"), "mode": "0640", "checksum": checksum.replace("{server}", server)}
    results = run_four_times("get_url", wanted=args, otherwise=dict(args, mode="0600"))
    assert (tmp_path / "got").read_bytes() == CONTENT
    assert results[0]["status_code"] == 200 and results[0]["checksum_src"] == hashlib.sha1(CONTENT).hexdigest()
    assert results[0]["mode"] == "0640" and results[0]["url"] == server + "/file"
    assert len([entry for entry in Server.seen if entry[:2] == ("GET", "/file")]) == (1 if checksum else 4)


def test_a_changed_file_is_loaded_again_and_kept_beside(run, tmp_path, server):
    dest = tmp_path / "got"
    dest.write_text("old")
    result = run("get_url", url=server + "/file", dest=str(dest), force=True, backup=True)
    assert result["changed"] and dest.read_bytes() == CONTENT
    assert Path(result["backup_file"]).read_text() == "old"
    assert not run("get_url", url=server + "/file", dest=str(dest), force=True)["changed"]


@pytest.mark.parametrize("path", ["/broken", "/file"])
def test_what_is_not_as_expected_is_never_put_in_place(run, tmp_path, server, path):
    dest = tmp_path / "got"
    dest.write_text("old")
    result = run("get_url", url=server + path, dest=str(dest), checksum="sha256:" + "0" * 64)
    assert result["failed"] and not result["changed"] and "exception" not in result
    assert dest.read_text() == "old" and not list(tmp_path.glob(".ringup-*"))


@pytest.mark.parametrize(("path", "name"), [("/file?x=1", "file"), ("/named", "given.txt"), ("/moved", "file")])
def test_a_folder_takes_the_file_under_its_own_name(run, tmp_path, server, path, name):
    result = run("get_url", url=server + path, dest=str(tmp_path))
    assert result["dest"] == str(tmp_path / name) and (tmp_path / name).read_bytes() == CONTENT


def test_credentials_are_given_when_asked_and_never_shown(run, tmp_path, server):
    args = {"url": server + "/asks", "dest": str(tmp_path / "got")}
    refused = run("get_url", **args)
    assert refused["failed"] and refused["status_code"] == 401
    assert run("get_url", url_username="me", url_password="secret", **args)["changed"]
    (tmp_path / "got").unlink()
    url = args["url"].replace("http://", "http://me:secret@")
    for forced in (True, False):
        result = run("get_url", **dict(args, url=url, force_basic_auth=forced, force=True))
        assert not result.get("failed") and "secret" not in str(result)
    assert "Authorization" in Server.seen[-1][2]


def test_headers_and_agent_are_sent(run, tmp_path, server):
    run(
        "get_url",
        url=server + "/moved",
        dest=str(tmp_path / "got"),
        headers={"X-A": 1, "X-B": "2"},
        unredirected_headers=["x-b"],
        http_agent="us",
    )
    first, second = (entry[2] for entry in Server.seen)
    assert (first["X-A"], first["X-B"], first["User-Agent"]) == ("1", "2", "us")
    assert (second["X-A"], second.get("X-B")) == ("1", None)


def test_packed_answers_are_unpacked(run, tmp_path, server):
    run("get_url", url=server + "/packed", dest=str(tmp_path / "got"))
    assert (tmp_path / "got").read_bytes() == CONTENT
    run("get_url", url=server + "/packed", dest=str(tmp_path / "raw"), decompress=False)
    assert gzip.decompress((tmp_path / "raw").read_bytes()) == CONTENT


def test_the_proxies_of_the_task_are_used_or_not(run, tmp_path, server):
    args = {"url": "http://elsewhere.invalid/file", "dest": str(tmp_path / "got")}
    # a proxy is asked for the whole URL; the server here answers that as a path it does not have
    assert run("get_url", environment={"http_proxy": server}, **args)["status_code"] == 404
    assert Server.seen[-1][1] == "http://elsewhere.invalid/file"
    for environment, more in (({"http_proxy": server, "no_proxy": ".invalid"}, {}), ({"HTTP_PROXY": server}, {"use_proxy": False})):
        assert run("get_url", environment=environment, **args, **more)["status_code"] == -1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"url": "{server}/none"}, "404"),
        ({"url": "gopher://x/y"}, "is no URL"),
        ({"url": "http://127.0.0.1:1/"}, "Request failed"),
        ({"checksum": "abc"}, "format <algorithm>:<checksum>"),
        ({"checksum": "sha256:xyz"}, "format is invalid"),
        ({"checksum": "sha256:{server}/file"}, "Unable to find a checksum"),
        ({"dest": "/no/such/folder/file"}, "does not exist"),
    ],
)
def test_failures_are_said_in_words(run, tmp_path, server, args, words):
    given = {"url": server + "/file", "dest": str(tmp_path / "got"), **args}
    result = run("get_url", **{name: value.replace("{server}", server) for name, value in given.items()})
    assert result["failed"] and words in result["msg"] and "exception" not in result and result["hint"]


def test_a_new_file_has_the_mode_of_the_umask(run, tmp_path, server):
    before = os.umask(0o027)
    try:
        run("get_url", url=server + "/file", dest=str(tmp_path / "got"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "got").stat().st_mode) == 0o640
