"""The merge of a release into a learner's notebook: each rule by example, and the laws."""

from __future__ import annotations

import copy
import random
from dataclasses import dataclass, field

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode

from gpuedu.course.workspace.matching import grade_id, role
from gpuedu.course.workspace.merge import BEFORE_UPDATE, NO_LONGER_THERE, merge

GRADED = {"answer": {"solution": True, "grade": False}, "check": {"solution": False, "grade": True}}


def cell(kind: str, name: str | None, source: str, *, was: tuple[str, ...] = ()) -> NotebookNode:
    """A cell of the course (``kind`` is a role) or, with kind "own", of the learner."""
    make = nbformat.v4.new_markdown_cell if kind == "text" else nbformat.v4.new_code_cell
    made = make(source)
    made.pop("id")
    if name is not None:
        made.id = name
    if kind != "own":
        made.metadata.gpuedu = {"role": kind, **({"was": list(was)} if was else {})}
        if kind in GRADED:
            made.metadata.nbgrader = {"grade_id": name, "schema_version": 3, **GRADED[kind]}
    return nbformat.from_dict(made)


def own(name: str | None, source: str) -> NotebookNode:
    return cell("own", name, source)


def book(*cells: NotebookNode) -> NotebookNode:
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": copy.deepcopy(cells)}
    )


TEXT = cell("text", "intro", "# Why GPUs")
SETUP = cell("setup", "setup", "import gpuedu")
ANSWER = cell("answer", "amdahl", "def amdahl(p, n):\n    ...")
CHECK = cell("check", "amdahl-check", 'check("amdahl", amdahl)')
GUESS = cell("predict", "guess", 'predict("gap", None)')
BASE = book(TEXT, SETUP, ANSWER, CHECK, GUESS)
SOLVED = "def amdahl(p, n):\n    return 1 / (1 - p + p / n)"


def changed(notebook: NotebookNode, name: str, source: str) -> NotebookNode:
    """A copy in which the cell ``name`` says something else."""
    made = copy.deepcopy(notebook)
    next(entry for entry in made.cells if entry.id == name).source = source
    return made


def sources(notebook: NotebookNode) -> list[str]:
    return [entry.source for entry in notebook.cells]


def by_id(notebook: NotebookNode, name: str) -> NotebookNode:
    return next(entry for entry in notebook.cells if entry.id == name)


def test_nothing_new_changes_nothing():
    mine = changed(BASE, "amdahl", SOLVED)
    assert merge(BASE, mine, BASE).notebook == mine


def test_an_answer_stays_and_the_course_around_it_is_renewed():
    theirs = changed(changed(BASE, "setup", "import gpuedu as g"), "amdahl", "def amdahl(): ...")
    theirs.cells[2].metadata.nbgrader.points = 7
    merged = merge(BASE, changed(BASE, "amdahl", SOLVED), theirs)
    assert by_id(merged.notebook, "amdahl").source == SOLVED
    assert by_id(merged.notebook, "amdahl").metadata == theirs.cells[2].metadata
    assert by_id(merged.notebook, "setup").source == "import gpuedu as g"
    assert (merged.counts.answers_kept, merged.counts.updated) == (1, 1)
    assert merged.to_review == ("amdahl",)


def test_an_untouched_stub_becomes_the_new_stub():
    theirs = changed(BASE, "amdahl", "def amdahl(share, workers): ...")
    assert by_id(merge(BASE, BASE, theirs).notebook, "amdahl").source.startswith("def amdahl(share")


def test_a_prediction_is_the_learners():
    merged = merge(BASE, changed(BASE, "guess", 'predict("gap", 9)'), changed(BASE, "guess", "new"))
    assert by_id(merged.notebook, "guess").source == 'predict("gap", 9)'


def test_an_edit_of_a_course_cell_stays_while_the_release_leaves_it():
    merged = merge(BASE, changed(BASE, "setup", "import gpuedu, math"), BASE)
    assert by_id(merged.notebook, "setup").source == "import gpuedu, math"
    assert merged.counts.edits_kept == 1


