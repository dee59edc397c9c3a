"""The MLP trained by one process with all of it: what ranks that share it should come to."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

from gpuedu.exercises.tensor_parallel.mlp import RATE, Mlp
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_whole(mlp: Mlp) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and gradients of the inputs of one process, (steps, tokens, width) each."""
    weights: list[Any] = list(mlp.weights())
    outputs, gradients = [], []
    for step in range(mlp.steps):
        x, dy = mlp.batch(step)
        *matrices, bias = weights
        grown = *(f * one for f, one in zip(mlp.growth(step), matrices, strict=True)), bias
        weights = [one.detach().requires_grad_() for one in grown]
        w1, w2, bias = weights
        y = functional.gelu(x.requires_grad_() @ w1) @ w2 + bias
        dx, *grads = torch.autograd.grad(y, [x, *weights], dy)
        outputs.append(y.detach().numpy())
        gradients.append(dx.numpy())
        weights = [one - RATE * grad for one, grad in zip(weights, grads, strict=True)]
    return np.stack(outputs), np.stack(gradients)
