"""How good a model is on samples that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import torch
from torch import nn

from gpuedu.training.data import Batches, Split
from gpuedu.training.first_step import require_output
from gpuedu.training.loop import Loss


@dataclass(frozen=True)
class Evaluation:
    """Mean loss of a sample, share of targets that have the highest score, number of samples."""

    loss: float
    accuracy: float
    samples: int


@torch.no_grad()
def evaluate(model: nn.Module, split: Split, loss: Loss, *, size: int = 256) -> Evaluation:
    """Judge a classifier in evaluation mode; the model's mode is restored afterwards.

    Args:
        model: scores (N, classes), or (N, T, classes) for text.
        split: samples with whole-number targets (N,) or (N, T).
        loss: a mean over the batch; a smaller last batch counts only for its samples.
        size: samples at a time, at most; it changes the memory needed, not the result.

    Raises:
        BatchSizeError: for a split without samples.
        OutputShapeError: for scores that do not fit.
    """
    device, was_training = _device_of(model, split), model.training
    total, right, seen = 0.0, 0, 0
    model.eval()
    try:
        for inputs, targets in Batches(split, min(size, len(split)), seed=None):
            inputs, targets = inputs.to(device), targets.to(device)
            outputs = model(inputs)
            require_output(outputs, targets)
            total += float(loss(outputs, targets)) * len(targets)
            right += int((outputs.argmax(dim=-1) == targets).sum())
            seen += targets.numel()
    finally:
        model.train(was_training)
    return Evaluation(loss=total / len(split), accuracy=right / seen, samples=len(split))


def _device_of(model: nn.Module, split: Split) -> torch.device:
    """Where the model is; one without parameters or buffers takes samples where they are."""
    tensors = chain(model.parameters(), model.buffers(), [split.inputs])
    return next(tensors).device
