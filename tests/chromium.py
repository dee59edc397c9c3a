"""The system's Chromium without a window, for tests that look at a page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MISSING = "no chromium here (Debian: apt-get install chromium)"
# What Chromium asks Google of its own accord: what the fields of a form mean, whether its search
# engine is there, and whether that answers by a model.
_ASKING = ("AutofillServerCommunication", "PreconnectToSearch", "AimEnabled")
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", f"--disable-features={','.join(_ASKING)}"]


def chromium_path() -> str | None:
    """Where it is; None where it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def launched() -> Iterator[Any]:
    """A browser for the length of a block."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=_ARGUMENTS)
        yield browser
        browser.close()
