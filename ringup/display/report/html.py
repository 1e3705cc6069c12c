"""The page as HTML, and the listener that writes it when the run ends."""

from __future__ import annotations

import os
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ringup import __version__
from ringup.display.report.page import Page, build_page
from ringup.display.report.plot import busbw_svg, size_text
from ringup.events import Event, RunEnded, TaskProgressed


def render_html(page: Page) -> str:
    """One HTML document that needs nothing else: no script, font, image or network."""
    environment = Environment(
        loader=PackageLoader("ringup.display.report", ""), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["size"] = size_text
    environment.globals["plot"] = lambda sweep: Markup(busbw_svg(sweep))
    return environment.get_template("page.html.j2").render(page=page, version=__version__)


class HtmlReport:
    """Keeps the events of a run and writes the report at its end, whatever the end was.

    Args:
        folder: where reports are kept; `latest.html` beside them is always the newest.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._events: list[Event] = []
        #: the report of the run that has ended
        self.path: Path | None = None

    def on(self, event: Event) -> None:
        if isinstance(event, TaskProgressed):
            return
        self._events.append(event)
        if isinstance(event, RunEnded):
            self._write()

    def _write(self) -> None:
        page = build_page(self._events)
        self._folder.mkdir(parents=True, exist_ok=True)
        stem = "-".join(Path(name).stem for name in page.title.split(", ")) or "run"
        path = self._folder / f"{page.began:%Y%m%dT%H%M%SZ}-{stem}.html"
        temporary = path.with_suffix(".partial")
        temporary.write_text(render_html(page), encoding="utf-8")
        temporary.replace(path)
        latest = self._folder / "latest.html"
        link = self._folder / f".latest-{os.getpid()}"
        link.symlink_to(path.name)
        link.replace(latest)
        self.path = path
