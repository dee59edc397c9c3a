"""The view: its page is complete and escaped, its controls move the model and nothing else."""

import dataclasses
import re
import sys

import pytest

from gpuedu.widgets import step_through
from gpuedu.widgets.page import access, render, render_story
from gpuedu.widgets.walk import walk
from tests.trace import samples


def buttons(stepper):
    bar, _, _ = stepper.view.children
    return {button.description: button for button in bar.children}


def test_the_page_shows_line_lanes_accesses_and_hazard():
    page = render(walk(samples.racing()))
    assert 'class="here told"' in page and page.count('aria-current="step"') == 1
    assert "stopped at a hazard" in page and "thread 31 reads s[32]" in page
    assert "line 5: <code>s[t] = a[t]</code>" in page
    assert "warp 1, line 5" in page and "▶ warp 0, line 6" in page
    assert "1 wavefront, 1 at best" in page and "4 sectors, 4 at best" in page


def test_memory_in_rows_of_sectors_and_banks_in_passes():
    strided = walk(samples.strided(8)).at(4)
    far, _ = (access(strided, r) for r in strided.frame.requests)
    assert far.kind == "memory" and len(far.rows) == 8
    assert [c.text for c in far.rows[1].cells if c.style.startswith("on")] == ["4", "5", "6", "7"]
    assert sum("fetched" in c.style for row in far.rows for c in row.cells) == 32 * 7
    tile = walk(samples.transpose()).at(100)
    banks, _ = (access(tile, r) for r in tile.frame.requests)
    assert banks.kind == "banks" and banks.more == "... and 24 more rows"
    assert [c.text for c in banks.rows[0].cells if c.text] == ["0"]


def test_a_line_without_access_says_so():
    assert "touches no array" in render(walk(samples.strided()))


def test_many_warps_are_cut_and_the_current_one_stays():
    page = render(walk(samples.transpose()).at(31))
    assert "▶ warp 31" in page and "20 more warps are not shown" in page


def test_a_truncated_trace_says_so():
    trace = dataclasses.replace(samples.strided(), truncated=True)
    assert "more than was kept" in render(walk(trace))


def test_nothing_of_the_kernels_becomes_markup():
    trace = samples.racing()
    evil = "<img src=x onerror=alert(1)>"
    (source,) = trace.launch.sources
    launch = dataclasses.replace(
        trace.launch,
        kernel=evil,
        sources=(dataclasses.replace(source, text=source.text.replace("s[t] = a[t]", evil)),),
    )
    sites = tuple(dataclasses.replace(site, text=evil, array=evil) for site in trace.sites)
    found = dataclasses.replace(trace.findings[0], message=evil, remedy=f"`{evil}`")
    page = render(walk(dataclasses.replace(trace, launch=launch, sites=sites, findings=(found,))))
    assert "<img" not in page and page.count("&lt;img") > 5


def test_colors_are_tints_or_have_their_own_ground():
    style = render(walk(samples.racing())).partition("</style>")[0]
    for rule in re.findall(r"\{([^}]*)\}", style):
        if re.search(r"(?<!-)color:#", rule):
            assert "background:#" in rule


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("step ▶", lambda w: w.step()),
        ("this warp ▶", lambda w: w.step_warp()),
        ("barrier ▶", lambda w: w.step_epoch()),
        ("⚠ next hazard", lambda w: w.step_hazard()),
    ],
)
def test_buttons_move_the_walk_and_redraw(name, there):
    stepper = step_through(samples.racing())
    stepper.move(stepper.walk.at(1))
    wanted = there(stepper.walk)
    buttons(stepper)[name].click()
    _, slider, page = stepper.view.children
    assert stepper.walk.position == wanted.position == slider.value
    assert page.value == render(wanted)


def test_back_buttons_undo():
    stepper = step_through(samples.block_sum())
    for name in ("step", "this warp", "barrier"):
        buttons(stepper)[f"{name} ▶"].click()
        buttons(stepper)[f"◀ {name}"].click()
        assert stepper.walk.position == 0


def test_the_slider_moves_the_walk():
    stepper = step_through(samples.block_sum())
    _, slider, page = stepper.view.children
    slider.value = 7
    assert stepper.walk.position == 7 and page.value == render(stepper.walk)


def test_without_hazards_that_button_is_off():
    assert buttons(step_through(samples.strided()))["⚠ next hazard"].disabled
    assert not buttons(step_through(samples.racing()))["⚠ next hazard"].disabled


WIDGET = "application/vnd.jupyter.widget-view+json"


def test_a_front_end_without_widgets_gets_the_story_and_a_terminal_a_line():
    stepper = step_through(samples.racing())
    widget, story = stepper.bundles()
    assert widget[WIDGET]["model_id"] == stepper.view.model_id and "text/html" not in widget
    assert story["text/html"] == render_story(stepper.walk, folded=True)
    assert "<summary" in story["text/html"] and "Without buttons: neighbor" in story["text/html"]
    assert widget["text/plain"].startswith("step 5 of 6: warp 0 at line 6: out[t] = s[t + 1]; haz")


def test_without_ipywidgets_the_story_stands_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    (bundle,) = step_through(samples.racing()).bundles()
    assert sorted(bundle) == ["text/html", "text/plain"]
    assert "Without buttons" not in bundle["text/html"]


def test_a_story_unfolds_without_scripts_and_is_open_where_the_walk_stands():
    page = render_story(walk(samples.racing()))
    assert "<script" not in page and page.count("<style") == 1
    assert page.count("<details") == page.count("</details>")
    assert page.count("<details") == 3 and page.count("<details open") == 1
    opened = page.partition("<details open")[2].partition("</details>")[0]
    assert "out[t] = s[t + 1]" in opened and "stopped at a hazard" in opened
    assert "every step of warp 0" in page


def test_the_story_of_a_long_walk_says_how_much_it_shows():
    whole = walk(samples.block_sum())
    steps = sum(whole.at(n).frame.warp == 0 for n in range(len(whole)))
    page = render_story(whole)
    assert f"12 of {steps} steps of warp 0" in page and page.count("<details") == 12


def test_moving_by_code_before_it_is_shown():
    stepper = step_through(samples.strided())
    stepper.move(stepper.walk.step(3))
    assert "step 4 of 6" in stepper.view.children[2].value
