"""The book: its pages from runs of lessons, its glossary and lists, and what a browser makes of it."""

from __future__ import annotations

import re
import shutil
from itertools import product

import nbformat
import pytest
from axe_core_python.sync_playwright import Axe

from gpuedu.course.addresses import binder_url, colab_url, ways_in
from gpuedu.course.book import run as book_run
from gpuedu.course.book.exercise_list import listed
from gpuedu.course.book.glossary import terms
from gpuedu.course.book.page import Links, lesson_page
from gpuedu.course.book.run import kept_name, lesson_runs, run, wrong_answer
from gpuedu.course.book.site import build_book
from gpuedu.course.execution import read_notebook
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load
from gpuedu.syllabus import exercise_ids, lesson, parts, ready_lessons
from tests.sampled import sampled

FIRST = lesson("first-kernels")
WIDTHS = (375, 800, 1366)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def ran(root, kept):
    ((_, notebook),) = lesson_runs(root, [FIRST], kept, 1)
    return notebook


@pytest.fixture(scope="module")
def page(root, ran):
    handed_out = read_notebook(root, "notebooks", FIRST.folder)
    return lesson_page(FIRST, ran, handed_out, Links(ready_lessons()))


@pytest.fixture(scope="module")
def book(root, ran, kept, tmp_path_factory):
    out = tmp_path_factory.mktemp("book") / "site"
    build_book(root, out, [FIRST], kept=kept)
    return out


def test_a_run_is_kept_until_something_changes_that_it_was_made_of(root, kept, ran, monkeypatch):
    def refuse(*_):
        raise AssertionError("it was run again")

    monkeypatch.setattr("gpuedu.course.book.run.run", refuse)
    monkeypatch.setattr("gpuedu.course.book.run.ProcessPoolExecutor", InThisProcess)
    assert [one for one, _ in lesson_runs(root, [FIRST], kept, 1)] == [FIRST]
    monkeypatch.setattr("gpuedu.course.book.run._shared_digest", lambda _: "another")
    with pytest.raises(AssertionError, match="it was run again"):
        list(lesson_runs(root, [FIRST], kept, 1))


class InThisProcess:
    def __init__(self, _workers):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, function, *arguments):
        self.result = lambda: function(*arguments)
        return self


def test_the_name_of_a_run_depends_on_its_lesson(root):
    assert kept_name(root, FIRST).startswith("02_first_kernels-")
    assert kept_name(root, FIRST) != kept_name(root, lesson("memory"))


def test_a_run_depends_on_what_its_exercises_share_with_others(root, tmp_path):
    """The packages of several topics, and a topic that another one imports."""
    for part in ("gpuedu", "solutions"):
        skipped = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(root / part, tmp_path / part, ignore=skipped)
    sharding, memory = lesson("sharding"), lesson("memory")
    changes = {
        "exercises/ranks/__init__.py": {sharding, memory},
        "exercises/ddp/__init__.py": {sharding},
        "exercises/memory/__init__.py": {memory},
        "exercises/mutants.json": set(),
        "course/lint.py": set(),
        "figures/style.py": {sharding, memory},
    }
    for file, stale in changes.items():
        before = names(tmp_path, sharding, memory)
        path = tmp_path / "gpuedu" / file
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
        after = names(tmp_path, sharding, memory)
        assert {one for one in before if before[one] != after[one]} == stale, file


def names(root, *lessons):
    book_run._shared_digest.cache_clear()
    book_run._topics_behind.cache_clear()
    return {one: kept_name(root, one) for one in lessons}


def test_each_check_is_run_on_a_wrong_answer_and_then_on_a_right_one(ran):
    cards = [cell for cell in ran.cells if cell.metadata.get("book") == "wrong-check"]
    assert [cell.metadata.gpuedu.exercise for cell in cards] == list(FIRST.exercises)
    for cell in cards:
        assert "gpuedu-card partly" in shown(cell) or "gpuedu-card wrong" in shown(cell)
    right = [cell for cell in ran.cells if is_check(cell)]
    assert len(right) == len(cards)
    assert all('class="gpuedu-card solved"' in shown(cell) for cell in right)


def is_check(cell):
    return cell.metadata.gpuedu.role == "check" and not cell.metadata.get("book")


def shown(cell):
    return "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)


def test_a_failing_cell_is_told_with_its_lesson(root, monkeypatch):
    def broken(root, tree, folder):
        cell = nbformat.v4.new_code_cell("1 / 0", metadata={"gpuedu": {"role": "code"}})
        return nbformat.v4.new_notebook(cells=[cell])

    monkeypatch.setattr("gpuedu.course.book.run.read_notebook", broken)
    with pytest.raises(GpueduError, match=r"02_first_kernels: a cell fails: .*ZeroDivisionError"):
        run(root, FIRST)


@pytest.mark.parametrize("exercise", exercise_ids())
def test_every_exercise_has_a_wrong_answer_to_show(root, exercise):
    assert wrong_answer(root, exercise)


def test_a_page_shows_what_is_handed_out_and_closes_what_gives_it_away(page):
    assert page.text.count(":::{dropdown} A wrong answer, and what its card says") == 8
    assert page.text.count(":::{dropdown} A solution, and its card") == 8
    given = page.text.index("# YOUR CODE HERE (about 2 lines)")
    assert given < page.text.index("A wrong answer") < page.text.index("A solution")
    assert 'predict("thread-index", ...)' in page.text
    assert "You said" not in page.text
    assert '<details class="revealed"><summary>What it is</summary><p>28 lanes.</p>' in page.text
    assert "BEGIN SOLUTION" not in page.text
    assert "<!-- Generated" not in page.text


