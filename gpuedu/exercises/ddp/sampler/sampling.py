"""What ranks draw: the learner's parts of an epoch, each rank with a random state of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.training.seeds import kept_random_state, seed_all

MOST = 100_000
Part = list[int]


@dataclass(frozen=True)
class Drawn:
    """Parts by rank; whether the global random states were moved by the calls."""

    parts: tuple[Part, ...]
    moved: bool


def draw_epoch(
    train_part: Callable[..., Any], samples: int, epoch: int, ranks: int, seed: int, *, states: int
) -> Drawn:
    """Every rank's part of an epoch; ``states`` seeds the ranks' own random states, all different.

    Raises:
        AnswerError: for what is no list of samples.
    """
    import torch

    parts, moved = [], False
    with kept_random_state():
        for rank in range(ranks):
            seed_all(1_000 * states + rank)
            before = torch.get_rng_state()
            part = train_part(samples, epoch, rank, ranks, seed)
            moved |= not torch.equal(before, torch.get_rng_state())
            parts.append(as_part(part, samples, "train_part"))
    return Drawn(tuple(parts), moved)


def draw_evaluation(eval_part: Callable[..., Any], samples: int, ranks: int) -> tuple[Part, ...]:
    """Every rank's part of an evaluation."""
    return tuple(
        as_part(eval_part(samples, rank, ranks), samples, "eval_part") for rank in range(ranks)
    )


def as_part(value: Any, samples: int, name: str) -> Part:
    """Samples by number, from a list, range, array or tensor of whole numbers; else AnswerError.

    >>> as_part(range(3), 5, "train_part")
    [0, 1, 2]
    >>> as_part([5], 5, "train_part")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: train_part gave sample 5, but they are 0 to 4
    """
    import torch

    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    is_flat = type(value) is np.ndarray and value.ndim == 1
    if not is_flat and type(value) not in (list, tuple, range):
        raise AnswerError(f"{name} should give a list of samples, got {describe(value)}")
    if len(value) > MOST:
        raise AnswerError(f"{name} gave {len(value)} samples of {samples}")
    items = [_plain(item) for item in value]
    for item in items:
        if type(item) is not int:
            raise AnswerError(f"{name} should give whole numbers, got {describe(item)} among them")
        if not 0 <= item < samples:
            raise AnswerError(f"{name} gave sample {item}, but they are 0 to {samples - 1}")
    return items


def _plain(item: Any) -> Any:
    """A number of NumPy or a tensor of one element, as Python's."""
    import torch

    is_scalar = isinstance(item, np.generic) or (isinstance(item, torch.Tensor) and item.dim() == 0)
    return item.item() if is_scalar else item
