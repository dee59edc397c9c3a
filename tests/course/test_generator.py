"""The generator: what a small lesson becomes, and one test for each way it can go wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from gpuedu.course import build as building
from gpuedu.course import readme
from gpuedu.course.build import Difference, build, build_readme, build_syllabus, compare
from gpuedu.course.contents import SYLLABUS
from gpuedu.course.notebook_texts import notebook_texts
from gpuedu.errors import CatalogError, LessonSourceError
from gpuedu.syllabus import Lesson, parse, ready_lessons
from tests.sampled import only_whole

LESSON = Lesson(
    0, "welcome", "Welcome", "What?", 5, 100, "nothing", True, core=("first-check",), stretch=()
)
SOURCE = '''\
# %% [markdown]
# # What now?
#
# A first text.

# %% role="setup"
from gpuedu import check, predict, setup

setup("welcome")

# %% [markdown] exercise="first-check"
# ## How a check works
#
# Count bytes.

# %% role="predict"
predict("bandwidth", 3 * 4)  # a guess

# %%
ITEMS = 3

# %% role="answer"
def copied_bytes(n, itemsize):
    """Bytes that a copy moves."""
    ### BEGIN SOLUTION
    # once there, once back
    there_and_back = 2 * n * itemsize
    return there_and_back
    ### END SOLUTION


# %% role="check"
check("first-check", copied_bytes)

# %% [markdown]
# ## Sources
'''


@pytest.fixture
def course(tmp_path: Path, root: Path):
    """Write a lesson's source and give its path."""

    def write(text: str = SOURCE) -> Path:
        path = tmp_path / "solutions" / LESSON.folder / f"{LESSON.folder}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        (tmp_path / "README.md").write_text(f"{readme.BEGIN}\n{readme.END}")
        build_readme(tmp_path)
        (tmp_path / "gpuedu").mkdir(exist_ok=True)
        shutil.copy(root / SYLLABUS, tmp_path / SYLLABUS)
        return tmp_path

    return write


def built(root: Path) -> tuple:
    return tuple(nbformat.reads(text, as_version=4) for text in notebook_texts(root, LESSON))


def cell(notebook, cell_id):
    return next(entry for entry in notebook.cells if entry.id == cell_id)


def test_the_teachers_notebook_has_the_answers_and_nbgraders_metadata(course):
    teacher, _ = built(course())
    answer, check = cell(teacher, "first-check-answer"), cell(teacher, "first-check-check")
    assert "there_and_back = 2 * n * itemsize" in answer.source
    assert answer.metadata.nbgrader.solution
    assert not answer.metadata.nbgrader.locked
    assert check.metadata.nbgrader.grade
    assert check.metadata.nbgrader.points == 2


def test_the_learners_notebook_has_a_blank_that_says_how_long(course):
    _, release = built(course())
    assert cell(release, "first-check-answer").source == (
        "def copied_bytes(n, itemsize):\n"
        '    """Bytes that a copy moves."""\n'
        "    # YOUR CODE HERE (about 2 lines)\n"
        "    ..."
    )
    assert cell(release, "first-check-predict").source == 'predict("bandwidth", ...)  # a guess'


def test_what_must_not_change_is_locked(course):
    _, release = built(course())
    for cell_id in ("what-now-setup", "first-check-check"):
        assert cell(release, cell_id).metadata.editable is False
    assert "editable" not in cell(release, "first-check-answer").metadata
    assert cell(release, "first-check-answer").metadata.deletable is False


def test_generated_notebooks_say_so_and_have_no_outputs(course):
    for notebook in built(course()):
        assert "Generated from solutions/00_welcome/00_welcome.py" in notebook.cells[0].source
        assert not any(entry.get("outputs") for entry in notebook.cells)
        assert "jupytext" not in notebook.metadata


def test_ids_are_the_same_at_every_build_and_when_cells_are_added_elsewhere(course):
    root = course()
    first = notebook_texts(root, LESSON)
    assert first == notebook_texts(root, LESSON)
    before = [entry.id for entry in built(root)[1].cells]
    added = SOURCE.replace(
        "# ## Sources", "# ## New\n#\n# Text.\n\n# %%\nx = 1\n\n# %% [markdown]\n# ## Sources"
    )
    after = [entry.id for entry in built(course(added))[1].cells]
    assert [cell_id for cell_id in after if cell_id in before] == before
    assert set(after) - set(before) == {"new-text", "new-code"}


