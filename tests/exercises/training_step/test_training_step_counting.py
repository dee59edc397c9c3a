"""count-the-step: the formulas against PyTorch's counter on the course's models."""

from __future__ import annotations

import pytest

from gpuedu.exercises.training_step import counting_pictures
from gpuedu.exercises.training_step.count_the_step import judge as count_the_step
from gpuedu.exercises.training_step.count_the_step.judge import step_work
from tests.exercises.training_step.step_answers import (
    REFERENCE,
    attention_flop,
    fault,
    hand_in,
    lost,
)


@pytest.mark.parametrize("sizes", [(8, 64, 64, 2, 97), (2, 33, 32, 1, 50), (1, 7, 16, 3, 11)])
def test_a_gpt_step_is_what_pytorch_counts(sizes):
    assert step_work.gpt_step_flop(*sizes) == counting_pictures.count_gpt_step(*sizes)


@pytest.mark.parametrize("widths", [(64, 256, 256, 10), (12, 5), (9, 8, 7, 6, 5)])
def test_an_mlp_step_is_what_pytorch_counts(widths):
    assert step_work.mlp_step_flop(17, widths) == counting_pictures.count_mlp_step(17, widths)


def test_the_reference_earns_all_points():
    for seed in range(5):
        assert hand_in("count-the-step", seed=seed).state == "solved"


def test_a_model_is_judged_by_the_learners_own_attention():
    def half(*sizes):
        return attention_flop(*sizes) // 2

    norm_flop, _, _, _, mlp_step_flop = REFERENCE["count-the-step"]

    def gpt_flop(samples, length, width, layers, vocabulary):
        rows = samples * length
        layer = half(samples, length, width) + 16 * rows * width**2
        return layers * layer + 2 * rows * width * vocabulary

    def gpt_step_flop(*sizes):
        return 3 * gpt_flop(*sizes)

    report = hand_in("count-the-step", norm_flop, half, gpt_flop, gpt_step_flop, mlp_step_flop)
    assert lost(report) == ["attention"]
    assert "counts a multiply and an add as one" in fault(report, "attention").cause


def test_an_attention_that_fails_costs_the_rest_nothing():
    def broken(*sizes):
        return {}[0]

    report = hand_in("count-the-step", REFERENCE["count-the-step"][0], broken, *_rest())
    assert lost(report) == ["attention"]


def _rest():
    return REFERENCE["count-the-step"][2:]


def test_predictions_are_what_the_formulas_give():
    # Two norms of 7 x 512 for each position, beside 24 x 512**2 + 4 x 512 x 512 of products.
    norms, products = 2 * 7 * 512, 24 * 512**2 + 4 * 512**2
    assert count_the_step.norm_percent() == pytest.approx(100 * norms / (norms + products))
    assert count_the_step.times_the_rule() == pytest.approx(
        1 + 4 * 1024 * 64 * 12 / (2 * (12 * 12 * 64**2 + 64 * 97))
    )
