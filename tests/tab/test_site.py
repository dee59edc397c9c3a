"""The site in a real browser: lessons, progress, a visit without a network, a new release, bad input.

Python's start in a tab takes long, so a module's visits are few, and many tests look at each. All
of a lesson's cells, and all lessons, are run by ``python -m tests.tab.lessons``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from gpuedu import __version__
from gpuedu.course.lite import pages, wheels
from gpuedu.course.lite import site as site_module
from gpuedu.course.lite.notebooks import tab_lessons
from gpuedu.syllabus import lesson
from tests.sampled import only_whole
from tests.tab import lessons
from tests.tab.lite.native import Native
from tests.tab.lite.outputs import (
    cards_of,
    cell_of,
    code_cells,
    earned,
    errors_of,
    source_of,
    streams_of,
)
from tests.tab.lite.server import served
from tests.tab.lite.skipping import why_no_site
from tests.tab.lite.visit import expose, profile
from tests.tab.node import VARIABLE

pytestmark = [pytest.mark.browser, only_whole]

LESSON = lesson("first-kernels")
FILE = f"{LESSON.folder}.ipynb"
FULL = "32 of 32 points"
FIRST_CARD_BYTES = 35_000_000
ENDLESS = """\
from gpuedu.exercises.registry import load

object.__setattr__(load("launch-shape").play, "time_limit_s", 0.5)


def blocks_for(n, threads):
    while True:
        n += 1


check("launch-shape", blocks_for, can_launch, empty_lanes)
"""
MINE = "# an answer that I changed\n"
NEW_TEXT = "This sentence came with the new release."
KEPT = """async () => {
  const done = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const found = {};
  for (const { name } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const held = database.transaction(store).objectStore(store);
      found[`${name}/${store}`] = [await done(held.getAllKeys()), await done(held.getAll())];
    }
    database.close();
  }
  return JSON.stringify(found);
}"""


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    """The site as ``make lite`` builds it, with its own Pyodide."""
    why = why_no_site()
    if why:
        pytest.skip(why)
    out = tmp_path_factory.mktemp("site") / "out"
    site_module.build_site(root, out, Path(os.environ[VARIABLE]))
    return out


@pytest.fixture(scope="module")
def server(site, tmp_path_factory):
    with served(site, tmp_path_factory.mktemp("overlay")) as opened:
        expose(opened)
        yield opened


def trial():
    """Lesson 02 solved, with wrong answers below as a learner's own cells, and one without an end."""
    notebook = lessons.solved(LESSON)
    below = lessons.wrong(LESSON, at_most=1).cells[2:]
    endless = new_code_cell(ENDLESS, id="endless")
    right = source_of(notebook, "grid-stride-answer")
    after = new_code_cell(f'{right}\n\n\ncheck("grid-stride", square)', id="after")
    notebook.cells += [*below, endless, after]
    return notebook


@pytest.fixture(scope="module")
def first(chromium, server, tmp_path_factory):
    """The first visit: everything is run, saved, taken out as a file, and downloaded."""
    folder = tmp_path_factory.mktemp("first")
    notebook = trial()
    server.put(f"files/{FILE}", nbformat.writes(notebook))
    with Native(notebook) as native, profile(chromium, server) as learner:
        start = learner.start_page()
        opened = learner.lesson(LESSON.folder)
        opened.start_all()
        opened.page.wait_for_selector(".gpuedu-card", state="attached", timeout=300_000)
        fetched = server.sent_bytes()
        done = opened.ended()
        answer = MINE + source_of(done, "blocks-answer").replace(" < ", " <= ")
        opened.write("blocks-answer", answer)
        changed = opened.run("blocks-answer", "blocks-check")
        opened.save()
        with opened.page.expect_download() as download:
            opened.choose("File", "Download")
        download.value.save_as(folder / FILE)
        start.reload()
        start.wait_for_selector(".points:not(:empty)")
        with start.expect_download() as download:
            start.click("#save")
        download.value.save_as(folder / "work.json")
        yield SimpleNamespace(
            learner=learner, start=start, opened=opened, fetched=fetched, done=done,
            changed=changed, folder=folder, native=native.result(),
        )  # fmt: skip


@pytest.fixture(scope="module")
def offline(whole, first, server):
    """The second visit, without a network: the start page, and some of the lesson's cells."""
    first.opened.page.close()
    server.stop()
    try:
        start = first.learner.start_page()
        start.wait_for_selector(".points:not(:empty)")
        seen = first.learner.lesson("00_welcome")  # which was never opened before
        welcome = seen.notebook()
        seen.page.close()
        opened = first.learner.lesson(LESSON.folder)
        before = opened.notebook()
        setup = code_cells(before)[1]["id"]
        asked = ("install", setup, "thread-index-answer", "thread-index-check")
        done = opened.run(*asked, code_cells(lessons.solved(LESSON))[-1]["id"])
    finally:
        server.start()
    return SimpleNamespace(start=start, opened=opened, before=before, done=done, welcome=welcome)


