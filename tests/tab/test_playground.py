"""The playground in a real browser: what it shows, what a link carries, what bad input gets.

Skipped where Chromium, npm or Pyodide are missing; ``GPUEDU_PYODIDE`` names Pyodide's folder.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from gpuedu.course.lite.node_packages import node_packages
from gpuedu.course.lite.page import build_playground, examples
from gpuedu.course.lite.site import write_wheels
from tests.tab.links import fragment, launch_of
from tests.tab.site import serve

pytestmark = pytest.mark.browser
MOST_BYTES = 20_000_000
PAGE_BYTES = 3_500_000
SCALE = """from numba import cuda

@cuda.jit
def scale(x):
    i = cuda.grid(1)
    x[i] = x[i] + x[i]
"""
ENDLESS = """from numba import cuda

@cuda.jit
def f(x):
    i = cuda.grid(1)
    for j in range(1 << 40):
        x[i] += 1
"""
LAUNCH = {"source": SCALE, "grid": "2", "block": "32", "arguments": "x: float32[64] = arange"}
IDLE = "() => !document.body.classList.contains('running')"


@pytest.fixture(scope="session")
def pyodide():
    folder = Path(os.environ.get("GPUEDU_PYODIDE", ""), "pyodide.mjs").parent
    if not (folder / "pyodide.mjs").is_file():
        pytest.skip("GPUEDU_PYODIDE names no folder with Pyodide (python -m tests.tab.parts)")
    return folder


@pytest.fixture(scope="session")
def built(pyodide, tmp_path_factory):
    if shutil.which("npm") is None:
        pytest.skip("no npm here, which bundles the page (Node.js brings it)")
    out = tmp_path_factory.mktemp("site") / "playground"
    with node_packages() as packages:
        wheels = write_wheels(tmp_path_factory.mktemp("wheels"), packages)
        build_playground(out, "../pyodide", wheels, packages)
    return out


@pytest.fixture(scope="session")
def site(built, pyodide):
    with serve({"playground": built, "pyodide": pyodide}) as served:
        yield served


@pytest.fixture
def profile(chromium):
    """Opens pages, each in a profile of its own; a fault of the page's script fails the test."""
    contexts, faults = [], []

    def opened(address, script="", **options):
        context = chromium.new_context(**{"viewport": {"width": 1366, "height": 768}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        if script:
            page.add_init_script(script)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="module")
def page(chromium, site):
    """One page for many tests, so that Python is loaded once."""
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    opened = context.new_page()
    opened.set_default_timeout(120_000)
    opened.goto(f"{site.address}playground/")
    shown(opened)
    yield opened
    context.close()


def shown(page):
    """Wait until what ran last is on the page."""
    page.wait_for_function(IDLE)
    page.wait_for_function("() => document.querySelector('#told').childElementCount > 0")


def open_launch(page, site, **fields):
    page.goto(f"{site.address}playground/#{fragment(LAUNCH | fields)}")
    page.wait_for_timeout(100)
    page.wait_for_function(IDLE)


def text_of(page):
    return page.evaluate("() => [...document.querySelectorAll('#kernel-editor .cm-line')]"
                         ".map((line) => line.textContent).join('\\n')")  # fmt: skip


def findings(page):
    return [told.strip() for told in page.locator("#told > *").all_inner_texts()]


def test_the_page_without_python_is_small(built):
    assert sum(path.stat().st_size for path in built.iterdir()) < PAGE_BYTES
    assert "CodeMirror" in (built / "licenses.txt").read_text("utf-8") or "codemirror" in (
        built / "licenses.txt"
    ).read_text("utf-8")


def test_what_is_downloaded_until_the_first_result(profile, site):
    site.sent.clear()
    page = profile(f"{site.address}playground/")
    shown(page)
    assert page.locator("#told .clean").count() == 1
    assert sum(site.sent.values()) < MOST_BYTES
    assert not [path for path in site.sent if "matplotlib" in path]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["name"])