def test_a_renamed_cell_says_what_it_was(course):
    text = SOURCE.replace('role="answer"', 'role="answer" was="old-answer older-answer"')
    _, release = built(course(text))
    was = cell(release, "first-check-answer").metadata.gpuedu.was
    assert was == ["old-answer", "older-answer"]


def swap(old: str, new: str) -> str:
    assert old in SOURCE
    return SOURCE.replace(old, new)


WAYS_TO_GO_WRONG = {
    "a solution that is never closed": (
        swap("    ### END SOLUTION\n", ""),
        "line 25: the solution is never closed",
    ),
    "a solution that never began": (
        swap("    ### BEGIN SOLUTION\n", ""),
        "a solution ends that never began",
    ),
    "a solution inside another": (
        swap("    # once there, once back\n", "    ### BEGIN SOLUTION\n"),
        "begins inside another",
    ),
    "an empty solution": (
        swap(
            "    # once there, once back\n    there_and_back = 2 * n * itemsize\n"
            "    return there_and_back\n",
            "",
        ),
        "the solution is empty",
    ),
    "an answer without a solution": (
        swap("    ### BEGIN SOLUTION\n", "").replace("    ### END SOLUTION\n", ""),
        "an answer cell without a solution region",
    ),
    "a solution outside an answer cell": (
        swap("ITEMS = 3", "### BEGIN SOLUTION\nITEMS = 3\n### END SOLUTION"),
        "non-solution cell",
    ),
    "a name that only a solution defines": (
        swap("ITEMS = 3", "ITEMS = 3\nprint(twice)").replace(
            "def copied", "### BEGIN SOLUTION\ntwice = 2\n### END SOLUTION\ndef copied"
        ),
        "uses 'twice', which only a solution defines",
    ),
    "a name inside a function that only its solution defines": (
        swap(
            "    return there_and_back\n    ### END SOLUTION\n",
            "    ### END SOLUTION\n    return there_and_back\n",
        ),
        "uses 'there_and_back'",
    ),
    "an answer that other code gives away": (
        swap("ITEMS = 3", "n = itemsize = 1\nguess = 2 * n * itemsize"),
        "can be read elsewhere in the release",
    ),
    "an answer that a text gives away": (
        swap("# Count bytes.", "# It is `there_and_back = 2 * n * itemsize`."),
        "can be read elsewhere in the release",
    ),
    "an exercise without a check": (
        swap('# %% role="check"\ncheck("first-check", copied_bytes)\n', ""),
        "has 0 check cells",
    ),
    "an exercise without an answer": (
        swap('# %% role="answer"', "# %%"),
        "has no answer cell",
    ),
    "a check before the answer": (
        swap("# %%\nITEMS = 3", '# %% role="check"\ncheck("first-check", copied_bytes)').replace(
            '\n\n# %% role="check"\ncheck("first-check", copied_bytes)\n\n# %% [markdown]\n# ## S',
            "\n\n# %% [markdown]\n# ## S",
        ),
        "checks before its last answer cell",
    ),
    "a check that is silenced": (
        swap('check("first-check", copied_bytes)', 'check("first-check", copied_bytes);'),
        "would print no number",
    ),
    "a check that is assigned": (
        swap('check("first-check", copied_bytes)', 'x = check("first-check", copied_bytes)'),
        "would print no number",
    ),
    "a check of another exercise": (
        swap('check("first-check", copied', 'check("bandwidth", copied'),
        "checks 'bandwidth'",
    ),
    "an exercise that the syllabus does not have": (
        swap('exercise="first-check"', 'exercise="second-check"'),
        "the syllabus has first-check",
    ),
    "an unknown role": (swap('role="setup"', 'role="set-up"'), "unknown role 'set-up'"),
    "an unknown attribute": (
        swap('exercise="first-check"', 'excercise="first-check"'),
        "unknown attribute 'excercise'",
    ),
    "code that is no Python": (swap("ITEMS = 3", "ITEMS = = 3"), "invalid syntax"),
    "a magic": (swap("ITEMS = 3", "%timeit 3"), "invalid syntax"),
    "text above the first cell": ("x = 1\n" + SOURCE, "begin the file with a header"),
}


