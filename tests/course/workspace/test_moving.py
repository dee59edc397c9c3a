"""Lessons that are split, renamed or numbered anew: answers move with their exercises."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from gpuedu.course.workspace.folder import format_report, start, update

OLD = {"05_cooperation": ("sum", "scan"), "06_tiling": ("tiled",), "07_memory": ("copy",)}
NEW = {
    "05_cooperation": ("sum",),
    "06_scans": ("scan",),
    "07_tiling": ("tiled",),
    "08_memory": ("copy",),
}


def lay_release(folder: Path, lessons: dict[str, tuple[str, ...]], text: str) -> Path:
    for lesson, exercises in lessons.items():
        cells = [course_cell("intro", "text", f"{lesson}: {text}")]
        for name in exercises:
            cells.append(course_cell(name, "text", f"{name}: {text}", name))
            cells.append(course_cell(name, "answer", f"def {name}():\n    ...", name))
        notebook = nbformat.v4.new_notebook(cells=cells)
        notebook.metadata["gpuedu"] = {"lesson": lesson[3:]}
        (folder / lesson).mkdir(parents=True)
        nbformat.write(notebook, folder / lesson / f"{lesson}.ipynb")
    return folder


def course_cell(stem: str, role: str, source: str, exercise: str = "") -> nbformat.NotebookNode:
    make = nbformat.v4.new_markdown_cell if role == "text" else nbformat.v4.new_code_cell
    entry = {"role": role} | ({"exercise": exercise} if exercise else {})
    return make(source, id=f"{stem}-{role}", metadata={"gpuedu": entry})


def write(folder: Path, lesson: str, cell_id: str, source: str, own: str = "") -> None:
    """Answer a cell, and add a cell of one's own below it."""
    path = folder / lesson / f"{lesson}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    (at,) = (i for i, cell in enumerate(notebook.cells) if cell.id == cell_id)
    notebook.cells[at].source = source
    if own:
        notebook.cells.insert(at + 1, nbformat.v4.new_code_cell(own))
    nbformat.write(notebook, path)


def sources(folder: Path, lesson: str) -> list[str]:
    return [cell.source for cell in nbformat.read(folder / lesson / f"{lesson}.ipynb", 4).cells]


@pytest.fixture
def new(tmp_path) -> Path:
    return lay_release(tmp_path / "new", NEW, "new")


@pytest.fixture
def mine(tmp_path) -> Path:
    """A workspace of the old release, with answers."""
    folder = tmp_path / "mine"
    start(folder, lay_release(tmp_path / "old", OLD, "old"))
    write(folder, "05_cooperation", "scan-answer", "def scan():\n    return 1", own="scan() == 1")
    write(folder, "05_cooperation", "sum-answer", "def sum():\n    return 2", own="sum() == 2")
    write(folder, "06_tiling", "tiled-answer", "def tiled():\n    return 3")
    write(folder, "06_tiling", "intro-text", "06_tiling: old", own="a_note = 'of mine'")
    return folder


def test_an_answer_moves_to_the_lesson_that_has_its_exercise_now(mine, new):
    update(mine, new)
    moved = sources(mine, "06_scans")
    assert moved == ["06_scans: new", "scan: new", "def scan():\n    return 1", "scan() == 1"]
    stayed = sources(mine, "05_cooperation")
    assert stayed == ["05_cooperation: new", "sum: new", "def sum():\n    return 2", "sum() == 2"]


def test_a_lesson_with_a_new_number_keeps_all_that_was_written(mine, new):
    update(mine, new)
    assert sources(mine, "07_tiling") == [
        "07_tiling: new", "a_note = 'of mine'", "tiled: new", "def tiled():\n    return 3",
    ]  # fmt: skip
    old = sources(mine, "06_tiling")
    assert "def tiled():\n    return 3" in old


def test_it_is_told(mine, new):
    told = format_report(update(mine, new)).splitlines()
    assert "06_scans: laid out (1 answer kept, 1 cell of your own kept)" in told
    assert "06_tiling: its exercises are in other lessons now; your folder stays as it is" in told
    assert "  What you wrote is in 07_tiling. You may delete the old folder." in told
    assert "08_memory: laid out" in told


def test_starting_carries_answers_too_and_a_later_update_doubles_nothing(mine, new):
    start(mine, new)
    assert "def scan():\n    return 1" in sources(mine, "06_scans")
    assert "def scan():\n    return 1" in sources(mine, "05_cooperation")
    update(mine, new)
    assert not any("scan" in text for text in sources(mine, "05_cooperation"))
    before = {name: sources(mine, name) for name in NEW}
    assert {one.status for one in update(mine, new).lessons} == {"unchanged", "moved"}
    assert {name: sources(mine, name) for name in NEW} == before


def test_what_differs_from_what_has_arrived_stays(mine, new):
    start(mine, new)
    write(mine, "05_cooperation", "scan-answer", "def scan():\n    return 'later'")
    update(mine, new)
    assert any("'later'" in text for text in sources(mine, "05_cooperation"))


def test_a_notebook_that_nobody_answered_is_laid_out_as_released(tmp_path, new):
    folder = tmp_path / "other"
    start(folder, lay_release(tmp_path / "old", OLD, "old"))
    update(folder, new)
    for name in NEW:
        path = Path(name, f"{name}.ipynb")
        assert (folder / path).read_bytes() == (new / path).read_bytes()


@pytest.mark.parametrize("damage", [b"", b"{not json"])
def test_an_old_notebook_that_cannot_be_read_stops_nothing(mine, new, damage):
    (mine / "06_tiling" / "06_tiling.ipynb").write_bytes(damage)
    told = format_report(update(mine, new))
    assert "The old notebook can't be read, so nothing of it is there." in told
    assert "delete the old folder" not in told.partition("06_tiling:")[2].partition("07_")[0]
    assert sources(mine, "07_tiling")[0] == "07_tiling: new"
    assert (mine / "06_tiling" / "06_tiling.ipynb").read_bytes() == damage


def test_what_is_only_in_the_old_folder_is_told(mine, new):
    update(mine, new)
    write(mine, "06_tiling", "tiled-answer", "def tiled():\n    return 'later'")
    told = format_report(update(mine, new))
    assert "Of what you wrote, 1 cell can only be found here." in told


def test_an_answer_stays_where_its_new_lesson_was_deleted_by_the_learner(mine, new):
    start(mine, new)
    (mine / "06_scans" / "06_scans.ipynb").unlink()
    update(mine, new)
    assert any("return 1" in text for text in sources(mine, "05_cooperation"))