def test_an_example_shows_what_it_is_there_for(page, example):
    page.select_option("#examples", example["name"])
    shown(page)
    kinds = page.locator("#told .finding").evaluate_all("all => all.map(a => a.dataset.kind)")
    if example["shows"]:
        assert kinds[0] == example["shows"]
        assert page.locator("#told .finding").first.locator("button.line").first.inner_text() == (
            f"line {example['line']}"
        )
        assert page.locator("#kernel-editor .cm-lint-marker").count() > 0
    else:
        assert page.locator("#told .clean").count() == 1
    assert page.locator("#line-number").inner_text() == str(example["line"])
    assert example["look"].replace("`", "") == page.locator("#look").inner_text()
    if "barrier" not in example["shows"] and "branch" not in example["shows"]:
        page.wait_for_selector("#line-picture .cell.on")


def test_costs_stand_beside_their_lines(page):
    page.select_option("#examples", "strided-copy")
    shown(page)
    costs = page.locator("#kernel-editor .costs").last
    assert costs.locator(".sectors").inner_text().split() == ["×4.5", "4,608"]
    assert costs.locator(".requests").inner_text() == "256"
    assert costs.locator(".lanes").inner_text() == "32"
    assert page.locator("#costs-heading .col:visible").all_inner_texts() == [
        "lanes", "requests", "sectors",
    ]  # fmt: skip


def test_a_click_on_a_line_chooses_its_picture(page):
    page.select_option("#examples", "tiled-product")
    shown(page)
    page.locator("#kernel-editor .cm-line").nth(15).click()
    page.wait_for_function("() => document.querySelector('#line-number').textContent === '16'")
    page.wait_for_selector("#line-picture figcaption:has-text('of_a[ty, tx]')")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#line-picture figcaption:has-text('of_b[ty, tx]')")
    assert page.locator("#line-number").inner_text() == "17"
    before = page.locator("#line-picture .rows .name").first.inner_text()
    page.click("#turn-on")
    page.wait_for_function("() => document.querySelector('#turn-shown').textContent === '2 of 4'")
    assert page.locator("#line-picture .rows .name").first.inner_text() != before


def test_the_figure_is_drawn_when_it_is_asked_for(whole, page, site):
    page.select_option("#examples", "bank-conflicts")
    shown(page)
    page.wait_for_selector("#line-picture .cell.on")
    assert not [path for path in site.sent if "matplotlib" in path]
    page.click("#figure")
    page.wait_for_selector("#line-figure img")
    alt = page.get_attribute("#line-figure img", "alt")
    assert "take 32 passes, where 1 would do" in alt
    assert page.get_attribute("#line-figure a", "download") == "by_column-line-12.svg"
    assert [path for path in site.sent if "matplotlib" in path]


def test_the_stepper_moves_by_buttons_and_keys(page):
    page.select_option("#examples", "race")
    shown(page)
    page.click("#steps summary")
    page.wait_for_selector("#steps .gpuedu-step:has-text('stopped at a hazard')")
    assert page.locator("#kernel-editor .line-step").inner_text().strip() == (
        "part[t] += part[t + step]"
    )
    where = page.locator("#steps .where")
    first = where.inner_text()
    page.click("[data-move='warp back']")
    page.wait_for_function(f"() => document.querySelector('#steps .where').innerText !== `{first}`")
    page.focus("#steps .frame")
    page.keyboard.press("h")
    page.wait_for_function(f"() => document.querySelector('#steps .where').innerText === `{first}`")
    page.keyboard.press("Home")
    page.wait_for_selector("#steps .where:has-text('step 1 of')")
    page.click("#steps summary")
    page.wait_for_selector("#kernel-editor .line-step", state="detached")


