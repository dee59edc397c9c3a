"""count-the-step: the formulas against PyTorch's counter on the course's models."""

from __future__ import annotations

import pytest

from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.exercises.training_step import counting_pictures
from gpuedu.exercises.training_step.count_the_step import judge as count_the_step
from gpuedu.exercises.training_step.count_the_step.judge import step_work
from tests.exercises.stored import solution_answers, stored_answers


def lost(*answers):
    report = examine(load("count-the-step"), answers)
    return [name for name, holds in report.held().items() if not holds]


@pytest.mark.parametrize("sizes", [(8, 64, 64, 2, 97), (2, 33, 32, 1, 50), (1, 7, 16, 3, 11)])
def test_a_gpt_step_is_what_pytorch_counts(sizes):
    assert step_work.gpt_step_flop(*sizes) == counting_pictures.count_gpt_step(*sizes)


@pytest.mark.parametrize("widths", [(64, 256, 256, 10), (12, 5), (9, 8, 7, 6, 5)])
def test_an_mlp_step_is_what_pytorch_counts(widths):
    assert step_work.mlp_step_flop(17, widths) == counting_pictures.count_mlp_step(17, widths)


@pytest.mark.parametrize(
    ("name", "losses"),
    [("multiply_adds", ["attention"]), ("no_scores", ["gpt"]), ("four_times", ["gpt-step"])],
)
def test_what_follows_from_the_learners_own_part_is_right(name, losses):
    assert lost(*stored_answers("count-the-step", "wrong", name).values()) == losses


def test_an_attention_that_fails_costs_the_rest_nothing():
    norm, _, *rest = solution_answers("count-the-step").values()
    assert lost(norm, lambda *sizes: {}[0], *rest) == ["attention"]


def test_predictions_are_what_the_formulas_give():
    # Two norms of 7 x 512 for each position, beside 24 x 512**2 + 4 x 512 x 512 of products.
    norms, products = 2 * 7 * 512, 24 * 512**2 + 4 * 512**2
    assert count_the_step.norm_percent() == pytest.approx(100 * norms / (norms + products))
    assert count_the_step.times_the_rule() == pytest.approx(
        1 + 4 * 1024 * 64 * 12 / (2 * (12 * 12 * 64**2 + 64 * 97))
    )
