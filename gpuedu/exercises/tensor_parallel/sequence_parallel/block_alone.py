"""The block trained by one process with all tokens: what ranks should come to."""

from __future__ import annotations

import torch
from torch import Tensor

from gpuedu.exercises.tensor_parallel.mlp import RATE
from gpuedu.exercises.tensor_parallel.sequence_parallel.block import Block, OnRank
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_whole(block: Block) -> OnRank:
    """One process with all tokens and whole matrices."""
    weights, found = [one.requires_grad_() for one in block.weights()], OnRank([], [], [])
    for _ in range(block.steps):
        x, mask, dy = block.batch()
        y = output_of(x.requires_grad_(), weights, mask)
        dx, *grads = torch.autograd.grad(y, [x, *weights], dy)
        found.outputs.append(y.detach().numpy())
        found.gradients.append(dx.numpy())
        found.scales.append(grads[0].numpy())
        weights = [
            (one - RATE * grad).detach().requires_grad_()
            for one, grad in zip(weights, grads, strict=True)
        ]
    return found


def output_of(x: Tensor, weights: list[Tensor], mask: Tensor) -> Tensor:
    """The block's output."""
    scale, w1, w2 = weights
    normed = x / x.square().mean(1, keepdim=True).sqrt() * scale
    return x + mask * (torch.relu(normed @ w1) @ w2)
