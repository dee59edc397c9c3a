"""Experts on real ranks."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.pipelines.experts.layer import Moe
from gpuedu.exercises.pipelines.experts.routing import loss_of, outputs
from gpuedu.multi.launch import launch
from tests.exercises.stored import solution_answers


def on_experts(moe, forward, balance_loss):
    """Outputs and loss of a rank, as the answers of experts give them."""
    import torch.distributed as dist

    rank = dist.get_rank()
    x, logits = moe.inputs(rank)
    y = forward(x, logits, moe.capacity, *moe.own_weights(rank))
    return y.numpy(), float(balance_loss(logits))


def test_experts_on_real_ranks_give_what_one_process_does():
    """Uneven all-to-alls of PyTorch, and one rank that has no tokens."""
    moe = Moe((5, 0, 4), each=2, width=3, hidden=4, capacity=1, seed=3)
    _, forward, balance_loss = solution_answers("experts").values()
    results = launch(on_experts, 3, moe, forward, balance_loss).results
    for (y, loss), wanted in zip(results, outputs(moe), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=1e-12, atol=1e-12)
        assert abs(loss - loss_of(moe)) < 1e-12