@pytest.fixture(scope="module")
def newer(whole, root, first, offline, server, tmp_path_factory):
    """The third visit, after a new release: a newer package, and a cell with another text."""
    checkout, site = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("new") / "out"
    shutil.copytree(root / "notebooks", checkout / "notebooks")
    path = checkout / "notebooks" / LESSON.folder / FILE
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += f"\n\n{NEW_TEXT}"
    nbformat.write(notebook, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wheels, "__version__", "99.0")
        site_module.build_site(checkout, site, Path(os.environ[VARIABLE]))
    offline.opened.page.close()
    (server.overlay / "files" / FILE).unlink()
    server.site = site
    expose(server)
    first.learner.start_page().close()
    opened = first.learner.lesson(LESSON.folder)
    done = opened.run("install")
    # The page saves itself soon after a cell has run, and finds that the file has changed.
    opened.page.locator(".jp-Dialog").get_by_role("button", name="Revert").click()
    opened.page.locator("p", has_text=NEW_TEXT).wait_for()
    return SimpleNamespace(opened=opened, done=done, after=opened.notebook())


def test_the_start_page_lists_the_lessons(first):
    rows = first.start.locator("ol li")
    assert [text.split("\n")[0].split("  ")[0] for text in rows.locator("b").all_inner_texts()] == [
        entry.title for entry in tab_lessons()
    ]


def test_a_solved_lesson_earns_full_points_without_an_error(first):
    assert errors_of(first.done) == [] and first.learner.told == []
    assert sum(earned(first.done).values()) == 32
    assert lessons.compare_solved(LESSON, first.done) == []


def test_the_cards_of_wrong_answers_are_the_native_ones(first):
    compared, faults = lessons.compare_wrong(first.done, first.native)
    assert compared == len(LESSON.exercises) and faults == []


def test_an_answer_without_an_end_is_told_so_and_the_page_goes_on(first):
    (card,) = cards_of(cell_of(first.done, "endless"))
    assert "it did not finish within 0.5 s, all cases together" in card
    (card,) = cards_of(cell_of(first.done, "after"))
    assert card.startswith("grid-stride: 4 of 4")


def test_the_first_card_comes_with_few_bytes(first):
    assert 5_000_000 < first.fetched < FIRST_CARD_BYTES


def test_nobody_but_the_site_is_asked(first, offline, newer):
    assert first.learner.elsewhere.asked == []


def test_progress_is_on_the_start_page(first):
    assert FULL in first.start.locator("ol li").nth(LESSON.number).inner_text()


def test_without_a_network_the_start_page_and_the_lesson_work(offline):
    assert offline.start.locator("ol li").count() == len(tab_lessons())
    (card,) = cards_of(cell_of(offline.done, "thread-index-check"))
    assert card.startswith("thread-index: 3 of 3")
    assert errors_of({"cells": [cell_of(offline.done, "install")]}) == []


def test_without_a_network_a_lesson_opens_that_was_never_opened_before(root, offline):
    there = lessons.released(lesson("welcome"))
    assert [cell["id"] for cell in offline.welcome["cells"]] == [cell.id for cell in there.cells]


def test_the_saved_answer_and_the_progress_are_there_again(first, offline):
    assert source_of(offline.before, "blocks-answer").startswith(MINE)
    summary = streams_of(code_cells(lessons_of(offline.done))[-1])
    assert "32 of 32" in summary


def lessons_of(notebook):
    """The notebook without the cells below the lesson."""
    last = code_cells(lessons.solved(LESSON))[-1]["id"]
    names = [cell["id"] for cell in notebook["cells"]]
    return {"cells": notebook["cells"][: names.index(last) + 1]}


def test_a_new_release_keeps_the_answer_and_brings_its_text(newer, server):
    assert "gpuedu-99.0-py3-none-any.whl" in {path.name for path in server.sent}
    told = streams_of(cell_of(newer.done, "install"))
    assert "A newer release changed this lesson" in told
    assert NEW_TEXT not in json.dumps(newer.done["cells"])
    assert NEW_TEXT in json.dumps(newer.after["cells"])
    assert source_of(newer.after, "blocks-answer").startswith(MINE)
    # What the former release had, the newer one lacks and nobody changed is gone.
    assert "endless" not in {cell["id"] for cell in newer.after["cells"]}


