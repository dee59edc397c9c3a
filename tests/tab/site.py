"""A web server for a built page with Pyodide beside it, which remembers what it sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class Site:
    """What is served at ``address``: folders by the first part of the path.

    ``sent`` maps each path to the bytes of its latest answer; a first part in ``cut`` is not found.
    """

    def __init__(self, folders: dict[str, Path], port: int) -> None:
        self.folders, self.address = folders, f"http://127.0.0.1:{port}/"
        self.sent: dict[str, int] = {}
        self.cut: set[str] = set()


class _Handler(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }
    site: Site

    def translate_path(self, path: str) -> str:
        first, _, rest = path.partition("?")[0].lstrip("/").partition("/")
        folder = self.site.folders.get(first)
        if folder is None or first in self.site.cut or ".." in rest:
            return str(Path("nowhere", "at", "all"))
        return str(folder / (rest or "index.html"))

    def copyfile(self, source: Any, outputfile: Any) -> None:
        content = source.read()
        self.site.sent[self.path] = len(content)
        outputfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def serve(folders: dict[str, Path]) -> Iterator[Site]:
    """Serve folders on a free port of this machine."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.site = Site(folders, server.server_port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield handler.site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