def test_a_link_opened_in_another_profile_shows_the_same(profile, page, site):
    page.select_option("#examples", "race")
    shown(page)
    page.fill("#grid", "2")
    page.click("#run")
    shown(page)
    page.click("#link")
    page.wait_for_function("() => location.hash.length > 9")
    assert launch_of(page.url)["grid"] == "2"
    other = profile(page.url)
    shown(other)
    assert text_of(other) == text_of(page)
    assert findings(other) == findings(page)
    assert "data-race" in other.locator("#told .finding").first.get_attribute("data-kind")
    assert other.input_value("#grid") == "2"
    assert other.locator("#kernel-editor .costs").all_inner_texts() == (
        page.locator("#kernel-editor .costs").all_inner_texts()
    )


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda link: link[:-20], "cut off"),
        (lambda link: link[:7], "cut off"),
        (lambda link: link[:30] + "A" + link[31:], "damaged"),
        (lambda link: "2" + link[1:], "newer version"),
        (lambda link: "section-3", "damaged"),
    ],
)
def test_a_link_that_is_not_whole_says_so_and_takes_nothing_away(whole, page, site, spoil, said):
    open_launch(page, site)
    before = text_of(page)
    page.goto(f"{site.address}playground/#{spoil(fragment(LAUNCH | {'grid': '7'}))}")
    page.wait_for_selector(f"#banner:has-text('{said}')")
    assert text_of(page) == before
    assert page.input_value("#grid") == "2"
    page.click("#banner button")


def test_an_endless_kernel_leaves_the_page_usable(page, site):
    open_launch(page, site)
    page.goto(f"{site.address}playground/#{fragment(LAUNCH | {'source': ENDLESS})}")
    page.wait_for_function("() => document.body.classList.contains('running')")
    page.locator("#kernel-editor .cm-line").first.click()
    page.keyboard.press("Home")
    page.keyboard.type("# mine\n")
    assert text_of(page).startswith("# mine\nfrom numba")
    page.click("#stop")
    page.wait_for_function(IDLE)
    assert text_of(page).startswith("# mine\nfrom numba")
    open_launch(page, site)
    shown(page)
    assert page.locator("#told .clean").count() == 1


@pytest.mark.parametrize(
    ("fields", "said", "where"),
    [
        ({"source": SCALE.replace("+", "x")}, "This is not valid Python yet", "#kernel-editor .cm-lintRange-error"),
        ({"source": SCALE.replace("+", "+ [2][0] +")}, "A list cannot be made", "#kernel-editor .cm-lintRange-error"),
        ({"arguments": "x: float31[64]"}, "not a number type", "#arguments-editor .cm-lintRange-error"),
        ({"arguments": ""}, "no value for x", "#arguments-editor.invalid"),
        ({"grid": "0"}, "must be 1 to", "#grid[aria-invalid]"),
        ({"block": "4096"}, "must be 1 to 1024", "#block[aria-invalid]"),
        ({"shared": "9 ** 9"}, "dynamic shared memory", "#shared[aria-invalid]"),
    ],
)  # fmt: skip
def test_what_cannot_run_is_told_where_it_is_and_kept(page, site, fields, said, where):
    open_launch(page, site, **fields)
    told = page.locator("#told [role=alert]")
    told.wait_for()
    assert said in " ".join(told.inner_text().split())
    assert "Try:" in told.inner_text()
    assert page.locator(where).count() >= 1
    assert text_of(page).strip() == (LAUNCH | fields)["source"].strip()
    open_launch(page, site)
    shown(page)
    assert page.locator("[aria-invalid], .invalid, #told [role=alert]").count() == 0


def test_what_is_typed_outlives_a_reload_and_an_example(whole, profile, site):
    page = profile(f"{site.address}playground/")
    shown(page)
    page.locator("#kernel-editor .cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# mine")
    page.fill("#block", "64")
    page.reload()
    page.wait_for_selector("#kernel-editor .cm-line:has-text('# mine')")
    assert page.input_value("#block") == "64"
    page.select_option("#examples", "race")
    page.wait_for_selector("#kernel-editor .cm-line:has-text('block_sum')")
    page.select_option("#examples", "before")
    page.wait_for_selector("#kernel-editor .cm-line:has-text('# mine')")
    assert page.input_value("#block") == "64"