def test_solutions_can_be_left_out(root, ran):
    handed_out = read_notebook(root, "notebooks", FIRST.folder)
    text = lesson_page(FIRST, ran, handed_out, Links([FIRST]), solutions=False).text
    assert "A solution" not in text
    assert "cuda.threadIdx.x\n    out[i] = a[i] + 10" not in text


def test_figures_are_files_with_an_alternative_text(page):
    assert len(page.figures) > 5
    assert "data:image" not in page.text
    for image in re.findall(r"<img [^>]*>", page.text):
        assert re.search(r'alt="[^"]{20,}"', image), image
        assert re.search(r'src="\.\./figures/([^"]+)"', image)[1] in page.figures


def test_links_lead_to_other_lessons_and_exercises_only():
    links = Links([FIRST, lesson("memory")])
    assert links.into("from *First kernels*", FIRST) == "from *First kernels*"
    assert links.into("as in *Tiling*", FIRST) == "as in *Tiling*"
    assert links.into("in *First\nkernels*").startswith("in [*First\nkernels*](/lessons/02_")
    assert links.into("see `blocks`", lesson("memory")) == "see [`blocks`](#blocks)"
    assert links.into("``blocks`` **bold**") == "``blocks`` **bold**"


def test_ways_in_begin_with_the_lightest():
    assert [name for name, _ in ways_in(FIRST)] == [
        "Run in this tab",
        "Open in Colab",
        "Open in Binder",
    ]
    assert [name for name, _ in ways_in(lesson("ddp"))] == ["Open in Colab", "Open in Binder"]
    assert colab_url(FIRST).endswith("/colab/02_first_kernels.ipynb")
    assert "lab%2Ftree%2Fworkspace%2F02_first_kernels" in binder_url(FIRST)


def test_a_term_has_the_sentence_that_defines_it():
    text = (
        "Threads come in **blocks**, all of one size. Do it **once**.\n\n**A title.** It is so.\n\n"
        "It may never end. That is a **deadlock**.\n\nThe power `2**3 * 2**4` is none."
    )
    found = {term.word: term.sentence for term in terms([(FIRST, [text])])}
    assert found == {
        "blocks": "Threads come in **blocks**, all of one size.",
        "deadlock": "It may never end. That is a **deadlock**.",
    }


def test_the_glossary_has_the_words_of_the_course(root):
    texts = (
        (entry, [cell.source for cell in read_notebook(root, "notebooks", entry.folder).cells])
        for entry in ready_lessons()
    )
    words = {term.word.lower() for term in terms(texts)}
    assert {"warp", "sectors", "barrier", "all-reduce", "sharding", "occupancy", "bubble"} <= words
    assert len(words) > 200


@pytest.mark.parametrize("entry", ready_lessons(), ids=lambda entry: entry.slug)
def test_the_list_of_exercises_says_what_the_judges_say(root, entry):
    found = listed(root, entry)
    assert {one.id for one in found} == set(entry.exercises)
    for one in found:
        assert float(one.points) == load(one.id).judge.points
        assert one.is_stretch == (one.id in entry.stretch)


def test_every_lesson_is_in_one_part():
    within = [entry for entries in parts().values() for entry in entries]
    assert within == list(ready_lessons())
    assert 5 <= len(parts()) <= 9


def test_what_is_no_book_is_left_alone(root, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(GpueduError, match="not a book of ours"):
        build_book(root, tmp_path, [FIRST])
    assert (tmp_path / "thesis.txt").exists()


def pages_of(book):
    return [path for path in book.rglob("*.html") if "_static" not in path.parts]


def test_its_links_lead_somewhere(book):
    pages = {path: path.read_text("utf-8") for path in pages_of(book)}
    anchors = {path: set(re.findall(r' id="([^"]+)"', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            if target.startswith(("http", "mailto:", "data:")) or not target:
                continue
            file, _, anchor = target.partition("#")
            there = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not there.exists() or (anchor and there in pages and anchor not in anchors[there]):
                broken.append((path.name, target))
    assert not broken


def test_a_page_is_light_and_asks_nobody(book):
    for path in pages_of(book):
        assert path.stat().st_size < 1_000_000, path
        for tag in re.findall(r"<(?:script|link|img|iframe)[^>]*>", path.read_text("utf-8")):
            assert not re.search(r'(?:src|href)="(?:https?:)?//', tag) or 'rel="canonical"' in tag


@pytest.mark.browser
@pytest.mark.parametrize(
    ("width", "scheme"),
    sampled(product(WIDTHS, ["light", "dark"]), every=5),  # 375 light, 1366 dark
)
def test_a_browser_finds_it_whole_and_accessible(book, chromium, width, scheme):
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for name in ("index.html", "lessons/02_first_kernels.html", "exercises.html", "glossary.html"):
        page.goto(f"file://{book}/{name}")
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        found = Axe().run(page)
        faults = [
            f"{name}: {one['id']}: {node['html'][:120]}"
            for one in found["violations"]
            for node in one["nodes"]
        ]
        assert not faults, "\n".join(faults[:20])
    assert not [url for url in asked if not url.startswith("file:")]
    page.close()


@pytest.mark.browser
def test_search_finds_a_word_from_a_folder(book, chromium):
    page = chromium.new_page()
    page.goto(f"file://{book}/search.html?q=warp")
    page.wait_for_selector("#search-results li", timeout=20_000)
    assert "million threads" in page.inner_text("#search-results")
    page.close()
