"""column-row on real ranks, beside PyTorch's own tensor parallelism."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.tensor_parallel.mlp import Mlp
from gpuedu.exercises.tensor_parallel.mlp_alone import train_whole
from gpuedu.multi.launch import launch
from tests.exercises.stored import solution_answers

MLP = Mlp(tokens=5, width=6, hidden=8, ranks=2, steps=1, seed=3)
"""With 7 columns PyTorch's second layer would take its local input for half of 8, or of 6."""


def parallelized(mlp):
    """Output, and gradients of the input and of both pieces, of ``parallelize_module``."""
    import torch
    from torch import nn
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    w1, w2, bias = mlp.weights()
    layer = nn.Sequential(
        nn.Linear(mlp.width, mlp.hidden, bias=False), nn.GELU(), nn.Linear(mlp.hidden, mlp.width)
    ).double()
    with torch.no_grad():
        layer[0].weight.copy_(w1.T)
        layer[2].weight.copy_(w2.T)
        layer[2].bias.copy_(bias)
    mesh = init_device_mesh("cpu", (mlp.ranks,))
    parallelize_module(layer, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    x, dy = mlp.batch(0)
    y = layer(x.requires_grad_())
    y.backward(dy)
    pieces = (layer[at].weight.grad.to_local().T.numpy() for at in (0, 2))
    return [y.detach().numpy(), x.grad.numpy(), *pieces]


def test_pieces_outputs_and_gradients_are_those_of_parallelize_module():
    answers = solution_answers("column-row")
    split, forward, backward = answers.values()

    def body(rank):
        *whole, bias = MLP.weights()
        a, b = split(*whole)
        x, dy = MLP.batch(0)
        return [forward(x, a, b, bias), *backward(x, a, b, dy)]

    ours = run_ranks(body, MLP.ranks, list(answers.values())).results
    real = launch(parallelized, MLP.ranks, MLP, backend="gloo", time_limit_s=180.0).results
    assert len(ours) == len(real) == MLP.ranks
    for mine, theirs in zip(ours, real, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=1e-12, atol=1e-12)
    for whole, one in zip(train_whole(MLP), real[0], strict=False):
        np.testing.assert_allclose(whole[0], one, rtol=1e-12, atol=1e-12)
