"""Measure the site in a browser: how soon a lesson is there, what it fetches, how long checks take.

    GPUEDU_PYODIDE=build/pyodide python benchmarks/lite.py            a table
    GPUEDU_PYODIDE=build/pyodide python benchmarks/lite.py --json     for a program to read

The site is served from a folder of this machine to Chromium without a window. Times of a visit
start with the click on a link to First kernels, in a fresh profile and then in the same one; "Run All"
is chosen as soon as the notebook takes it. Bytes are what a web server sends, compressed where it
compresses. A check is timed once for each exercise of the lessons there, with its solution, in one
notebook that runs in the tab and then natively; what a tab cannot run is left out.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from gpuedu.course.lite.notebooks import for_tab, tab_lessons
from gpuedu.course.lite.site import build_site
from gpuedu.course.proof import Bench
from tests.chromium import launched
from tests.tab.lessons import NEEDS, solved
from tests.tab.lite.native import Native
from tests.tab.lite.outputs import Notebook, code_cells, errors_of, streams_of
from tests.tab.lite.server import SiteServer, served
from tests.tab.lite.skipping import why_no_site
from tests.tab.lite.visit import Profile, expose, profile
from tests.tab.node import ROOT, VARIABLE

LESSON = "02_first_kernels"
TIMED = """\
import time

began = time.perf_counter()
check({arguments})
print("took", time.perf_counter() - began)
"""


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="for a program to read")
    parser.add_argument("--site", type=Path, help="a site that is built already")
    asked = parser.parse_args()
    why = why_no_site()
    if why:
        sys.exit(f"The site cannot be measured: {why}")
    with tempfile.TemporaryDirectory() as made:
        site = asked.site or Path(made, "site")
        if not asked.site:
            build_site(ROOT, site, Path(os.environ[VARIABLE]))
        with served(site, Path(made, "overlay")) as server, launched() as browser:
            expose(server)
            found = measure(browser, server)
    print(json.dumps(found, indent=1) if asked.json else table(found))


def measure(browser: Any, server: SiteServer) -> dict[str, Any]:
    """All figures; times in seconds, sizes in bytes."""
    with profile(browser, server) as learner:
        first, second = visit(learner), visit(learner)
    notebook = all_checks()
    server.put(f"files/{LESSON}.ipynb", nbformat.writes(notebook))
    with profile(browser, server) as learner:
        in_tab = times(learner.lesson(LESSON).run_all())
    with Native(notebook) as native:
        natively = times(native.result())
    checks = {name: {"tab_s": in_tab[name], "native_s": natively[name]} for name in in_tab}
    return {"first_visit": first, "second_visit": second, "checks": checks}


def visit(learner: Profile) -> dict[str, float]:
    """One visit to a lesson, up to its first card."""
    before = learner.server.sent_bytes()
    began = time.perf_counter()
    opened = learner.lesson(LESSON)
    notebook_s = time.perf_counter() - began
    opened.start_all()
    opened.page.wait_for_selector(".gpuedu-card", state="attached", timeout=300_000)
    card_s = time.perf_counter() - began
    fetched = learner.server.sent_bytes() - before
    opened.ended()
    end_s = time.perf_counter() - began
    opened.page.close()
    return {"notebook_s": notebook_s, "card_s": card_s, "end_s": end_s, "bytes": fetched}


def all_checks() -> Notebook:
    """One notebook that times the check of each exercise a tab can run."""
    cells = []
    for lesson in tab_lessons():
        whole = solved(lesson)
        cells += [
            c for c in code_cells(whole) if c.metadata.get("gpuedu", {}).get("role") == "setup"
        ]
        for exercise in lesson.exercises:
            if exercise in NEEDS:
                continue
            bench = Bench(ROOT, exercise)
            cells += [new_code_cell(source) for source in bench.solution_cells()]
            arguments = ", ".join([repr(exercise), *map(ast.unparse, bench.arguments)])
            timed = new_code_cell(TIMED.format(arguments=arguments))
            timed.metadata["timed"] = exercise
            cells.append(timed)
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return for_tab(new_notebook(cells=cells), LESSON)


def times(done: Notebook) -> dict[str, float]:
    """Seconds by exercise."""
    faults = errors_of(done)
    if faults:
        sys.exit(f"the checks did not run: {faults[0]}")
    return {
        cell["metadata"]["timed"]: float(streams_of(cell).split("took ")[1])
        for cell in code_cells(done)
        if "timed" in cell["metadata"]
    }


def table(found: dict[str, Any]) -> str:
    """The figures for a person."""
    lines = [f"{'First kernels':28} {'first visit':>12} {'second visit':>13}"]
    for name, says in (
        ("notebook_s", "notebook is visible"),
        ("card_s", "first card"),
        ("end_s", "every cell has run"),
    ):
        one, two = (found[visit][name] for visit in ("first_visit", "second_visit"))
        lines.append(f"{says:28} {one:10.1f} s {two:11.1f} s")
    one, two = (found[visit]["bytes"] / 1e6 for visit in ("first_visit", "second_visit"))
    lines += [f"{'fetched until first card':28} {one:9.1f} MB {two:10.1f} MB", ""]
    checks = found["checks"]
    lines.append(
        f"{f'a check ({len(checks)} exercises)':28} {'tab':>12} {'native':>13} {'ratio':>7}"
    )
    rows = {name: (row["tab_s"], row["native_s"]) for name, row in checks.items()}
    for says, pick in (("median", statistics.median), ("largest", max)):
        tab, native = (pick(row[i] for row in rows.values()) for i in (0, 1))
        lines.append(f"{says:28} {tab:10.3f} s {native:11.3f} s {tab / native:7.1f}")
    ratios = {name: tab / native for name, (tab, native) in rows.items()}
    lines.append(f"{'median of the ratios':28} {statistics.median(ratios.values()):34.1f}")
    slowest = sorted(ratios, key=ratios.get, reverse=True)[:5]
    lines.append("largest ratios: " + ", ".join(f"{name} {ratios[name]:.1f}" for name in slowest))
    longest = sorted(rows, key=rows.get, reverse=True)[:5]
    lines.append("longest in the tab: " + ", ".join(f"{n} {rows[n][0]:.2f} s" for n in longest))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
