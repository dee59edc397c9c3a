"""A web server for the site, as plain as a school's: it can be cut off, and it knows what was asked."""

from __future__ import annotations

import functools
import gzip
import http.server
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".ipynb": "application/json",
    ".wasm": "application/wasm",
}
# A web server compresses text, scripts, data and WebAssembly; wheels and fonts are compressed already.
COMPRESSED = {*TYPES, ".html", ".css", ".svg", ".txt", ".webmanifest"}


class _Quiet(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128  # a page asks for much at once, and a browser forgives no refusal
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser hangs up in the middle of an answer whenever a page is left."""


class SiteServer:
    """Serves a folder at one address; a file of the overlay comes in place of the site's."""

    def __init__(self, site: Path, overlay: Path) -> None:
        self.site, self.overlay = site, overlay
        self.sent: list[Path] = []
        self.missing: list[str] = []
        self._server = self._open(0)
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}/"
        self._serve()

    def _open(self, port: int) -> _Quiet:
        return _Quiet(("127.0.0.1", port), functools.partial(_Handler, self))

    def _serve(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        """Cut the network: the address refuses connections from now on."""
        self._server.shutdown()
        self._server.server_close()

    def start(self) -> None:
        """Serve again, at the same address."""
        self._server = self._open(self.port)
        self._serve()

    def path_of(self, name: str) -> Path:
        """The file that an address names, without its query."""
        asked = name.partition("?")[0].partition("#")[0].lstrip("/")
        for folder in (self.overlay, self.site):
            path = (
                folder / asked / "index.html"
                if not asked or asked.endswith("/")
                else folder / asked
            )
            if path.is_file():
                return path
        return self.site / asked

    def put(self, name: str, text: str) -> None:
        """Serve this text under a name from now on."""
        path = self.overlay / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def sent_bytes(self) -> int:
        """What was sent until now, as a web server compresses it."""
        return sum(compressed_size(path, path.stat().st_mtime_ns) for path in list(self.sent))


@functools.cache
def compressed_size(path: Path, _changed: int) -> int:
    """The bytes of a file on the wire."""
    data = path.read_bytes()
    return len(gzip.compress(data, 6)) if path.suffix in COMPRESSED else len(data)


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}  # noqa: RUF012

    def __init__(self, site: SiteServer, *arguments: object) -> None:
        self._site = site
        super().__init__(*arguments)

    def translate_path(self, path: str) -> str:
        return str(self._site.path_of(http.server.urllib.parse.unquote(path)))

    def send_response(self, code: int, message: str | None = None) -> None:
        """Note what is sent whole; an answer that nothing changed has no content."""
        if code == 200 and self.command == "GET":
            self._site.sent.append(Path(self.translate_path(self.path)))
        if code == 404:
            self._site.missing.append(self.path)
        super().send_response(code, message)

    def end_headers(self) -> None:
        """As Pyodide's public address: pages of any site may read what comes."""
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """The tests' output is their own."""


class Elsewhere:
    """A proxy for all addresses but the site's: it writes down who was asked, and answers nobody."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = _Quiet(("127.0.0.1", 0), functools.partial(_Refusal, self))
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """End the proxy."""
        self._server.shutdown()
        self._server.server_close()


class _Refusal(http.server.BaseHTTPRequestHandler):
    def __init__(self, elsewhere: Elsewhere, *arguments: object) -> None:
        self._elsewhere = elsewhere
        super().__init__(*arguments)

    def _refuse(self) -> None:
        self._elsewhere.asked.append(self.path)
        self.send_error(403)

    do_GET = do_POST = do_HEAD = do_CONNECT = _refuse  # noqa: N815

    def log_message(self, *_: object) -> None:
        """What was asked is in ``asked``."""


@contextmanager
def served(site: Path, overlay: Path) -> Iterator[SiteServer]:
    """A server for the length of a block; it may have been stopped within."""
    server = SiteServer(site, overlay)
    try:
        yield server
    finally:
        server.stop()
