from __future__ import annotations

from pathlib import Path

import pytest

from ringup.lab import image
from ringup.lab.apt import Archive, Route, archives_of, carried

LISTED = """\
Debian|http://mirror.test/debian/|bookworm-updates|main
Debian|http://mirror.test/debian/|bookworm|main
Debian|http://mirror.test/debian/|bookworm|contrib
Debian|http://mirror.test/security/|bookworm-security|main
Somebody Else|https://else.test/|bookworm|main
"""


def test_the_machines_own_mirror_serves_its_own_release() -> None:
    assert archives_of(LISTED, "bookworm", "bookworm") == (
        Archive("http://mirror.test/debian/", "bookworm", ("main", "contrib")),
        Archive("http://mirror.test/debian/", "bookworm-updates", ("main",)),
        Archive("http://mirror.test/security/", "bookworm-security", ("main",)),
    )


def test_the_machines_own_mirror_serves_other_releases_too() -> None:
    assert [archive.suite for archive in archives_of(LISTED, "bookworm", "trixie")] == ["trixie", "trixie-updates", "trixie-security"]


@pytest.mark.parametrize(
    "listed", ["", "Ubuntu|http://ubuntu.test/|jammy|main\n", "Debian|http://mirror.test/security/|bookworm-security|main\n"]
)
def test_without_a_debian_archive_of_its_own_the_choice_is_debootstraps(listed: str) -> None:
    assert archives_of(listed, "bookworm", "bookworm") == ()


def test_other_systems_than_debian_lend_no_archives() -> None:
    assert archives_of(LISTED, "", "bookworm") == ()


SETTINGS = [
    'Acquire::http::Proxy "http://proxy.test:3128";',
    'Acquire::https::CaInfo "/etc/ssl/mine.pem";',
    'Acquire::http::Proxy::direct.test "DIRECT";',
    'Acquire::http "";',
    'Acquire::Languages "";',
    'APT::Install-Recommends "1";',
    'Acquire::Retries "3";',
]


def test_what_decides_how_archives_are_reached_is_carried_and_nothing_else() -> None:
    assert carried(SETTINGS, {}) == (SETTINGS[0], SETTINGS[1], SETTINGS[2], SETTINGS[6])


@pytest.mark.parametrize(
    ("settings", "environment", "proxies"),
    [
        ([], {"http_proxy": "http://p.test:1"}, ('Acquire::http::Proxy "http://p.test:1";',)),
        ([], {"HTTPS_PROXY": "http://p.test:2"}, ('Acquire::https::Proxy "http://p.test:2";',)),
        ([SETTINGS[0]], {"http_proxy": "http://p.test:1"}, (SETTINGS[0],)),
        ([], {"http_proxy": ""}, ()),
    ],
)
def test_a_proxy_that_only_the_environment_names_is_carried(
    settings: list[str], environment: dict[str, str], proxies: tuple[str, ...]
) -> None:
    assert carried(settings, environment) == proxies


def test_an_image_has_another_name_when_anything_in_it_is_another(tmp_path: Path) -> None:
    authority = tmp_path / "ca.crt"
    authority.write_text("one")
    archive = Archive("http://mirror.test/", "bookworm", ("main",))
    routes = [Route((), (), ()), Route((archive,), (), ()), Route((), ('Acquire::Retries "3";',), ()), Route((), (), (authority,))]
    names = {image.version("bookworm", route) for route in routes} | {image.version("trixie", routes[0])}
    authority.write_text("two")
    names.add(image.version("bookworm", routes[3]))
    assert len(names) == 6
    assert image.version("bookworm", routes[0]) in names
