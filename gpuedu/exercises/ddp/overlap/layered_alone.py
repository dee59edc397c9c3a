"""The same steps by one process with the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.ddp.overlap.layered import Plan, apply_sgd, compute_loss, make_parameters


def train_alone(plan: Plan) -> list[list[np.ndarray]]:
    """Gradients by step and parameter, of one process that computes the mean over all ranks."""
    found: list[list[np.ndarray]] = []
    parameters = make_parameters(plan)
    for step in range(plan.steps):
        by_rank = _gradients_of_each(parameters, plan, step)
        found.append([sum(own) / plan.ranks for own in zip(*by_rank, strict=True)])
        _set_gradients(parameters, found[-1])
        apply_sgd(parameters, plan)
    return found


def _gradients_of_each(parameters: Sequence[Any], plan: Plan, step: int) -> list[list[np.ndarray]]:
    found = []
    for rank in range(plan.ranks):
        for one in parameters:
            one.grad = torch.zeros_like(one)
        compute_loss(parameters, plan, rank, step).backward()
        found.append([one.grad.numpy().copy() for one in parameters])
    return found


def _set_gradients(parameters: Sequence[Any], gradients: Sequence[np.ndarray]) -> None:
    for one, gradient in zip(parameters, gradients, strict=True):
        one.grad = torch.tensor(gradient)
