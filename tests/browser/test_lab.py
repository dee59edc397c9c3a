"""A learner in JupyterLab and in Notebook 7: a wrong answer, its card, the right one, progress."""

from __future__ import annotations

import re

import pytest

from tests.browser.server import TOKEN

expect = pytest.importorskip("playwright.sync_api").expect

NOTEBOOK = "lab/tree/00_welcome/00_welcome.ipynb"
PAGES = {"": NOTEBOOK, "-notebook-7": "notebooks/00_welcome/00_welcome.ipynb"}


def open_notebook(page, address: str, path: str = NOTEBOOK):
    # On a busy machine JupyterLab asks now and then for the kernel, with the right one chosen.
    asked = page.locator("dialog", has_text="Select Kernel").locator(".jp-mod-accept")
    page.add_locator_handler(asked, lambda button: button.click())
    page.goto(f"{address}{path}?token={TOKEN}")
    page.wait_for_selector(".jp-Notebook .jp-Cell", state="visible")
    # The kernel is there when its indicator says so; before that, keys would be lost.
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", timeout=90_000)


def code_cell(page, text: str):
    """The code cell whose input has this text."""
    return page.locator(".jp-CodeCell").filter(
        has=page.locator(".jp-InputArea", has_text=re.compile(re.escape(text)))
    )


def run(page, cell):
    """Run a cell and wait until it is done. Keys pressed before the kernel listens are lost."""
    prompt = cell.locator(".jp-InputPrompt").first
    before = prompt.inner_text()
    for _ in range(6):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        for _ in range(50):
            if prompt.inner_text() != before:
                expect(prompt).to_have_text(re.compile(r"\[\d+\]"), timeout=60_000)
                return
            page.wait_for_timeout(100)
    pytest.fail(f"the cell did not run: {cell.inner_text()[:200]}")


def rewrite(page, cell, source: str):
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    run(page, cell)


def picture_of(cell, folder, name):
    cell.scroll_into_view_if_needed()
    cell.screenshot(path=folder / f"{name}.png")


@pytest.mark.parametrize("program", PAGES, ids=["lab", "notebook-7"])
def test_a_learner_goes_from_a_wrong_answer_to_the_right_one(page, lab, program, screenshots):
    open_notebook(page, lab, PAGES[program])
    setup = code_cell(page, 'setup("welcome")')
    run(page, setup)
    setup.get_by_text("tier").first.wait_for()

    answer = code_cell(page, "def copied_bytes")
    check = code_cell(page, 'check("first-check", copied_bytes)')
    run(page, answer)
    run(page, check)
    check.locator(".gpuedu-card.unsolved", has_text="Not solved yet").wait_for()

    rewrite(page, answer, "def copied_bytes(n, itemsize):\n    return n * itemsize\n")
    run(page, check)
    card = check.locator(".gpuedu-card.wrong")
    card.wait_for()
    assert "first-check: 0 of 2" in card.inner_text()
    assert "one direction only" in card.inner_text()
    expect(check.locator(".jp-OutputArea-executeResult")).to_be_hidden()
    assert "0.0" not in check.inner_text()
    picture_of(check, screenshots, f"card-wrong{program}")
    page.screenshot(path=screenshots / f"lesson{program}.png")

    rewrite(page, answer, "def copied_bytes(n, itemsize):\n    return 2 * n * itemsize\n")
    run(page, check)
    card = check.locator(".gpuedu-card.solved")
    card.wait_for()
    assert "first-check: 2 of 2" in card.inner_text()
    picture_of(check, screenshots, f"card-solved{program}")

    told = code_cell(page, "progress()")
    run(page, told)
    text = told.locator(".jp-OutputArea-output").first.inner_text()
    assert re.search(r"first-check\s+2 of 2|first-check\s+2/2", text), text
    picture_of(told, screenshots, f"progress{program}")


def test_the_card_reads_in_a_dark_theme(page, dark_lab, screenshots):
    open_notebook(page, dark_lab)
    run(page, code_cell(page, 'setup("welcome")'))
    attempt = code_cell(page, "def first_attempt")
    run(page, attempt)
    card = attempt.locator(".gpuedu-card")
    card.wait_for()
    picture_of(attempt, screenshots, "card-dark")
    ink, ground = card.evaluate(
        """card => {
            const rgb = text => text.match(/[0-9.]+/g).map(Number);
            let node = card, ground = [0, 0, 0, 0];
            while (node && ground.length > 3 && ground[3] === 0) {
                ground = rgb(getComputedStyle(node).backgroundColor);
                node = node.parentElement;
            }
            return [rgb(getComputedStyle(card).color), ground];
        }"""
    )
    assert contrast(ink, ground) >= 4.5  # the least that WCAG 2 asks for text


def contrast(one, other) -> float:
    """The contrast ratio of two colors, by WCAG 2's definition."""

    def luminance(rgb):
        parts = [part / 255 for part in rgb[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("one", "other", "ratio"), [((0, 0, 0), (255, 255, 255), 21), ((9, 9, 9), (9, 9, 9), 1)]
)
def test_the_contrast_ratio_is_right(one, other, ratio):
    assert contrast(one, other) == pytest.approx(ratio)
