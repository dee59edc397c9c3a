"""Steps of the large GPT are held against float32, a text at a time."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
import torch

from gpuedu.recording.large_training import PRECISION, make_large
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.series import find_series
from gpuedu.recording.sizes import GptSizes, sizes_for
from gpuedu.recording.training_models import Trained
from gpuedu.recording.training_steps import PrecisionStep, gradient_fault
from tests.recording.planted import TINY, PlantedBench

SIZES = GptSizes(32, 2, 4, 101, (4,), (16,))


def taken(spoil=lambda step: None, pieces=4):
    trained = make_large(SIZES, 4, 16, "cpu")
    exact = Trained(copy.deepcopy(trained.model), trained.inputs, trained.targets, trained.loss)
    step = PrecisionStep(trained, PRECISION, "cpu")
    spoil(step)
    step.run()
    return gradient_fault(step, exact, pieces)


@pytest.mark.parametrize("pieces", [1, 2, 4])
def test_a_right_step_is_right_in_any_number_of_pieces(pieces):
    assert taken(pieces=pieces) == ""


def test_pieces_give_the_gradient_of_the_whole():
    whole, parts = (make_large(SIZES, 4, 16, "cpu") for _ in range(2))
    step = PrecisionStep(whole, "fp32", "cpu")
    exact = Trained(copy.deepcopy(parts.model), parts.inputs, parts.targets, parts.loss)
    step.run()
    assert gradient_fault(step, exact, 4) == ""
    for got, expected in zip(step.model.parameters(), exact.model.parameters(), strict=True):
        torch.testing.assert_close(got.grad, expected.grad, rtol=1e-3, atol=1e-6)


def test_a_step_on_fewer_texts_is_told():
    def halve(step):
        inputs, targets = step.trained.inputs[:2], step.trained.targets[:2]
        step.trained = replace(step.trained, inputs=inputs, targets=targets)

    assert "is off by" in taken(halve) or "should be" in taken(halve)


def test_rows_have_memory_and_kernels():
    bench = PlantedBench(1e-3)
    (series,) = find_series(["training-step-large"])
    rows = measure_points(series.points(bench, TINY), bench, "s", 600).rows
    assert [row["batch"] for row in rows] == [2, 4]
    small, large = rows
    assert small["parameters"] == large["parameters"]
    assert 16 * small["parameters"] < small["memory_bytes"] < large["memory_bytes"]
    assert small["kernels"] == large["kernels"] > 0
    assert (large["model"], large["precision"], large["length"]) == ("gpt", "bf16", 8)


def test_a_small_gpu_gets_a_smaller_model():
    large, small = (sizes_for(gib * 2**30).trained for gib in (80, 8))
    assert (large.width, large.layers, large.lengths, large.batches) == (768, 12, (1024,), (4, 16))
    assert small.width < large.width and small.lengths < large.lengths
