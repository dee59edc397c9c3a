"""Where the words of a card stand: beside each other, in JupyterLab and in an exported page."""

from __future__ import annotations

import re

import pytest

from gpuedu.exercises.card import report_card
from gpuedu.exercises.contract import Fault, Finding, Level, Property
from gpuedu.exercises.examine import PropertyResult, Report
from gpuedu.interrupts import NOTE
from tests.browser.test_lab import code_cell, open_notebook, picture_of, rewrite, run
from tests.sampled import sampled

NARROW = {"width": 375, "height": 900}
WIDE = {"width": 1000, "height": 900}
WORDS = "Thirty-two lanes read one address after another, `counts[x]`, so that the warp waits."

BOXES = """card => [...card.querySelectorAll('li')].map(line => {
    const boxes = node => {
        const range = document.createRange();
        range.selectNodeContents(node);
        return [...range.getClientRects()].map(b => [b.left, b.top, b.right, b.bottom]);
    };
    const mark = line.querySelector('.mark');
    const rest = [...line.childNodes].filter(node => node !== mark).flatMap(boxes);
    return [boxes(mark), rest];
})"""


def every_line():
    """A report whose card has all the kinds of lines that there are."""
    held, lost = Property("held", "copies every element", 2), Property("lost", "n may be odd", 1)
    fault = Fault("lost", "element 127 is 0.0, not 4.5", "Which thread has the last element?")
    return Report(
        "histogram",
        "Counting into few bins",
        3,
        "partly",
        (PropertyResult(held, 4, 4), PropertyResult(lost, 3, 4, fault, "n = 127")),
        tuple(Finding(level, WORDS) for level in Level),
        printed="bins: 256",
    )


SHOW = """# in place of def copied_bytes
import sys; sys.path.insert(0, {root!r})
from tests.browser.test_cards import every_line
from gpuedu.exercises.card import report_card

report_card(every_line())"""


def overlaps(card) -> list[tuple]:
    """The pairs of boxes, a mark's and its text's, that share more than a pixel."""
    return [
        (mark, text)
        for marks, texts in card.evaluate(BOXES)
        for mark in marks
        for text in texts
        if min(mark[2], text[2]) - max(mark[0], text[0]) > 1
        and min(mark[3], text[3]) - max(mark[1], text[1]) > 1
    ]


def require_tidy(card):
    assert len(card.evaluate(BOXES)) == 5
    assert overlaps(card) == []
    assert card.evaluate("card => card.scrollWidth <= card.clientWidth + 1")


@pytest.mark.parametrize(
    ("template", "theme"), [("lab", "light"), ("lab", "dark"), ("classic", "")]
)
def test_in_an_exported_page_no_mark_covers_its_text(page, template, theme, tmp_path, screenshots):
    from nbconvert import HTMLExporter
    from nbformat import v4

    card = report_card(every_line())
    data = {"text/html": card._repr_html_(), "text/plain": str(card)}
    cell = v4.new_code_cell("check(...)", outputs=[v4.new_output("display_data", data)])
    exporter = HTMLExporter(template_name=template, **({"theme": theme} if theme else {}))
    path = tmp_path / "exported.html"
    path.write_text(exporter.from_notebook_node(v4.new_notebook(cells=[cell]))[0], "utf-8")
    page.route("http*://**", lambda route: route.abort())  # MathJax and the like: no network here
    for name, size in (("wide", WIDE), ("narrow", NARROW)):
        page.set_viewport_size(size)
        page.goto(path.as_uri())
        page.screenshot(path=screenshots / f"exported-{template}-{theme or 'light'}-{name}.png")
        require_tidy(page.locator(".gpuedu-card"))


@pytest.mark.parametrize(
    ("place", "theme"),
    sampled(
        [
            ("lab/tree", "light"),
            ("lab/tree", "dark"),
            ("notebooks", "light"),
            ("notebooks", "dark"),
        ],
        every=4,
    ),
)
def test_in_jupyter_no_mark_covers_its_text(page, theme, place, request, root, screenshots):
    address = request.getfixturevalue("lab" if theme == "light" else "dark_lab")
    open_notebook(page, address, f"{place}/00_welcome/00_welcome.ipynb")
    answer = code_cell(page, "def copied_bytes")
    rewrite(page, answer, SHOW.format(root=str(root)))
    card = answer.locator(".gpuedu-card")
    card.wait_for()
    if place == "lab/tree":
        page.keyboard.press("Control+b")  # at 375 pixels the list of files would leave no room
    for name, size in (("wide", WIDE), ("narrow", NARROW)):
        page.set_viewport_size(size)
        card.scroll_into_view_if_needed()
        where = place.split("/")[0]
        page.screenshot(path=screenshots / f"card-{where}-{theme}-{name}.png")
        require_tidy(card)


FOREVER = """def copied_bytes(n, itemsize):
    while True:
        pass
"""


@pytest.mark.parametrize("theme", sampled(["light", "dark"], every=2))
def test_a_long_check_says_so_and_is_stopped_by_its_keys(page, theme, request, screenshots):
    open_notebook(page, request.getfixturevalue("lab" if theme == "light" else "dark_lab"))
    run(page, code_cell(page, 'setup("welcome")'))
    rewrite(page, code_cell(page, "def copied_bytes"), FOREVER)
    check = code_cell(page, 'check("first-check", copied_bytes)')
    check.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    check.get_by_text(re.compile(r"checking first-check \.\.\. \d+ s")).wait_for()
    page.wait_for_timeout(1200)
    picture_of(check, screenshots, f"sign-{theme}")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    page.keyboard.press("i")
    check.locator(".gpuedu-card", has_text="Interrupted").wait_for()
    check.get_by_text(NOTE).wait_for()
    assert check.get_by_text("checking first-check ...").count() == 0
    assert "Traceback" not in check.inner_text() and "session.py" not in check.inner_text()
    picture_of(check, screenshots, f"interrupted-{theme}")