@pytest.mark.parametrize(
    ("name", "edit", "first_line"),
    [("setup", "import math", f"# {BEFORE_UPDATE}"), ("intro", "# Mine", f"*{BEFORE_UPDATE}*")],
)
def test_where_both_changed_a_course_cell_both_versions_stay(name, edit, first_line):
    merged = merge(BASE, changed(BASE, name, edit), changed(BASE, name, "new")).notebook
    at = sources(merged).index("new")
    assert merged.cells[at].id == name
    assert merged.cells[at + 1].source.splitlines()[0] == first_line
    assert merged.cells[at + 1].source.endswith(edit)
    assert "gpuedu" not in merged.cells[at + 1].metadata


def test_a_kept_version_that_is_a_cell_magic_can_still_run():
    merged = merge(BASE, changed(BASE, "setup", "%%time\nf()"), changed(BASE, "setup", "new"))
    at = sources(merged.notebook).index("new")
    assert sources(merged.notebook)[at + 1 : at + 3] == [f"*{BEFORE_UPDATE}*", "%%time\nf()"]


def test_own_cells_stay_behind_the_cell_they_followed():
    mine = book(own("top", "0"), TEXT, own("a", "1"), own("b", "2"), SETUP, ANSWER, CHECK, GUESS)
    theirs = book(GUESS, SETUP, TEXT, ANSWER, CHECK)
    merged = merge(BASE, mine, theirs)
    assert [entry.id for entry in merged.notebook.cells] == [
        *("top", "guess", "setup", "intro", "a", "b", "amdahl", "amdahl-check")
    ]
    assert merged.counts.extras_kept == 3


def test_an_own_cell_whose_anchor_left_follows_the_cell_before():
    mine = book(TEXT, SETUP, own("a", "1"), ANSWER, CHECK, GUESS)
    merged = merge(BASE, mine, book(TEXT, ANSWER, CHECK, GUESS))
    assert [entry.id for entry in merged.notebook.cells][:3] == ["intro", "a", "amdahl"]
    assert merged.counts.removed == 1


def test_a_copied_cell_loses_its_grade_id_and_its_locks():
    copied = copy.deepcopy(CHECK)
    copied.id = "pasted"
    copied.metadata.deletable = False
    merged = merge(BASE, book(TEXT, SETUP, ANSWER, CHECK, copied, GUESS), BASE).notebook
    assert by_id(merged, "pasted").metadata == {}
    assert [grade_id(entry) for entry in merged.cells].count("amdahl-check") == 1


def test_of_two_cells_with_the_same_id_the_edited_one_is_the_answer():
    copied = copy.deepcopy(ANSWER)
    copied.source = SOLVED
    merged = merge(BASE, book(TEXT, SETUP, ANSWER, copied, CHECK, GUESS), BASE).notebook
    assert by_id(merged, "amdahl").source == SOLVED
    assert sources(merged).count(ANSWER.source) == 1
    assert len({entry.id for entry in merged.cells}) == 6


def test_the_true_id_is_the_answer_and_an_edited_copy_stays_beside_it():
    copied = copy.deepcopy(ANSWER)
    copied.id, copied.source = "pasted", "def amdahl(p, n):\n    return 2"
    mine = changed(book(TEXT, SETUP, copied, ANSWER, CHECK, GUESS), "amdahl", SOLVED)
    merged = merge(BASE, mine, BASE).notebook
    assert by_id(merged, "amdahl").source == SOLVED
    assert by_id(merged, "pasted").source == copied.source


def test_a_renamed_cell_takes_its_answer_along():
    renamed = cell("answer", "speedup", "def amdahl(p, n): ...", was=("older", "amdahl"))
    theirs = book(TEXT, SETUP, renamed, CHECK, GUESS)
    merged = merge(BASE, changed(BASE, "amdahl", SOLVED), theirs).notebook
    assert by_id(merged, "speedup").source == SOLVED
    assert grade_id(by_id(merged, "speedup")) == "speedup"
    assert len(merged.cells) == 5


def test_a_renamed_cell_is_known_without_a_base_too():
    renamed = cell("answer", "why", "...", was=("reason",))
    mine = book(TEXT, cell("answer", "reason", "because"))
    merged = merge(None, mine, book(TEXT, renamed)).notebook
    assert (by_id(merged, "why").source, len(merged.cells)) == ("because", 2)


def test_two_cells_that_became_one_keep_both_answers():
    theirs = book(TEXT, SETUP, cell("answer", "both", "...", was=("amdahl", "guess")), CHECK)
    mine = changed(changed(BASE, "amdahl", SOLVED), "guess", 'predict("gap", 9)')
    merged = merge(BASE, mine, theirs).notebook
    assert by_id(merged, "both").source == SOLVED
    assert sources(merged)[-1] == f'# {NO_LONGER_THERE}\npredict("gap", 9)'


