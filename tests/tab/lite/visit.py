"""A learner's visit to the site in Chromium: pages, cells, cards, and what the browser keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.tab.lite.outputs import Notebook
from tests.tab.lite.server import Elsewhere, SiteServer

LIMIT_S = 300
WIDE = {"width": 1366, "height": 900}

# Playwright's clicks wait for what they click; whole runs are told by JupyterLab's own model.
RUN_ALL = """() => {
  const app = window.jupyterapp;
  window.ended = '';
  app.commands.execute('notebook:run-all-cells').then(
    () => { window.ended = 'ended'; }, fault => { window.ended = String(fault); });
}"""
RUN_SOME = """ids => {
  const app = window.jupyterapp;
  const notebook = app.shell.currentWidget.content;
  window.ended = '';
  (async () => {
    for (const id of ids) {
      notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.id === id);
      notebook.deselectAll();
      await app.commands.execute('notebook:run-cell');
    }
  })().then(() => { window.ended = 'ended'; }, fault => { window.ended = String(fault); });
}"""
WRITE = """([id, source]) => window.jupyterapp.shell.currentWidget.content.widgets
  .find(cell => cell.model.id === id).model.sharedModel.setSource(source)"""
NOTEBOOK = "() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model.toJSON())"
SAVE = "async () => { await window.jupyterapp.commands.execute('docmanager:save'); }"
READ = """() => {
  const widget = window.jupyterapp?.shell.currentWidget;
  return widget?.context?.isReady && widget.content.widgets.length;
}"""
READY = """() => {
  const widget = window.jupyterapp?.shell.currentWidget;
  const session = widget?.sessionContext;
  return widget?.context?.isReady && session.isReady && session.session?.kernel
    && widget.content.widgets.length;
}"""


def expose(server: SiteServer) -> None:
    """Have JupyterLite's pages hand their application to scripts, which the site's own do not."""
    settings = json.loads((server.site / "jupyter-lite.json").read_text("utf-8"))
    settings["jupyter-config-data"]["exposeAppInBrowser"] = "true"
    server.put("jupyter-lite.json", json.dumps(settings))


class Profile:
    """One browser profile: what it kept is its own, and it asks the outside world by a proxy."""

    def __init__(self, browser: Any, server: SiteServer, **options: Any) -> None:
        self.server = server
        self.elsewhere = Elsewhere()
        self.told: list[str] = []
        proxy = {"server": self.elsewhere.address, "bypass": "127.0.0.1"}
        self.context = browser.new_context(**{"viewport": WIDE, "proxy": proxy, **options})
        self.context.set_default_timeout(60_000)
        self.context.on("console", self._hear)

    def _hear(self, message: Any) -> None:
        # A browser asks the host's root for an icon of its own accord.
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            self.told.append(f"{message.text} ({message.location['url']})")

    def start_page(self) -> Any:
        """The start page, loaded and filled in."""
        page = self.context.new_page()
        page.goto(self.server.address)
        page.wait_for_selector("ol li")
        return page

    def lesson(self, name: str) -> Lesson:
        """A lesson's notebook in a page of its own, its cells there and its kernel not yet ready."""
        page = self.context.new_page()
        page.goto(f"{self.server.address}notebooks/index.html?path={name}.ipynb")
        page.wait_for_function(READ)
        return Lesson(page)

    def close(self) -> None:
        """Close the browser's pages, and the proxy."""
        self.context.close()
        self.elsewhere.close()


@contextmanager
def profile(browser: Any, server: SiteServer, **options: Any) -> Iterator[Profile]:
    """A fresh profile for the length of a block."""
    opened = Profile(browser, server, **options)
    try:
        yield opened
    finally:
        opened.close()


class Lesson:
    """A notebook of the site, open in a page."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def run_all(self, limit_s: float = LIMIT_S) -> Notebook:
        """Run every cell; returns the notebook with its outputs."""
        self.start_all()
        return self.ended(limit_s)

    def start_all(self) -> None:
        """Have every cell run, and do not wait for it."""
        self.page.wait_for_function(READY)
        self.page.evaluate(RUN_ALL)

    def ended(self, limit_s: float = LIMIT_S) -> Notebook:
        """Wait for the end of a run."""
        self.page.wait_for_function("() => window.ended", timeout=limit_s * 1000)
        return self.notebook()

    def run(self, *cells: str, limit_s: float = LIMIT_S) -> Notebook:
        """Run these cells one by one, as Shift+Enter does."""
        self.page.wait_for_function(READY)
        self.page.evaluate(RUN_SOME, list(cells))
        return self.ended(limit_s)

    def choose(self, menu: str, item: str) -> None:
        """Choose an item of a menu, with the mouse."""
        bar = self.page.locator(".lm-MenuBar")
        bar.get_by_role("menuitem", name=menu, exact=True).click()
        opened = self.page.locator(".lm-Menu")
        opened.get_by_role("menuitem", name=item, exact=True).click()

    def notebook(self) -> Notebook:
        """The notebook as JupyterLab would save it."""
        return json.loads(self.page.evaluate(NOTEBOOK))

    def write(self, cell: str, source: str) -> None:
        """Put another source into a cell."""
        self.page.evaluate(WRITE, [cell, source])

    def save(self) -> None:
        """File > Save Notebook, and wait until it is done."""
        self.page.evaluate(SAVE)
