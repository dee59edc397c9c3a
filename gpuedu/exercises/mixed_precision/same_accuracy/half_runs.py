"""Runs of the learner's training in 16 bits, on a task that fp16 alone cannot learn."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import items
from gpuedu.exercises.training.tensors import require_tensor
from gpuedu.experiments.hard_digits import DigitsTask, batches, judge_weights, start_weights

Look = Callable[[int, list[Any]], None]


@dataclass(frozen=True)
class HalfRun:
    """The end of a run: in nat on the training images, by share of the held-out ones.

    ``products`` counts the pairs of dtypes that matrices were multiplied in, in all steps;
    ``moved`` is the share of the weights that are not what they were; ``first_move`` is how far the
    first step took them, as ``move_of`` tells it.
    """

    loss: float
    accuracy: float
    dtypes: tuple[str, ...]
    products: Mapping[tuple[str, ...], int]
    moved: float
    first_move: float


def run_half(
    begin: Callable[..., Any],
    train_step: Callable[..., Any],
    task: DigitsTask,
    seed: int,
    look: Look | None = None,
) -> HalfRun:
    """Begin, and take the steps of the task; ``look`` is shown the weights behind each."""
    from gpuedu.exercises.mixed_precision.products import ProductWatch

    start = start_weights(task, seed)
    shapes = [tuple(weight.shape) for weight in start]
    state, weights = begin([weight.clone() for weight in start]), start
    watch, first_move = ProductWatch(), math.nan
    for step, (images, labels) in enumerate(batches(task, seed)):
        with watch:
            result = train_step(state, images, labels, task.scaled_rate, task.divisor)
        weights = _weights(result, shapes)
        if step == 0:
            first_move = move_of(start, weights)
        if look is not None:
            look(step + 1, weights)
    loss, accuracy = judge_weights(task, weights)
    moved = [float((w.float() != s).float().sum()) for w, s in zip(weights, start, strict=True)]
    return HalfRun(
        loss,
        accuracy,
        tuple(str(weight.dtype).removeprefix("torch.") for weight in weights),
        Counter(watch.dtypes),
        sum(moved) / sum(int(np.prod(shape)) for shape in shapes),
        first_move,
    )


def run_in_turns(
    begin: Callable[..., Any],
    train_step: Callable[..., Any],
    starts: Sequence[Sequence[np.ndarray]],
    turns: Sequence[Mapping[str, Any]],
    *,
    zeros: bool = False,
) -> list[list[np.ndarray]]:
    """The two weights that each call returns, of runs that each have a state of their own.

    With ``zeros``, all products of matrices in those calls are 0.
    """
    import torch

    from gpuedu.exercises.mixed_precision.products import ProductWatch

    given = [[torch.from_numpy(weight.copy()) for weight in start] for start in starts]
    flat = {
        f"weights[{i}] of run {run}": weight
        for run, start in enumerate(given)
        for i, weight in enumerate(start)
    }
    with left_as_given("begin", **flat):
        states, returned = [begin(list(start)) for start in given], []
    with left_as_given("train_step", **flat):
        for turn in turns:
            start = starts[turn["run"]]
            images, labels = (torch.from_numpy(turn[name].copy()) for name in ("images", "labels"))
            with ProductWatch(zeros=zeros):
                result = train_step(states[turn["run"]], images, labels, turn["rate"], turn["n"])
            weights = _weights(result, [weight.shape for weight in start])
            returned.append([weight.float().numpy() for weight in weights])
    return returned


def move_of(before: Sequence[Any], after: Sequence[Any]) -> float:
    """The distance that nine of ten weights do not exceed: most stay, where pixels are white."""
    changes = [(w.detach().double() - s).abs() for s, w in zip(before, after, strict=True)]
    row = np.sort(np.concatenate([change.numpy().ravel() for change in changes]))
    return float(row[int(0.9 * row.size)])


def _weights(result: Any, shapes: list[tuple[int, ...]]) -> list[Any]:
    """The two tensors that a step returned, or AnswerError."""
    found = items(result, "the result of `train_step`", "the two new weights")
    if len(found) != len(shapes):
        raise AnswerError(f"`train_step` should return the two new weights, got {len(found)}")
    for place, (weight, shape) in enumerate(zip(found, shapes, strict=True)):
        tensor = require_tensor(weight, f"weight {place}")
        if tuple(tensor.shape) != shape:
            raise AnswerError(f"weight {place} has shape {tuple(tensor.shape)}, expected {shape}")
        if not tensor.is_floating_point():
            raise AnswerError(f"weight {place} has dtype {tensor.dtype}, expected float16")
    return [weight.detach() for weight in found]