def test_a_removed_cell_goes_unless_it_was_edited():
    theirs = book(TEXT, CHECK)
    merged = merge(BASE, changed(BASE, "amdahl", SOLVED), theirs)
    assert sources(merged.notebook) == [
        *(TEXT.source, f"# {NO_LONGER_THERE}\n{SOLVED}", CHECK.source)
    ]
    assert (merged.counts.removed, merged.counts.extras_kept) == (3, 1)
    assert grade_id(merged.notebook.cells[1]) == ""


def test_a_deleted_cell_is_laid_out_again():
    merged = merge(BASE, book(TEXT, ANSWER), BASE)
    assert merged.notebook == BASE
    assert merged.counts.restored == 3


def test_an_answer_that_became_a_given_cell_stays_beside_it():
    theirs = book(TEXT, SETUP, cell("given", "amdahl", "def amdahl(p, n): return 4"), CHECK, GUESS)
    merged = merge(BASE, changed(BASE, "amdahl", SOLVED), theirs).notebook
    assert sources(merged)[2:4] == [theirs.cells[2].source, f"# {BEFORE_UPDATE}\n{SOLVED}"]


def test_outputs_stay_with_what_was_run_and_go_where_the_source_changed():
    mine = changed(BASE, "amdahl", SOLVED)
    for entry in mine.cells[1:]:
        entry.outputs = [nbformat.v4.new_output("stream", text="seen")]
        entry.execution_count = 3
    merged = merge(BASE, mine, changed(BASE, "setup", "import gpuedu as g")).notebook
    assert (by_id(merged, "setup").outputs, by_id(merged, "setup").execution_count) == ([], None)
    for name in ("amdahl", "amdahl-check", "guess"):
        assert by_id(merged, name).outputs[0].text == "seen"
        assert by_id(merged, name).execution_count == 3


@pytest.mark.parametrize("lost", ["stripped", "redrawn", "colab"])
@pytest.mark.parametrize("metadata", ["kept", "dropped"])
def test_answers_find_home_when_a_tool_lost_the_ids(lost, metadata):
    mine = changed(changed(BASE, "amdahl", SOLVED), "guess", 'predict("gap", 9)')
    for number, entry in enumerate(mine.cells):
        if metadata == "dropped":
            entry.metadata = NotebookNode()
        old = entry.pop("id")
        if lost == "redrawn":
            entry.id = f"{number:08x}"
        elif lost == "colab":
            entry.metadata["id"] = old
    merged = merge(BASE, mine, changed(BASE, "setup", "import gpuedu as g")).notebook
    assert [entry.id for entry in merged.cells] == [entry.id for entry in BASE.cells]
    assert by_id(merged, "amdahl").source == SOLVED
    assert by_id(merged, "guess").source == 'predict("gap", 9)'


def test_an_answer_in_words_is_known_by_its_neighbors_when_ids_are_lost():
    words = cell("answer", "why", "*Your reason:*")
    words.cell_type = "markdown"
    words.metadata.pop("nbgrader")
    words.pop("outputs"), words.pop("execution_count")
    base = book(TEXT, words, SETUP)
    mine = changed(base, "why", "Because of bandwidth.")
    for entry in mine.cells:
        entry.pop("id")
        entry.metadata = NotebookNode()
    assert by_id(merge(base, mine, base).notebook, "why").source == "Because of bandwidth."


def test_an_answer_with_a_helper_is_known_by_the_name_it_must_define():
    mine = book(TEXT, SETUP, own("x1", "def helper(): ...\n" + SOLVED), CHECK, GUESS)
    assert "def helper" in by_id(merge(BASE, mine, BASE).notebook, "amdahl").source


def test_an_answer_that_is_a_value_is_known_by_the_name_it_must_set():
    base = book(TEXT, cell("answer", "chains", "chains = {\n    ...\n}"), CHECK)
    mine = book(TEXT, own("n1", "note = 1"), own("x1", "def f(): ...\nchains = {1: f}"), CHECK)
    merged = merge(base, mine, base).notebook
    assert by_id(merged, "chains").source == "def f(): ...\nchains = {1: f}"
    assert by_id(merged, "n1").source == "note = 1"


