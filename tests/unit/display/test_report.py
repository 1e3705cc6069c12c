"""The report as values, as HTML, and as a browser shows it on a phone."""

import json
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from stories import RING, secret_run, whole_run

from ringup.display.report.html import HtmlReport, render_html
from ringup.display.report.page import build_page
from ringup.display.report.plot import busbw_svg, size_text

PHONE = "390,844"


def test_the_page_says_how_each_host_ended_and_with_which_stack() -> None:
    page = build_page(whole_run())
    assert {host.name: host.state for host in page.hosts} == {"node01": "changed", "node02": "ok", "node03": "failed"}
    assert page.outcome == "failed"
    assert (page.hosts[0].driver, page.hosts[0].torch, page.hosts[0].nccl) == ("580.178.04 open", "2.13.0+cu130", "2.29.7")


def test_a_reason_that_holds_for_all_hosts_stands_once() -> None:
    (reason,) = build_page(whole_run()).reasons
    assert reason["hosts"] == "node[01-03]"


def test_the_time_went_where_the_slowest_tasks_are() -> None:
    assert [row.task for row in build_page(whole_run()).durations] == ["base : write the message", "say it"]


class Closed(HTMLParser):
    """Every element that is opened is closed in order."""

    VOID = frozenset(("meta", "br", "line", "circle", "polyline"))

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.stack.pop() == tag


def test_the_html_is_whole_escapes_what_hosts_said_and_needs_nothing_from_anywhere() -> None:
    html = render_html(build_page(whole_run()))
    parser = Closed()
    parser.feed(html)
    assert parser.stack == []
    assert "&lt;b&gt;hello&lt;/b&gt;" in html
    assert "<b>hello</b>" not in html
    assert "<script" not in html
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert "https://" not in html


def test_secrets_are_in_no_report() -> None:
    assert "hunter2" not in render_html(build_page(secret_run()))


def test_the_plot_has_a_point_for_each_size_and_is_left_out_without_two() -> None:
    assert busbw_svg(RING["sweep"]).count("<circle") == 5  # type: ignore[arg-type]
    assert busbw_svg(RING["sweep"][:1]) == ""  # type: ignore[index]


@pytest.mark.parametrize(("size", "text"), [(512, "512 B"), (1024, "1 KiB"), (64 * 1024**2, "64 MiB"), (8 * 1024**3, "8 GiB")])
def test_sizes_are_said_as_people_say_them(size: int, text: str) -> None:
    assert size_text(size) == text


def test_the_report_is_written_when_the_run_ends_and_latest_points_to_it(tmp_path: Path) -> None:
    report = HtmlReport(tmp_path / "reports")
    for event in whole_run():
        report.on(event)
    assert report.path is not None
    assert (tmp_path / "reports" / "latest.html").resolve() == report.path.resolve()


@pytest.fixture(scope="session")
def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found is not None, "chromium is missing: invoke test installs it"
    return found


def in_browser(browser: str, page: Path, profile: Path, *more: str) -> str:
    """What headless Chromium makes of a page, its scripts run."""
    argv = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    argv += ["--disable-component-update", "--disable-sync", f"--user-data-dir={profile}", f"--window-size={PHONE}", *more, page.as_uri()]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=True).stdout


def test_on_a_phone_nothing_sticks_out_and_the_plot_is_seen(browser: str, tmp_path: Path) -> None:
    html = render_html(build_page(whole_run()))
    probe = """<script>
      const svg = document.querySelector('svg').getBoundingClientRect();
      document.title = JSON.stringify({page: document.documentElement.scrollWidth, window: window.innerWidth, plot: svg.width,
        rows: document.querySelectorAll('tbody tr').length, font: parseFloat(getComputedStyle(document.body).fontSize)});
    </script></body>"""
    page = tmp_path / "probe.html"
    page.write_text(html.replace("</body>", probe))
    dumped = in_browser(browser, page, tmp_path / "profile", "--dump-dom")
    seen = json.loads(dumped.split("<title>")[1].split("</title>")[0])
    assert seen["page"] <= seen["window"]
    assert seen["plot"] > 300
    assert seen["rows"] >= 8
    assert seen["font"] >= 16
