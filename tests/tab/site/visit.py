"""A learner's visit to the site in Chromium: pages, cells, cards, and what the browser keeps."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.tab.site.server import Elsewhere, SiteServer

LIMIT_S = 300
WIDE = {"width": 1366, "height": 900}

# Chromium itself asks Google what the fields of a form mean; that is not the site's doing.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-features=AutofillServerCommunication"]

# Playwright's clicks wait for what they click; whole runs are told by JupyterLab's own model.
RUN_ALL = """() => {
  const app = window.jupyterapp;
  window.ended = '';
  app.commands.execute('notebook:run-all-cells').then(
    () => { window.ended = 'ended'; }, fault => { window.ended = String(fault); });
}"""
NOTEBOOK = "() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model.toJSON())"
SAVE = "async () => { await window.jupyterapp.commands.execute('docmanager:save'); }"
READY = """() => {
  const widget = window.jupyterapp?.shell.currentWidget;
  return widget?.context?.isReady && widget.sessionContext.isReady && widget.content.widgets.length;
}"""


def chromium_path() -> str | None:
    """Debian's Chromium, or one by that name."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless Chromium for the length of a block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=ARGUMENTS)
        yield browser
        browser.close()


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
        if message.type == "error":
            self.told.append(message.text)

    def start_page(self) -> Any:
        """The start page, loaded and filled in."""
        page = self.context.new_page()
        page.goto(self.server.address)
        page.wait_for_selector("ol li")
        return page

    def lesson(self, name: str) -> Lesson:
        """A lesson's notebook in a page of its own, its kernel not yet ready."""
        page = self.context.new_page()
        page.goto(f"{self.server.address}notebooks/index.html?path={name}.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
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

    def run_all(self, limit_s: float = LIMIT_S) -> dict[str, Any]:
        """Run every cell; returns the notebook with its outputs."""
        self.page.wait_for_function(READY)
        self.page.evaluate(RUN_ALL)
        self._wait("() => window.ended", limit_s)
        return self.notebook()

    def run_by_hand(self, until: Callable[[Lesson], bool], limit_s: float = LIMIT_S) -> None:
        """Choose Run > Run All Cells as a person does, and wait until something is there."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        deadline = time.monotonic() + limit_s
        while not until(self):
            if time.monotonic() > deadline:
                raise TimeoutError("the cells did not come to an end")
            self.page.wait_for_timeout(100)

    def _wait(self, condition: str, limit_s: float) -> None:
        self.page.wait_for_function(condition, timeout=limit_s * 1000)

    def notebook(self) -> dict[str, Any]:
        """The notebook as JupyterLab would save it."""
        return json.loads(self.page.evaluate(NOTEBOOK))

    def save(self) -> None:
        """File > Save Notebook."""
        self.page.evaluate(SAVE)

    def cards_seen(self) -> list[str]:
        """The text of the cards as the page shows them; those far away are not drawn."""
        return self.page.locator(".gpuedu-card").all_inner_texts()
