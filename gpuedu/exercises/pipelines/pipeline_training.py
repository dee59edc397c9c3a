"""A tiny model that is really trained by a schedule, part by part; and the same in one process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from gpuedu.exercises.pipelines.pipeline_runs import Step
from gpuedu.exercises.pipelines.schedules import FORWARD
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.training.seeds import generator

WIDTH, SAMPLES = 3, 2
"""Of each layer, and of each micro-batch."""
Gradients = list[np.ndarray]
"""The gradient of each part's weights, (WIDTH + 1, WIDTH): the bias is the last row."""


def _weights_of(parts: int, seed: int) -> list[Tensor]:
    chance = generator(seed)
    shape = (WIDTH + 1, WIDTH)
    drawn = [torch.randn(shape, generator=chance, dtype=torch.float64) for _ in range(parts)]
    return [one.requires_grad_() for one in drawn]


def _data_of(micro_batches: int, seed: int) -> tuple[Tensor, Tensor]:
    """Samples and targets, both (micro_batches, SAMPLES, WIDTH)."""
    chance, shape = generator(seed, 1), (micro_batches, SAMPLES, WIDTH)
    x, y = (torch.randn(shape, generator=chance, dtype=torch.float64) for _ in "xy")
    return x, y


def _forward(weight: Tensor, x: Tensor) -> Tensor:
    return torch.tanh(x @ weight[:-1] + weight[-1])


@lru_cache(maxsize=64)
@quiet_torch()
def train_whole(parts: int, micro_batches: int, seed: int) -> Gradients:
    """The gradients of one process with the whole batch; the loss is the mean over its samples."""
    weights, (x, y) = _weights_of(parts, seed), _data_of(micro_batches, seed)
    for weight in weights:
        x = _forward(weight, x)
    torch.nn.functional.mse_loss(x, y).backward()
    return [one.grad.numpy() for one in weights]


@quiet_torch()
def train_by(
    steps: Sequence[Step], stages: int, chunks: int, micro_batches: int, seed: int
) -> Gradients:
    """The gradients that parts have added up, if each does what the steps say, in their order.

    Args:
        steps: each micro-batch once forward and once backward on each part, in an order in which
            they can be done.
        stages: how many.
        chunks: of each stage; chunk c of stage s is part ``c * stages + s``.
        micro_batches: how many; each has as many samples.
        seed: of weights and data.
    """
    weights, (x, y) = _weights_of(stages * chunks, seed), _data_of(micro_batches, seed)
    inputs = {(0, number): one for number, one in enumerate(x)}
    kept: dict[tuple[int, int], tuple[Tensor, Tensor]] = {}
    sent_back: dict[tuple[int, int], Tensor] = {}
    for step in steps:
        part, number = step.action.chunk * stages + step.stage, step.action.micro_batch
        if step.action.kind == FORWARD:
            given = inputs.pop((part, number)).detach().requires_grad_()
            result = _forward(weights[part], given)
            kept[part, number] = given, result
            inputs[part + 1, number] = result
            continue
        given, result = kept.pop((part, number))
        if part == len(weights) - 1:
            (torch.nn.functional.mse_loss(result, y[number]) / micro_batches).backward()
        else:
            result.backward(sent_back.pop((part, number)))
        sent_back[part - 1, number] = given.grad
    return [one.grad.numpy() for one in weights]
