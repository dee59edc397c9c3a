"""How fast the playground is in a tab: until its editor, its first result, a second run.

    GPUEDU_PYODIDE=folder python benchmarks/playground.py [--visits 3]

The page is built, and served from this machine beside Pyodide; Chromium opens it with an empty
cache. ``editor_s`` is from the click on the link to an editor that takes text, ``first_result_s``
to the first kernel's costs on the page, ``rerun_s`` is a press on Run until the new costs are
there, ``second_visit_s`` the first result after a reload; the median over the visits.
``download_bytes`` is everything that was sent until the first result. Times are wall-clock seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from gpuedu.course.lite.node_packages import node_packages  # noqa: E402
from gpuedu.course.lite.page import build_playground  # noqa: E402
from gpuedu.course.lite.site import write_wheels  # noqa: E402
from tests.tab.site import Site, serve  # noqa: E402

SHOWN = (
    "() => !document.body.classList.contains('running')"
    " && document.querySelector('#told').childElementCount > 0"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=3)
    visits = parser.parse_args().visits
    pyodide = Path(os.environ["GPUEDU_PYODIDE"])
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "playground"
        with node_packages() as packages:
            wheels = write_wheels(Path(made) / "wheels", packages)
            build_playground(out, "../pyodide/", wheels, packages)
        with serve({"playground": out, "pyodide": pyodide}) as site, sync_playwright() as play:
            path = shutil.which("chromium") or shutil.which("chromium-browser")
            browser = play.chromium.launch(executable_path=path, args=["--no-sandbox"])
            found = [visit(browser, site) for _ in range(visits)]
    middle = {name: round(statistics.median(one[name] for one in found), 2) for name in found[0]}
    print(json.dumps(middle, indent=2))


def visit(browser: Browser, site: Site) -> dict[str, Any]:
    """One visit in a profile of its own."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(120_000)
    site.sent.clear()
    start = time.perf_counter()
    page.goto(f"{site.address}playground/")
    page.wait_for_selector(".cm-content")
    editor_s = time.perf_counter() - start
    page.wait_for_function(SHOWN)
    found = {
        "editor_s": editor_s,
        "first_result_s": time.perf_counter() - start,
        "download_bytes": sum(site.sent.values()),
        "rerun_s": timed(page, lambda: page.click("#run")),
        "second_visit_s": timed(page, lambda: page.reload(wait_until="commit")),
    }
    context.close()
    return found


def timed(page: Page, act: Any) -> float:
    """Seconds from an act until its result is on the page."""
    start = time.perf_counter()
    act()
    page.wait_for_function(SHOWN)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