def test_it_works_where_nothing_can_be_stored(whole, profile, site):
    forbid = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }});"
    page = profile(f"{site.address}playground/#{fragment(LAUNCH)}", script=forbid)
    shown(page)
    page.locator("#kernel-editor .cm-content").click()
    page.keyboard.type("# mine ")
    page.keyboard.press("Control+Enter")
    shown(page)
    assert "# mine" in text_of(page)


def test_without_webassembly_it_says_what_to_do(profile, site):
    page = profile(f"{site.address}playground/", script="delete window.WebAssembly;")
    page.wait_for_selector("#banner:has-text('no WebAssembly')")
    page.locator("#kernel-editor .cm-content").click()
    page.keyboard.type("# mine ")
    page.keyboard.press("Control+Enter")
    assert "# mine" in text_of(page)


def test_python_that_cannot_be_loaded_is_told_and_tried_again(whole, profile, site):
    site.cut.add("pyodide")
    try:
        page = profile(f"{site.address}playground/#{fragment(LAUNCH)}")
        page.wait_for_selector("#banner:has-text('could not be loaded')")
        page.wait_for_function(IDLE)
        assert text_of(page).strip() == SCALE.strip()
    finally:
        site.cut.clear()
    page.click("#run")
    shown(page)
    assert page.locator("#told .clean").count() == 1
    assert page.locator("#banner").is_hidden()


def test_the_keyboard_reaches_everything_and_focus_is_seen(page, site):
    open_launch(page, site)
    shown(page)
    page.evaluate("() => document.activeElement.blur()")
    page.evaluate("() => document.querySelector('h1').setAttribute('tabindex', '-1')")
    page.focus("h1")
    reached, seen = [], []
    for _ in range(26):
        page.keyboard.press("Tab")
        name, outline = page.evaluate("""() => {
            const one = document.activeElement;
            const box = one.closest('#kernel-editor, #arguments-editor') ?? one;
            const name = box.id || one.parentElement.id || one.className || one.tagName;
            return [name, getComputedStyle(box).outlineStyle];
        }""")
        reached.append(name)
        seen.append(outline)
    wanted = ["run", "examples", "link", "help", "kernel-editor", "grid", "block", "shared",
              "arguments-editor", "warp", "figure", "steps", "arrays", "totals"]  # fmt: skip
    assert [name for name in wanted if name not in reached] == []
    assert set(seen[: len(wanted)]) == {"solid"} or set(seen[: len(wanted)]) == {"auto", "solid"}


def test_tab_indents_once_something_was_typed_and_escape_leads_out(page, site):
    open_launch(page, site)
    shown(page)
    page.locator("#kernel-editor .cm-line").last.click()
    page.keyboard.press("Tab")
    page.keyboard.type("# in")
    assert text_of(page).endswith("    # in")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('#kernel-editor')") is None
    page.keyboard.press("Control+Enter")
    shown(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1366])
def test_nothing_is_wider_than_the_window(whole, profile, site, width, scheme):
    page = profile(
        f"{site.address}playground/#{fragment(LAUNCH)}",
        viewport={"width": width, "height": 768},
        color_scheme=scheme,
    )
    shown(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    darkest = max(int(value) for value in re.findall(r"\d+", ground)[:3]) < 64
    assert darkest == (scheme == "dark")


def test_arguments_are_written_for_a_kernel_that_was_pasted(page, site):
    open_launch(page, site, arguments="left: int8[3]")
    page.click("#told .suggest")
    page.wait_for_selector("#told .clean")
    assert page.locator("#arguments-editor .cm-line").all_inner_texts() == [
        "x: float32[1024] = random"
    ]


def test_another_block_can_be_watched(page):
    page.select_option("#examples", "strided-copy")
    shown(page)
    assert page.locator("#line-picture .name").first.inner_text() == "x[0]"
    page.fill("#watch", "3")
    page.keyboard.press("Enter")
    page.wait_for_selector("#line-picture .name:has-text('x[6144]')")
    assert page.input_value("#watch") == "3"
