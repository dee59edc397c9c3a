"""Numbers that a code draws: the right values pass, the public ones do not."""

from __future__ import annotations

import ast
import linecache
import re

import nbformat
import numpy as np
import pytest
from numba import float32

from gpuedu import cuda, simulate
from gpuedu.course.notebook_texts import notebook_texts
from gpuedu.course.proof import Bench
from gpuedu.course.variants import vary, vary_text
from gpuedu.errors import GpueduError
from gpuedu.exercises import session
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load, load_picture, load_variant, load_varied
from gpuedu.exercises.variants import chance, require_code
from gpuedu.syllabus import exercise_ids, lesson_of

CODES = [f"code{letter}{other}" for letter in "abcdefgh" for other in "abcde"]
VARIED = [name for name in exercise_ids() if load_variant(name, CODES[0]) is not None]
LEAST_LOST = {"check-the-claim": 6, "out-of-bounds": 2, "uninitialised": 1, "read-the-profile": 2}


@pytest.fixture(scope="module")
def solved(root):
    """For each exercise its check's arguments, solved as published, in the order of the check."""
    found = {}
    for name in VARIED:
        bench = Bench(root, name)
        names = [ast.unparse(one) for one in bench.arguments]
        found[name] = dict(
            zip(names, bench.answers(bench.solution_cells(), "solution"), strict=True)
        )
    return found


def judged(exercise, code, answers):
    return examine(load_varied(exercise, code), list(answers.values()), seed=7)


def test_these_exercises_can_be_varied():
    assert sorted(VARIED) == sorted(LEAST_LOST)


@pytest.mark.parametrize("exercise", VARIED)
@pytest.mark.parametrize("code", CODES)
def test_the_variants_own_values_are_right_and_the_public_ones_are_not(solved, exercise, code):
    name, values = load_variant(exercise, code).values
    public = solved[exercise]
    right = judged(exercise, code, {**public, name: dict(values)})
    assert right.state == "solved", right.results
    copied = judged(exercise, code, public)
    assert copied.points <= right.points - LEAST_LOST[exercise]
    # Also where somebody writes the public values under the names that are asked for.
    under = dict(zip(values, public[name].values(), strict=True))
    assert judged(exercise, code, {**public, name: under}).points == copied.points


@pytest.mark.parametrize("exercise", VARIED)
def test_most_values_differ_between_codes(exercise):
    drawn = [tuple(load_variant(exercise, code).values[1].items()) for code in CODES]
    assert len(set(drawn)) > len(CODES) / 4
    assert drawn == [tuple(load_variant(exercise, code).values[1].items()) for code in CODES]


@pytest.mark.parametrize("exercise", VARIED)
def test_stored_wrong_answers_lose_their_property_in_a_variant_too(root, exercise):
    """Functions with the variant's right dict; a dict of published numbers loses something."""
    bench, code = Bench(root, exercise), CODES[3]
    name, values = load_variant(exercise, code).values
    for file, stored in bench.stored_wrong().items():
        loses, text = stored.loses, stored.text(bench.solution_cells())
        answers = bench.answers([*bench.solution_cells(), text], file)
        names = [ast.unparse(one) for one in bench.arguments]
        given = dict(zip(names, answers, strict=True))
        if re.search(rf"^{name}\b", text, re.MULTILINE):
            assert judged(exercise, code, given).state != "solved", file
        else:
            given[name] = dict(values)
            assert not judged(exercise, code, given).held().get(loses, False), file


@pytest.mark.parametrize("exercise", VARIED)
@pytest.mark.parametrize("code", CODES[:8])
def test_a_notebook_is_varied_in_its_exercise_and_its_setup_cell_only(root, exercise, code):
    lesson = lesson_of(exercise)
    _, text = notebook_texts(root, lesson)
    released = nbformat.reads(text, as_version=4)
    varied = vary(released, lesson, code)
    assert vary_text(text, lesson, "") == text
    assert [cell.id for cell in varied.cells] == [cell.id for cell in released.cells]
    changed = [
        ours.metadata["gpuedu"].get("exercise", ours.metadata["gpuedu"]["role"])
        for ours, public in zip(varied.cells, released.cells, strict=True)
        if ours != public
    ]
    edits = load_variant(exercise, code).edits
    assert set(changed) == {"setup", *([exercise] if edits else [])}
    (setup,) = (one for one in varied.cells if one.metadata["gpuedu"]["role"] == "setup")
    assert f'variant="{code}")' in setup.source
    asked = "\n".join(one.source for one in varied.cells)
    for key in load_variant(exercise, code).values[1]:
        assert f'"{key}": ...' in asked


@pytest.mark.parametrize("code", CODES[:12])
def test_what_is_asked_is_what_the_machine_finds_in_the_notebook_handed_out(root, code):
    (hazard, *_), _ = machine_finds(root, "out-of-bounds", code)
    _, values = load_variant("out-of-bounds", code).values
    found = (hazard.who.block[0], hazard.who.thread[0], hazard.index[0])
    assert found == tuple(values[key] for key in ("block", "thread", "index"))
    (hazard, *_), unwritten = machine_finds(root, "uninitialised", code)
    _, values = load_variant("uninitialised", code).values
    found = (hazard.who.block[0], hazard.index[0], unwritten)
    assert found == tuple(values[key] for key in ("block", "index", "count"))


def machine_finds(root, exercise, code):
    """The hazards of the unsafe kernel in a notebook that was handed out, and how often."""
    lesson = lesson_of(exercise)
    _, text = notebook_texts(root, lesson)
    cells = vary(nbformat.reads(text, as_version=4), lesson, code).cells
    source = next(one.source for one in cells if one.id == f"{exercise}-code")
    namespace = {"np": np, "cuda": cuda, "simulate": simulate, "float32": float32, "lens": id}
    file = f"<{exercise} {code}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), namespace)
    hazards = namespace["account"].hazards
    return hazards, sum(one.count for one in hazards)


def test_a_lesson_without_variants_is_handed_out_as_published(root):
    lesson = lesson_of("first-check")
    _, text = notebook_texts(root, lesson)
    assert vary_text(text, lesson, CODES[0]) == text


def test_self_study_checks_by_the_notebooks_own_code(capsys):
    code = CODES[5]
    name, values = load_variant("check-the-claim", code).values
    assert name == "corrected"
    try:
        session.setup("why-gpus", variant=code)
        assert session.check("check-the-claim", dict(values)) == 6
        session.see("why-gpus/facts")
        assert f'"{next(iter(values))}"' in capsys.readouterr().out
        session.setup("why-gpus")
        assert session.check("check-the-claim", dict(values)) < 6
    finally:
        session.setup("why-gpus")


def test_pictures_and_predictions_show_the_variants_numbers():
    for exercise in VARIED:
        for name in load_variant(exercise, CODES[0]).pictures:
            assert load_picture(name, CODES[0]) is not load_picture(name)
    size = load_variant("uninitialised", CODES[0]).values[1]
    prediction = load_varied("uninitialised", CODES[0]).judge.predictions["uninitialised"]
    assert prediction.truth == size["count"]
    assert load("uninitialised").judge.predictions["uninitialised"].truth == 28


def test_what_is_no_code_is_refused():
    for text in ("A", "UPPER", "x" * 50, "a b c d", 7):
        with pytest.raises(GpueduError, match="not the code"):
            require_code(text)
    assert chance("code", "x").integers(2**40) != chance("code", "y").integers(2**40)
