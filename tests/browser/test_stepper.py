"""The stepper in JupyterLab: it opens at the hazard, its buttons move it, the page is below it."""

from __future__ import annotations

import pytest

from tests.browser.test_lab import code_cell, open_notebook, picture_of, run
from tests.sampled import only_whole

expect = pytest.importorskip("playwright.sync_api").expect

STEP = "step(shares_draft, 2, 128"


@only_whole
def test_stepping_through_a_race(page, lab, screenshots):
    open_notebook(page, lab, "lab/tree/06_scans/06_scans.ipynb")
    for text in ('setup("scans")', "def widen_draft"):
        run(page, code_cell(page, text))
    cell = code_cell(page, STEP)
    cell.scroll_into_view_if_needed()
    run(page, cell)
    frame = cell.locator(".jp-OutputArea .widget-html .gpuedu-step")
    frame.wait_for()
    expect(frame).to_contain_text("stopped at a hazard")
    picture_of(cell, screenshots, "stepper")
    stood = frame.locator(".where").inner_text()

    cell.get_by_role("button", name="◀ barrier").click()
    expect(frame.locator(".where")).not_to_have_text(stood)
    cell.get_by_role("button", name="⚠ next hazard").click()
    expect(frame.locator(".where")).to_have_text(stood)

    story = cell.locator(".gpuedu-story > details")
    expect(story).to_have_count(1)
    expect(story.locator(".gpuedu-step").first).to_be_hidden()
    story.locator("summary").first.click()
    expect(story.locator("details[open] .halt")).to_be_visible()
    picture_of(cell, screenshots, "stepper-unfolded")
