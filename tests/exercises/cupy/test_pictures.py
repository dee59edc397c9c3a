"""Pictures of the lesson: readable, described, and of the learner's own code, also a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.arrays.watching import watch
from gpuedu.exercises.cupy.elementwise.picture import CHAIN_STEPS, gelu_chain
from gpuedu.exercises.cupy.no_loops.picture import squared_distances_large
from gpuedu.figures.style import alt_text, to_png
from gpuedu.syllabus import lesson
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("cupy")
SOLUTION = {one: tuple(solution_answers(one).values()) for one in lesson("cupy").exercises}


def detours(cp, x, d_w):
    logits = cp.asarray(x) @ d_w
    best = [float(row.max()) for row in logits]
    return np.exp(logits.get() - np.array(best)[:, None])


ARGUMENTS = {**SOLUTION, "cupy/detours": (detours,), "cupy/asynchrony": ()}


@pytest.mark.parametrize("name", [name for name in PICTURES if name != "cupy/recorded"])
def test_pictures_are_readable_and_described(name):
    ax = PICTURES[name](*ARGUMENTS[name])
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
    assert len(alt_text(ax)) > 40
    assert to_png(ax).startswith(b"\x89PNG")


def test_the_memory_of_the_learners_own_function_is_drawn():
    large = alt_text(PICTURES["no-loops"](squared_distances_large, SOLUTION["no-loops"][1]))
    assert "yours 257.0 times" in large
    own = alt_text(PICTURES["no-loops"](*SOLUTION["no-loops"]))
    assert "yours 257.0 times" not in own


def test_a_pipelines_steps_are_counted():
    told = alt_text(PICTURES["cupy/detours"](detours))
    assert "8 copies, 6 of them hidden" in told
    own = alt_text(PICTURES["stay-on-device"](*SOLUTION["stay-on-device"]))
    assert "2 copies, 0 of them hidden" in own


def test_bytes_are_told_for_a_million_elements():
    told = alt_text(PICTURES["elementwise"](*SOLUTION["elementwise"]))
    assert "72 MB in 8 launches" in told and "8 MB in 1 launch" in told


def test_each_step_of_the_chain_is_named_in_the_order_of_its_launches():
    from gpuedu.arrays import cupy as cp

    launches = watch(gelu_chain, cp, cp.ones(64, cp.float32)).launches
    names = ["multiply", "power", "multiply", "add", "multiply", "tanh", "add", "multiply"]
    assert [one.name for one in launches] == names
    assert len(CHAIN_STEPS) == len(names) and CHAIN_STEPS[5] == "tanh"
    shown = {text.get_text() for text in PICTURES["elementwise"](*SOLUTION["elementwise"]).texts}
    assert set(CHAIN_STEPS) <= shown


def test_the_two_versions_are_told_apart_at_every_number_of_features():
    ax = PICTURES["no-loops"](*SOLUTION["no-loops"])
    given, own = (line.get_ydata() for line in ax.lines[:2])
    assert (np.array(given) > 1.2 * np.array(own)).all()


def test_a_naive_reduction_is_seen_to_end():
    (naive,) = stored_answers("reduction", "wrong", "naive").values()
    told = alt_text(PICTURES["reduction"](naive))
    assert "naive kernel gives a finite number for 19" in told
    assert "yours for 61" not in told


def test_what_does_not_compile_is_told():
    with pytest.raises(AnswerError, match="cannot be compiled"):
        PICTURES["elementwise"](*stored_answers("elementwise", "wrong", "power_sign").values())
    with pytest.raises(AnswerError, match="CUDA C"):
        PICTURES["raw-kernel"](len)
