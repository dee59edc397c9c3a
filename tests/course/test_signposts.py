"""Links and the next lesson in a lesson's notebooks: where they are, and where they are not."""

from __future__ import annotations

import copy
import re

import nbformat
import pytest

from gpuedu.course.addresses import ways_in
from gpuedu.course.book.page import Links, lesson_page
from gpuedu.course.colab import write_hosted
from gpuedu.course.desk.deck import slides_of
from gpuedu.course.lite.notebooks import for_tab
from gpuedu.course.rebuild import RebuildFromRelease
from gpuedu.course.signposts import LAST, drop_ways_in, next_line, without_ways_in
from gpuedu.course.variants import vary_text
from gpuedu.course.workspace.merge import merge
from gpuedu.syllabus import lesson, next_lesson, ready_lessons

LINK = "[Open in Colab]("


def texts(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def read(root, tree, entry):
    return nbformat.read(root / tree / entry.folder / f"{entry.folder}.ipynb", as_version=4)


@pytest.mark.parametrize("entry", ready_lessons(), ids=lambda entry: entry.slug)
def test_both_notebooks_of_a_lesson_begin_with_links_and_end_with_the_next(root, entry):
    following = next_lesson(entry)
    ending = LAST if following is None else f"Next: *{following.title}* ({following.question})"
    for tree in ("solutions", "notebooks"):
        first, *_, last = texts(read(root, tree, entry))
        header, title, blank, links, *_ = first.split("\n")
        assert (header[:4], title, blank) == ("<!--", f"# {entry.question}", "")
        assert links == " · ".join(f"[{name}]({to})" for name, to in ways_in(entry))
        assert last.startswith("## Sources") and last.split("\n")[-2:] == ["", ending]
        assert (LINK in first, sum(LINK in text for text in texts(read(root, tree, entry)))) == (
            True,
            1,
        )


def test_only_the_capstone_is_last():
    assert [one.slug for one in ready_lessons() if next_line(one) == LAST] == ["capstone"]


def test_no_source_has_the_lines(root):
    for path in (root / "solutions").glob("*/*.py"):
        assert not re.search(
            r"^# (Next: \*|\[Open in|\[Run in)", path.read_text("utf-8"), re.MULTILINE
        )


def test_who_is_in_a_tab_or_a_hosted_session_gets_no_links_there(root, tmp_path):
    entry = lesson("memory")
    in_tab = for_tab(read(root, "notebooks", entry), entry.folder)
    paths = {path.stem: path for path in write_hosted(root, tmp_path)}
    hosted = nbformat.read(paths[entry.folder], as_version=4)
    for notebook in (in_tab, hosted):
        assert not any(LINK in text for text in texts(notebook))
        assert texts(notebook)[0].split("\n")[1:3] == [f"# {entry.question}", ""]
        assert texts(notebook)[-1].endswith(next_line(entry))


def test_numbers_of_a_class_are_not_linked_to_the_published_ones(root):
    entry = lesson("why-gpus")
    released = nbformat.writes(read(root, "notebooks", entry))
    varied = nbformat.reads(vary_text(released, entry, "abcd"), as_version=4)
    assert 'variant="abcd"' in "".join(cell.source for cell in varied.cells)
    assert not any(LINK in text for text in texts(varied))


def test_the_book_shows_its_buttons_once(root):
    entry = lesson("memory")
    notebook = read(root, "notebooks", entry)
    run = copy.deepcopy(notebook)
    run.cells = [run.cells[0], run.cells[-1]]
    page = lesson_page(entry, run, notebook, Links(ready_lessons()))
    assert LINK not in page.text
    assert page.text.count("Open in Colab") == 1
    assert "Next: [*Cooperation*](/lessons/05_cooperation.md) (" in page.text


def test_slides_do_not_begin_with_links(root):
    entry = lesson("memory")
    run = read(root, "notebooks", entry)
    run.cells = run.cells[:1]
    slides = slides_of(entry, run, [])
    assert len(slides) >= 2
    assert "Open in Colab" not in repr(slides)


@pytest.mark.parametrize(
    "links", ["", "[Open in Binder](https://x)", "[Run in this tab](a) · [b](c)"]
)
def test_taking_the_line_out_leaves_the_rest(links):
    text = "# What?\n\n" + (f"{links}\n\n" if links else "") + "A [link](x).\n\n[Open](y) it."
    assert without_ways_in(text) == "# What?\n\nA [link](x).\n\n[Open](y) it."


def test_an_update_renews_the_texts_and_keeps_all_that_a_learner_wrote(root):
    release = read(root, "notebooks", lesson("memory"))
    base = copy.deepcopy(release)
    drop_ways_in(base)
    base.cells[-1].source = base.cells[-1].source.rpartition("\n\n")[0]
    mine = copy.deepcopy(base)
    answers = [cell for cell in mine.cells if cell.metadata.gpuedu.role == "answer"]
    for cell in answers:
        cell.source += "\n# mine"
    mine.cells.append(nbformat.v4.new_markdown_cell("my own"))
    merged = merge(base, mine, release)
    assert (merged.counts.updated, merged.counts.answers_kept) == (2, len(answers))
    assert (merged.counts.extras_kept, merged.counts.removed, merged.to_review) == (1, 0, ())
    assert LINK in merged.notebook.cells[0].source
    edited = copy.deepcopy(base)
    edited.cells[0].source += "\n\nmy note"
    kept = [cell.source for cell in merge(base, edited, release).notebook.cells]
    assert LINK in kept[0] and kept[1].endswith("my note")


def test_a_submission_from_a_hosted_session_is_rebuilt_without_a_second_first_text(
    root, monkeypatch
):
    entry = lesson("memory")
    mine = read(root, "notebooks", entry)
    drop_ways_in(mine)
    settings = {"assignment": entry.folder, "notebook": entry.folder}
    monkeypatch.chdir(root)
    rebuilt, _ = RebuildFromRelease().preprocess(mine, {"nbgrader": settings})
    assert [cell.id for cell in rebuilt.cells] == [cell.id for cell in mine.cells]
    linked = read(root, "notebooks", entry)
    again, _ = RebuildFromRelease().preprocess(linked, {"nbgrader": settings})
    assert [cell.id for cell in again.cells] == [cell.id for cell in mine.cells]