@pytest.mark.parametrize("way", WAYS_TO_GO_WRONG)
def test_generation_fails_closed(course, way):
    text, said = WAYS_TO_GO_WRONG[way]
    root = course(text)
    with pytest.raises(LessonSourceError) as caught:
        build(root, lessons=(LESSON,))
    assert said in str(caught.value)
    assert re.search(r"00_welcome\.py:\d+: ", str(caught.value))
    assert not list(root.rglob("*.ipynb"))


def test_the_syllabus_lists_what_the_sources_have(course, root, monkeypatch):
    monkeypatch.setattr(building, "ready_lessons", lambda: (LESSON,))
    others = parse((root / SYLLABUS).read_text())[1:]
    line = "Count bytes.\n#\n# **`first-check` · 2 points · stretch · about 5 minutes**"
    for text, core, stretch in (
        (SOURCE, ("first-check",), ()),
        (swap("Count bytes.", line), (), ("first-check",)),
    ):
        made = course(text)
        assert Difference(str(SYLLABUS), "stale") in compare(made)
        build_syllabus(made)
        first, *rest = parse((made / SYLLABUS).read_text())
        assert (first.core, first.stretch, tuple(rest)) == (core, stretch, others)


def test_lists_that_cannot_be_told_apart_are_left_alone(course):
    made = course()
    text = (made / SYLLABUS).read_text().replace("core = [", "core=[", 1)
    (made / SYLLABUS).write_text(text)
    with pytest.raises(CatalogError, match="each lesson needs `minutes"):
        build_syllabus(made)
    assert (made / SYLLABUS).read_text() == text


def test_a_file_that_is_not_utf8(course):
    root = course()
    path = next(root.rglob("*.py"))
    path.write_bytes(b"# %%\nx = '\xff'\n")
    with pytest.raises(LessonSourceError, match="not UTF-8"):
        notebook_texts(root, LESSON)


def test_a_missing_source(tmp_path):
    with pytest.raises(LessonSourceError, match="no such lesson source"):
        notebook_texts(tmp_path, LESSON)


def test_compare_finds_missing_stale_and_extra_notebooks(course, monkeypatch):
    monkeypatch.setattr(building, "ready_lessons", lambda: (LESSON,))
    root = course()
    build_syllabus(root)
    assert {d.state for d in compare(root)} == {"missing"}
    build(root)
    assert compare(root) == []
    learner = root / "notebooks" / LESSON.folder / f"{LESSON.folder}.ipynb"
    learner.write_text(learner.read_text().replace("A first text", "Another text"))
    (root / "notebooks" / "old.ipynb").write_text("{}")
    table = root / "README.md"
    table.write_text(table.read_text().replace("Welcome", "Farewell"))
    states = {(d.state, Path(d.path).name) for d in compare(root)}
    assert states == {
        ("stale", f"{LESSON.folder}.ipynb"),
        ("extra", "old.ipynb"),
        ("stale", "README.md"),
    }


def test_compare_fails_where_there_is_nothing_to_compare(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "ready_lessons", lambda: ())
    with pytest.raises(LessonSourceError, match="no lesson to build"):
        compare(tmp_path)


def test_what_is_committed_is_what_the_sources_give(root):
    assert compare(root) == []
    assert len(ready_lessons()) >= 2


@only_whole
def test_nbgraders_own_command_gives_the_same_bytes(root, tmp_path):
    name = ready_lessons()[0].folder
    shutil.copy(root / "nbgrader_config.py", tmp_path)
    (tmp_path / "solutions" / name).mkdir(parents=True)
    for suffix in (".ipynb", ".py"):
        shutil.copy(root / "solutions" / name / f"{name}{suffix}", tmp_path / "solutions" / name)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", name],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    released = tmp_path / "notebooks" / name
    assert [entry.name for entry in released.iterdir()] == [f"{name}.ipynb"]
    ours = root / "notebooks" / name / f"{name}.ipynb"
    assert (released / ours.name).read_bytes() == ours.read_bytes()


def test_the_release_is_valid_json_with_sorted_keys(course):
    for text in notebook_texts(course(), LESSON):
        assert json.loads(text)["nbformat_minor"] == 5
        assert text.endswith("\n")