@pytest.fixture(scope="module")
def elsewhere(whole, chromium, first, server):
    """The start page in the profile of somebody else's computer, where a file is loaded."""
    with profile(chromium, server) as other:
        page = other.start_page()
        whole = (first.folder / "work.json").read_text("utf-8")
        (first.folder / "cut.json").write_text(whole[: len(whole) // 2], "utf-8")
        (first.folder / "foreign.json").write_text('{"cells": []}', "utf-8")
        before = page.evaluate(KEPT)
        refused = [load(page, first.folder / name) for name in ("cut.json", "foreign.json")]
        untouched = page.evaluate(KEPT) == before
        told = load(page, first.folder / "work.json")
        again = load(page, first.folder / "work.json")
        opened = other.lesson(LESSON.folder)
        notebook = opened.notebook()
        yield SimpleNamespace(
            page=page, refused=refused, untouched=untouched, told=told, again=again,
            notebook=notebook,
        )  # fmt: skip


def load(page, path):
    """What the start page says to a file."""
    page.evaluate("() => { document.querySelector('#told').textContent = ''; }")
    page.set_input_files("#load", path)
    page.wait_for_function("() => document.querySelector('#told').textContent")
    return page.inner_text("#told")


def test_work_that_was_saved_is_there_in_a_fresh_profile(elsewhere):
    assert elsewhere.told.startswith("Loaded 1 notebook and ")
    assert FULL in elsewhere.page.locator("ol li").nth(LESSON.number).inner_text()
    assert source_of(elsewhere.notebook, "blocks-answer").startswith(MINE)
    assert elsewhere.again == "Loaded 1 notebook and 0 new steps of progress."


def test_a_file_that_is_cut_off_or_foreign_is_refused_in_a_sentence(elsewhere):
    assert elsewhere.refused == [
        "This file is cut off, or is no file of saved work. Nothing was changed.",
        "This is no file that “Save my work” wrote. Nothing was changed.",
    ]
    assert elsewhere.untouched


def test_a_downloaded_notebook_is_graded_as_in_the_tab(whole, first, root, tmp_path):
    from gpuedu.errors import GpueduError
    from gpuedu.grading.sandbox.availability import require_sandbox

    try:
        require_sandbox()
    except GpueduError as why:
        pytest.skip(str(why))
    handed_in = tmp_path / "in" / "ada" / LESSON.folder / FILE
    handed_in.parent.mkdir(parents=True)
    shutil.copy(first.folder / FILE, handed_in)
    command = [sys.executable, "-m", "gpuedu", "grade", str(tmp_path / "in")]
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out"), "--workers", "1"],
        env=environment, cwd=root, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "out").glob("*.verdict.json")
    verdict = json.loads(path.read_text("utf-8"))
    graded = {one["id"]: one["points"] for one in verdict["exercises"]}
    assert graded == earned(first.changed)
    assert 0 < graded["blocks"] < 4


NO_DATABASE = "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };"


@pytest.fixture(scope="module")
def without(whole, chromium, site, tmp_path_factory):
    """A visit of a browser that has no service worker and no database, in pages and in kernels."""
    with served(site, tmp_path_factory.mktemp("overlay-without")) as server:
        expose(server)
        close_databases(server)
        with profile(chromium, server, service_workers="block") as learner:
            learner.context.add_init_script(NO_DATABASE)
            start = learner.start_page()
            start.wait_for_selector("#problem:not([hidden])")
            opened = learner.lesson(LESSON.folder)
            setup = code_cells(opened.notebook())[1]["id"]
            done = opened.run("install", setup, "thread-index-answer", "thread-index-check")
            yield SimpleNamespace(start=start, done=done)


def close_databases(server):
    """Put the same script in front of the kernel's, which no page's script reaches."""
    folder = "extensions/@jupyterlite/pyodide-kernel-extension/static"
    for path in (server.site / folder).glob("*.js"):
        server.put(f"{folder}/{path.name}", NO_DATABASE + path.read_text("utf-8"))


def test_a_window_that_keeps_nothing_says_so_and_runs_lessons(without):
    assert without.start.inner_text("#problem") == (
        "This window keeps nothing (is it a private one?): lessons run, but answers and progress "
        "are gone when you close it."
    )
    assert without.start.locator("#save").is_disabled()
    told = streams_of(cell_of(without.done, "install"))
    assert f"gpuedu {__version__} is ready" in told and "This window keeps nothing" in told
    (card,) = cards_of(cell_of(without.done, "thread-index-check"))
    assert card.startswith("thread-index: 0 of 3")
    assert errors_of(without.done) == []


@pytest.fixture(scope="module")
def published(whole, chromium, site, root, tmp_path_factory):
    """A site that takes Pyodide from another address, as the published one: a visit, and one without
    any network."""
    there, here = tmp_path_factory.mktemp("pyodide"), tmp_path_factory.mktemp("published")
    with (
        served(Path(os.environ[VARIABLE]), there) as pyodide,
        pytest.MonkeyPatch.context() as patch,
    ):
        for module in (site_module, pages):
            patch.setattr(module, "PYODIDE_URL", pyodide.address)
        site_module.build_site(root, here / "out")
        with served(here / "out", here) as server, profile(chromium, server) as learner:
            expose(server)
            first = learner.lesson(LESSON.folder)
            before = first.run("install")
            first.page.close()
            server.stop()
            pyodide.stop()
            try:
                after = learner.lesson(LESSON.folder).run("install")
            finally:
                server.start()
                pyodide.start()
            yield SimpleNamespace(before=before, after=after, sent=pyodide.sent)


def test_a_published_site_takes_pyodide_from_its_address_and_keeps_it(published):
    assert "pyodide.asm.wasm" in {path.name for path in published.sent}
    for visit in (published.before, published.after):
        assert f"gpuedu {__version__} is ready" in streams_of(cell_of(visit, "install"))
        assert errors_of(visit) == []
