"""Slides: three for each prediction, with figures that are described, in one file."""

from __future__ import annotations

import re
from itertools import pairwise

import nbformat
import pytest

from gpuedu.course.book.exercise_list import listed
from gpuedu.course.desk.deck import slides_of
from gpuedu.course.desk.slides import write_deck
from gpuedu.course.execution import execute, read_notebook
from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson, parts

LESSON = lesson("first-kernels")
PARTS = ("how-does", "your-first-launch", "thread-index", "blocks", "what-you-take", "sources")
VOTES = ["vote", "discuss", "truth"]
WIDTHS = {1366: 768, 375: 700}


@pytest.fixture(scope="module")
def run(root):
    """Two exercises of a lesson, run: the rest of it would only take longer."""
    notebook = read_notebook(root, "solutions", LESSON.folder)
    notebook.cells = [
        cell
        for cell in notebook.cells
        if cell.id.startswith(PARTS) and "progress()" not in cell.source
    ]
    execute(notebook, LESSON.folder)
    return notebook


@pytest.fixture(scope="module")
def deck(root, run):
    return slides_of(LESSON, run, listed(root, LESSON))


@pytest.fixture(scope="module")
def path(root, run, tmp_path_factory):
    place = tmp_path_factory.mktemp("deck") / "slides.html"
    write_deck(root, LESSON, run, place)
    return place


def kinds(slides, key):
    return [one.kind for one in slides if one.key == key]


def test_each_prediction_gives_three_slides_in_a_row(deck):
    for key in ("thread-index", "blocks", "blocks-copies"):
        assert kinds(deck, key) == VOTES
        first = next(place for place, one in enumerate(deck) if one.key == key)
        assert [one.key for one in deck[first : first + 3]] == [key] * 3


def test_the_truth_is_among_the_choices_and_is_only_told_last(deck, path):
    vote, discuss, truth = (one for one in deck if one.key == "blocks")
    assert vote.choices == discuss.choices == truth.choices
    assert [one.text for one in vote.choices if one.is_true] == ["24 threads"]
    assert truth.heading == "24 threads" and truth.because and not vote.because
    page = path.read_text("utf-8")
    asked, _, told = page.partition('<section tabindex="-1" class="slide truth"')
    assert 'class="true"' not in asked and 'class="true"' in told


def test_a_lesson_opens_with_its_question_and_ends_with_what_one_takes_with_one(deck):
    assert (deck[0].kind, deck[0].heading) == ("title", LESSON.question)
    aims, needs = deck[1].texts
    assert aims.startswith("- write a kernel") and needs.startswith("**You need**")
    assert deck[-1].kind == "last"
    assert all(one.heading != "Sources" for one in deck)


def test_a_section_opens_with_its_first_paragraph(deck):
    idea = next(one for one in deck if one.heading == "More than one block")
    assert idea.texts[0].startswith("A block has at most 1,024 threads")
    assert len(idea.texts) == 1


def test_a_task_says_how_long_it_takes_and_shows_no_solution(deck):
    task = next(one for one in deck if one.kind == "task")
    assert task.above == "Your turn: about 10 minutes" and "3 points" in task.note
    assert task.texts[0].startswith("Set `out[i]`")
    assert not any("out[i] = a[i] + 10" in text for one in deck for text in (one.code, *one.texts))


def test_every_figure_has_an_alternative_text(deck, path):
    figures = [one.figure for one in deck if one.figure]
    assert len(figures) >= 4
    assert all(len(one.alt) > 20 for one in figures)
    images = re.findall(r"<img [^>]*?>", path.read_text("utf-8"))
    assert len(images) == len(figures)
    assert all(re.search(r'alt="[^"]+"', one) for one in images)


@pytest.mark.parametrize("part", parts())
def test_every_lesson_has_a_deck_with_all_of_its_predictions_and_tasks(root, part):
    """From notebooks that were not run, so without figures."""
    for entry in parts()[part]:
        notebook = read_notebook(root, "solutions", entry.folder)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        slides = slides_of(entry, notebook, listed(root, entry))
        asked = {key for name in entry.exercises for key in load(name).judge.predictions}
        assert {one.key for one in slides if one.key} == asked, entry.slug
        assert all(kinds(slides, key) == VOTES for key in asked), entry.slug
        tasks = [one for one in slides if one.kind == "task"]
        assert len(tasks) == len(entry.exercises), entry.slug
        assert all(one.texts for one in slides if one.kind in ("task", "idea")), entry.slug
        assert not any(one == other for one, other in pairwise(slides)), entry.slug


def test_what_was_measured_is_the_truth_where_nothing_else_is(root):
    entry = lesson("why-gpus")
    cells = read_notebook(root, "solutions", entry.folder).cells
    kept = [cell for cell in cells if cell.id.startswith(("what-is-a", "parallel-cpu"))]
    for cell in kept:
        if cell.cell_type == "code":
            card = "<div>You said 300 times; it is 14.9 times.</div>"
            shown = nbformat.v4.new_output("display_data", {"text/html": card})
            cell.outputs = [shown] if "reveal(" in cell.source else []
    slides = slides_of(entry, nbformat.v4.new_notebook(cells=kept), listed(root, entry))
    vote, _, truth = (one for one in slides if one.key == "parallel-cpu")
    assert "15 times" in [one.text for one in vote.choices if one.is_true]
    assert truth.heading == "14.9 times" and "your machine" in truth.note


@pytest.fixture
def opened(chromium, path):
    """The deck in a window, and every address that it asks for."""
    asked: list[str] = []
    window = chromium.new_page(viewport={"width": 1366, "height": 768})
    window.on("request", lambda one: asked.append(one.url))
    window.goto(path.as_uri())
    yield window, asked
    window.close()


def place(window):
    return window.inner_text("#place").split(" / ")[0]


def test_keys_move_and_nothing_is_fetched(opened, path):
    window, asked = opened
    assert window.locator(".slide:visible").count() == 1
    for key, expected in (
        ("ArrowRight", "2"),
        ("Space", "3"),
        ("PageDown", "4"),
        ("ArrowLeft", "3"),
        ("Shift+Space", "2"),
        ("Home", "1"),
        ("ArrowLeft", "1"),
    ):
        window.keyboard.press(key)
        assert place(window) == expected, key
    window.keyboard.press("End")
    assert window.locator(".slide.last").is_visible()
    window.click("#back")
    assert window.url.endswith(f"#{place(window)}")
    assert {one.partition("#")[0] for one in asked if not one.startswith("data:")} == {
        path.as_uri()
    }


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows(opened, width):
    window, _ = opened
    window.set_viewport_size({"width": width, "height": WIDTHS[width]})
    sizes = window.evaluate(
        """() => slides.map((slide, at) => { show(at);
        return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]; })"""
    )
    assert max(wide for wide, _ in sizes) <= width
    if width > 700:  # on a phone one scrolls down
        assert max(high for _, high in sizes) <= WIDTHS[width]


def test_it_prints_with_one_slide_a_page(opened, deck):
    window, _ = opened
    pages = re.findall(rb"/Type\s*/Page\b", window.pdf(prefer_css_page_size=True))
    assert len(pages) == len(deck)
