"""A small HTTP server for one task: it offers a few named files under a secret path, to the rack and for as long as the task runs."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import quote, unquote

#: a host that takes a connection and then reads nothing must not hold a thread for ever
IDLE_S = 60.0


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD for the served names; everything else does not exist."""

    server: WheelServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        path = self.server.find(unquote(self.path))
        if path is None:
            body = self.server.index(unquote(self.path))
            if body is None:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            self._head("text/html; charset=utf-8", len(body))
            if with_body:
                self.wfile.write(body)
            return
        with path.open("rb") as stream:
            self._head("application/octet-stream", os.fstat(stream.fileno()).st_size)
            if with_body:
                # sendfile keeps the bytes in the kernel; a copy through Python would share the GIL with the engine
                try:
                    self.connection.sendfile(stream)
                except OSError:
                    self.close_connection = True

    def _head(self, kind: str, size: int) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: the engine's events tell what is fetched."""


class WheelServer(ThreadingHTTPServer):
    """Serves files by name under `/TOKEN/`; the token keeps other users of the network out."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, offered: Mapping[str, Path], address: str = "0.0.0.0") -> None:  # noqa: S104 - hosts of the rack are other machines
        self.token = secrets.token_urlsafe(16)
        self._offered = dict(offered)
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def find(self, path: str) -> Path | None:
        prefix = f"/{self.token}/"
        return self._offered.get(path.removeprefix(prefix)) if path.startswith(prefix) else None

    def index(self, path: str) -> bytes | None:
        """A page of links, which is what `--find-links` reads."""
        if path != f"/{self.token}/":
            return None
        links = "".join(f'<a href="{quote(name)}">{name}</a>\n' for name in sorted(self._offered))
        return f"<!doctype html><title>wheels</title>\n{links}".encode()

    def url(self, controller_address: str) -> str:
        """Where a host finds the files, given the controller's address as that host sees it."""
        host = f"[{controller_address}]" if ":" in controller_address else controller_address
        return f"http://{host}:{self.port}/{self.token}/"

    def __enter__(self) -> WheelServer:
        threading.Thread(target=self.serve_forever, name="wheels", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.shutdown()
        self.server_close()