def test_without_a_base_what_differs_counts_as_edited():
    mine = changed(changed(BASE, "amdahl", SOLVED), "setup", "import gpuedu, math")
    merged = merge(None, mine, BASE)
    assert by_id(merged.notebook, "amdahl").source == SOLVED
    assert by_id(merged.notebook, "setup").source == SETUP.source
    assert f"# {BEFORE_UPDATE}\nimport gpuedu, math" in sources(merged.notebook)
    assert merge(None, merged.notebook, BASE).notebook == merged.notebook


def test_white_space_that_an_editor_trims_is_no_edit():
    mine = changed(BASE, "setup", "import gpuedu  \r\n")
    merged = merge(BASE, mine, changed(BASE, "setup", "import gpuedu as g"))
    assert by_id(merged.notebook, "setup").source == "import gpuedu as g"
    assert merged.counts.extras_kept == 0


def test_what_the_learners_tools_noted_stays_but_course_metadata_is_the_releases():
    mine = copy.deepcopy(BASE)
    mine.metadata.kernelspec.name = "my-env"
    mine.cells[2].metadata.collapsed = True
    mine.cells[2].metadata.nbgrader.grade_id = "hacked"
    merged = merge(BASE, mine, BASE).notebook
    assert merged.metadata.kernelspec.name == "my-env"
    assert merged.cells[2].metadata == {**ANSWER.metadata, "collapsed": True}


def test_a_merge_leaves_its_arguments_alone():
    mine, theirs = changed(BASE, "setup", "x"), changed(BASE, "setup", "y")
    before = copy.deepcopy((BASE, mine, theirs))
    merge(BASE, mine, theirs)
    assert (BASE, mine, theirs) == before


# ---- the laws, over random releases and random learners ----


@dataclass
class Story:
    """A base, the release that came of it, a learner's notebook, and what must be found in it."""

    base: NotebookNode
    theirs: NotebookNode
    mine: NotebookNode
    now: dict[str, str]  # id in the base -> id in the release, of cells that survived
    answers: dict[str, str] = field(default_factory=dict)  # id in the base -> the one answer there
    loses_ids: str = ""


def a_base(rng: random.Random) -> NotebookNode:
    cells = []
    for number in range(rng.randint(1, 7)):
        kind = rng.choice(["text", "given", "answer", "answer", "check", "predict"])
        stub = {
            "answer": f"def f{number}(x):\n    ...",
            "predict": f'predict("p{number}", None)',
            "check": f'check("f{number}")',
        }.get(kind, rng.choice(["", "same", f"course {number}"]))
        cells.append(cell(kind, f"c{number}", stub))
    return book(*cells)


def a_release(rng: random.Random, base: NotebookNode) -> tuple[NotebookNode, dict[str, str]]:
    cells, now = copy.deepcopy(base.cells), {entry.id: entry.id for entry in base.cells}
    for step in range(rng.randint(0, 6)):
        at = rng.randrange(len(cells)) if cells else 0
        edit = rng.choice(["add", "remove", "shuffle", "rename", "edit"])
        if edit == "add":
            kind = rng.choice(["text", "answer", "check"])
            cells.insert(at, cell(kind, f"new{step}", f"def g{step}(): ..."))
        elif not cells:
            continue
        elif edit == "remove":
            gone = cells.pop(at)
            now = {old: name for old, name in now.items() if name != gone.id}
        elif edit == "shuffle":
            rng.shuffle(cells)
        elif edit == "rename":
            old, name = cells[at].id, f"re{step}"
            cells[at].metadata.gpuedu.setdefault("was", []).append(old)
            cells[at].id = name
            if "nbgrader" in cells[at].metadata:
                cells[at].metadata.nbgrader.grade_id = name
            now = {key: name if value == old else value for key, value in now.items()}
        else:
            cells[at].source += f"\n# release {step}"
    return book(*cells), now


