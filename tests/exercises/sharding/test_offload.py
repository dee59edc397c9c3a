"""The step that offload is judged by: its best time, and wrong calls of `update`."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.sharding.offload.judge import exact_tokens
from gpuedu.exercises.sharding.offload.offload_runs import OffloadTask, run_offload
from gpuedu.units import MS

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
