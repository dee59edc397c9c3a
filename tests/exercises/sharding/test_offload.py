"""The step that offload is judged by: its best time, and wrong calls of `update`."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises import registry
from gpuedu.exercises.examine import examine
from gpuedu.exercises.sharding.offload.judge import exact_tokens
from gpuedu.exercises.sharding.offload.offload_runs import OffloadTask, run_offload
from gpuedu.units import MS
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, texts_outside

ID = "offload"
TASK = OffloadTask(3, 2 * MS, 1 * MS, 1.5 * MS)


def in_turn(device, backward, weights, gradients, updated, update):
    buffer = device.buffer(gradients[0].size_bytes)
    for k in reversed(range(len(weights))):
        device.launch(backward[k], reads=[weights[k]], writes=[buffer])
        device.copy(gradients[k], buffer)
        device.synchronize()
        update(k)
        device.copy(weights[k], updated[k])
    device.synchronize()


def test_one_after_the_other_takes_the_sum():
    run = run_offload(in_turn, TASK)
    assert run.end_s == pytest.approx(TASK.in_turn_s, rel=0.01)
    assert run.races == ()
    assert run.order == (2, 1, 0)
    assert run.gradients_copied == run.weights_copied == (1, 1, 1)
    np.testing.assert_allclose(run.weights, TASK.updated())


def test_the_slowest_stage_decides():
    assert TASK.best_s == pytest.approx((2 + 1 + 1.5 + 1 + 2 * 2) * MS)


@pytest.mark.parametrize("layer", [3, -1, 1.0, True, "0", None])
def test_an_update_is_of_a_layer(layer):
    with pytest.raises(AnswerError, match="which is no layer from 0 to 2"):
        run_offload(lambda *given: given[-1](layer), TASK)


def test_an_update_needs_a_gradient():
    with pytest.raises(AnswerError, match="no gradient was copied to the host"):
        run_offload(lambda *given: given[-1](0), TASK)


def test_tokens_are_those_of_the_slower_of_link_and_host():
    assert float(exact_tokens(400e12, 64e9, 1e15)) == 3125
    assert float(exact_tokens(400e12, 64e9, 280e9)) == 10_000


def test_the_picture_marks_races():
    marked = {}
    for name in ("solution", "buffer_not_waited_for", "returns_too_early"):
        is_wrong = name != "solution"
        answers = stored_answers(ID, "wrong", name) if is_wrong else solution_answers(ID)
        axes = pictures_of("sharding")[ID](answers["offload_step"])
        assert overlapping_texts(axes) == texts_outside(axes) == []
        keys = [one.get_text() for one in axes.get_legend().get_texts()]
        marked[name] = [one for one in keys if one.startswith("race")]
    assert marked == {
        "solution": [],
        "buffer_not_waited_for": ["race on gradient 0, gradient 1"],
        "returns_too_early": ["races on 5 buffers"],
    }


def test_a_number_of_tokens_that_is_not_whole_is_asked_about():
    answers = solution_answers(ID)
    answers["tokens_to_hide"] = lambda flop, link, host: max(2 / link, 28 / host) * flop / 4
    report = examine(registry.load(ID), list(answers.values()), seed=5)
    (fault,) = (one.fault for one in report.results if one.property.name == "tokens")
    assert "Is it a whole number" in fault.cause