def a_learner(rng: random.Random, base: NotebookNode) -> tuple[NotebookNode, dict[str, str], str]:
    cells, answers = copy.deepcopy(base.cells), {}
    for entry in cells:
        if role(entry) == "answer" and rng.random() < 0.7:
            entry.source = entry.source.replace("...", f"return {rng.randint(0, 10**9)}")
            answers[entry.id] = entry.source
        elif role(entry) == "predict" and rng.random() < 0.7:
            entry.source = entry.source.replace("None", str(rng.randint(0, 10**9)))
            answers[entry.id] = entry.source
    for step in range(rng.randint(0, 6)):
        at = rng.randrange(len(cells)) if cells else 0
        edit = rng.choice(["edit", "same-id", "copy", "delete", "shuffle", "own", "own"])
        if edit == "own":
            name = rng.choice([None, f"own{step}", "bad id!", "x" * 80])
            cells.insert(at, own(name, rng.choice(["", "1 + 1", f"mine {step}"])))
        elif not cells:
            continue
        elif edit == "edit" and role(cells[at]) not in ("answer", "predict"):
            cells[at].source += f"\n# learner {step}"
        elif edit in ("same-id", "copy"):
            twin = copy.deepcopy(cells[at])
            twin.source += rng.choice(["", f"\n# twin {step}"])
            if edit == "copy":
                twin.id = f"copy{step}"
            else:
                answers.pop(cells[at].get("id"), None)  # either of the two may be the answer
            cells.insert(rng.randint(0, len(cells)), twin)
        elif edit == "delete":
            answers.pop(cells.pop(at).get("id"), None)
        elif edit == "shuffle":
            rng.shuffle(cells)
    loses_ids = rng.choice(["", "", "stripped", "redrawn"])
    for number, entry in enumerate(cells):
        if loses_ids:
            entry.pop("id", None)
        if loses_ids == "redrawn":
            entry.id = f"{number:08x}"
    return book(*cells), answers, loses_ids


@st.composite
def stories(draw) -> Story:
    rng = random.Random(draw(st.integers(0, 2**32)))
    base = a_base(rng)
    theirs, now = a_release(rng, base)
    mine, answers, loses_ids = a_learner(rng, base)
    return Story(base, theirs, mine, now, answers, loses_ids)


laws = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def written(story: Story) -> set[str]:
    """Every source that the learner wrote: it is in no cell that was released to them."""
    released = {entry.source for entry in story.base.cells}
    return {entry.source for entry in story.mine.cells} - released


@laws
@given(story=stories(), has_base=st.booleans())
def test_nothing_that_the_learner_wrote_is_lost(story: Story, has_base: bool):
    merged = merge(story.base if has_base else None, story.mine, story.theirs).notebook
    for source in written(story):
        assert any(source in entry.source for entry in merged.cells), source


@laws
@given(story=stories())
def test_an_answer_that_can_be_recognized_is_in_its_cell(story: Story):
    merged = merge(story.base, story.mine, story.theirs).notebook
    for old, source in story.answers.items():
        twins = [entry for entry in story.mine.cells if grade_id(entry) == old]
        is_unique = not story.loses_ids or len(twins) == 1
        if old in story.now and is_unique:
            assert by_id(merged, story.now[old]).source == source


@laws
@given(story=stories(), has_base=st.booleans())
def test_the_merged_notebook_is_valid_and_in_the_releases_order(story: Story, has_base: bool):
    merged = merge(story.base if has_base else None, story.mine, story.theirs).notebook
    nbformat.validate(merged)
    ids = [entry.id for entry in merged.cells]
    assert len(ids) == len(set(ids))
    graded = [grade_id(entry) for entry in merged.cells if grade_id(entry)]
    assert graded == [grade_id(entry) for entry in story.theirs.cells if grade_id(entry)]
    assert [name for name in ids if name in {entry.id for entry in story.theirs.cells}] == [
        entry.id for entry in story.theirs.cells
    ]


@laws
@given(story=stories(), has_base=st.booleans())
def test_merging_again_changes_nothing(story: Story, has_base: bool):
    base = story.base if has_base else None
    merged = merge(base, story.mine, story.theirs).notebook
    assert merge(story.theirs, merged, story.theirs).notebook == merged
    # A run that was killed before it stored the new base:
    assert merge(base, merged, story.theirs).notebook == merged


@laws
@given(story=stories(), seed=st.integers(0, 2**32))
def test_answers_survive_a_second_release(story: Story, seed: int):
    once = merge(story.base, story.mine, story.theirs).notebook
    again, _ = a_release(random.Random(seed), story.theirs)
    twice = merge(story.theirs, once, again).notebook
    for source in written(story):
        assert any(source in entry.source for entry in twice.cells), source
