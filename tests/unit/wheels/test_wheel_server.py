import urllib.error
import urllib.request
from pathlib import Path

import pytest

from ringup.wheels.serve import WheelServer


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "a-1.0-py3-none-any.whl"
    path.write_bytes(bytes(range(256)) * 5000)
    return path


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return bytes(answer.read())


def test_a_served_wheel_arrives_whole_and_is_listed(wheel: Path) -> None:
    with WheelServer({wheel.name: wheel}, "127.0.0.1") as server:
        base = server.url("127.0.0.1")
        assert fetched(base + wheel.name) == wheel.read_bytes()
        assert f'href="{wheel.name}"'.encode() in fetched(base)


@pytest.mark.parametrize("path", ["/", "/a-1.0-py3-none-any.whl", "/wrong-token/a-1.0-py3-none-any.whl"])
def test_without_the_token_nothing_exists(wheel: Path, path: str) -> None:
    with WheelServer({wheel.name: wheel}, "127.0.0.1") as server, pytest.raises(urllib.error.HTTPError) as refused:
        fetched(f"http://127.0.0.1:{server.port}{path}")
    assert refused.value.code == 404
    refused.value.close()


def test_what_was_not_offered_is_not_given(wheel: Path) -> None:
    (wheel.parent / "secret.txt").write_text("no")
    with WheelServer({wheel.name: wheel}, "127.0.0.1") as server, pytest.raises(urllib.error.HTTPError) as refused:
        fetched(server.url("127.0.0.1") + "secret.txt")
    refused.value.close()


def test_the_server_is_gone_after_the_task(wheel: Path) -> None:
    with WheelServer({wheel.name: wheel}, "127.0.0.1") as server:
        url = server.url("127.0.0.1")
    with pytest.raises(urllib.error.URLError):
        fetched(url)
