"""A mixture of experts: its truth against plain loops and the paper, and what a learner is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.experts.layer import Moe, call_route, run_layer, run_loss
from gpuedu.exercises.pipelines.experts.routing import (
    SIZE,
    loss_of,
    needed_bytes,
    outputs,
    routed,
)
from tests.exercises.stored import solution_answers

ANSWERS = tuple(solution_answers("experts").values())
MOE = Moe((4, 3), each=2, width=3, hidden=4, capacity=1, seed=5)


def test_the_first_tokens_of_an_expert_are_kept():
    logits = torch.log(torch.tensor([[0.6, 0.4], [0.7, 0.3], [0.2, 0.8], [0.9, 0.1]]).double())
    way = routed(logits, 2)
    assert way.expert.tolist() == [0, 0, 1, 0]
    assert way.kept.tolist() == [1, 1, 1, 0]
    np.testing.assert_allclose(way.gate, [0.6, 0.7, 0.8, 0.9])


def test_dropped_tokens_pass_unchanged_and_kept_ones_do_not():
    for rank, y in enumerate(outputs(MOE)):
        x, logits = MOE.inputs(rank)
        same = (y == x.numpy()).all(axis=1)
        np.testing.assert_array_equal(same, routed(logits, 1).kept == 0)


def with_logits(*rows):
    """A layer of one rank with these logits."""

    class Given(Moe):
        def inputs(self, rank):
            return torch.zeros(len(rows), self.width), torch.tensor(rows).double()

    return Given((len(rows),), each=len(rows[0]), width=3, hidden=2, capacity=1)


def test_the_loss_is_1_if_balanced_and_the_number_of_experts_at_worst():
    """arXiv:2101.03961, equations 4 to 6, without alpha."""
    assert loss_of(with_logits((1e3, 0.0), (1e3, 0.0))) == pytest.approx(2)
    assert loss_of(with_logits((1e3, 0.0), (0.0, 1e3))) == pytest.approx(1)


def test_a_rank_needs_no_bytes_for_its_own_experts():
    alone = Moe((7,), each=4, width=3, hidden=2, capacity=9)
    assert needed_bytes(alone) == [0]
    numbers = SIZE * MOE.experts * MOE.ranks * (MOE.ranks - 1)
    moved = sum(needed_bytes(MOE)) - numbers
    assert moved % (2 * SIZE * MOE.width) == 0
    assert moved <= 2 * SIZE * MOE.width * sum(MOE.tokens)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_ranks_changes_nothing(seed):
    for rank, (_, y) in enumerate(run_layer(ANSWERS, MOE, seed).results):
        np.testing.assert_allclose(y, outputs(MOE)[rank], rtol=1e-12, atol=1e-12)
    losses = run_loss(ANSWERS, MOE, seed).results
    np.testing.assert_allclose(losses, loss_of(MOE), rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "the result of `route` should be expert, gate and kept, got None"),
        ((1, 2), "`route` should return expert, gate and kept, got 2 items"),
        (
            (torch.zeros(4), torch.zeros(4).double(), torch.ones(4).bool()),
            "`expert` of `route` has dtype float32, expected int64",
        ),
        (
            (torch.zeros(4).long(), torch.zeros(4).double(), torch.ones(4)),
            "`kept` of `route` has dtype float32, expected bool",
        ),
        (
            (torch.zeros(3).long(), torch.zeros(4).double(), torch.ones(4).bool()),
            r"`expert` of `route` has shape \(3,\), expected \(4,\)",
        ),
    ],
)
def test_another_form_of_routes_is_told(given, told):
    with pytest.raises(AnswerError, match=told):
        call_route(lambda *_: given, MOE.inputs(0)[1], 1)


def test_another_form_of_outputs_and_a_changed_argument_are_told():
    with pytest.raises(AnswerError, match="rank 0: what `moe_forward` returned has shape"):
        run_layer([ANSWERS[0], lambda x, *_: x[:1]], MOE)
    with pytest.raises(AnswerError, match="`moe_forward` changed `x`"):
        run_layer([ANSWERS[0], lambda x, *_: x.zero_()], MOE)
    with pytest.raises(
        AnswerError, match="what `balance_loss` returned should be a PyTorch tensor"
    ):
        run_loss([lambda logits: 1.0], MOE)


def test_sizes_that_do_not_fit_name_both_ranks():
    import torch.distributed as dist

    def forward(x, *_):
        dist.all_to_all_single(x.clone(), x.clone(), [len(x), 0], [len(x), 0])
        return x

    with pytest.raises(AnswerError, match="rank 0 sends 0 B to rank 1, which expects 72 B"):
        run_layer([ANSWERS[0], forward], replace(MOE, tokens=(4, 3)))
