"""What ranks draw: the learner's parts of an epoch, each rank with a random state of its own."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, items
from gpuedu.training.seeds import kept_random_state, seed_all

MOST, _SPARE = 100_000, 64
"""Samples of a part, and how many may be in it beyond twice what there are."""
_SALT = 0x5EED
Part = list[int]


@dataclass(frozen=True)
class Drawn:
    """Parts by rank; whether the calls moved global random states, or took the hash of a text."""

    parts: tuple[Part, ...]
    moved: bool
    hashed: bool = False


def draw_epoch(
    train_part: Callable[..., Any],
    samples: int,
    epoch: int,
    ranks: int,
    seed: int,
    *,
    states: int,
    elsewhere: bool = False,
) -> Drawn:
    """Every rank's part of an epoch; ``states`` seeds the ranks' own random states, all different.

    With ``elsewhere`` texts have other hashes, as they have in every process of Python.

    Raises:
        AnswerError: for what is no list of samples.
    """
    import torch

    parts, moved, hashed = [], False, [False]
    with kept_random_state(), _other_hashes(hashed) if elsewhere else nullcontext():
        for rank in range(ranks):
            seed_all(1_000 * states + rank)
            before = torch.get_rng_state()
            part = train_part(samples, epoch, rank, ranks, seed)
            moved |= not torch.equal(before, torch.get_rng_state())
            parts.append(as_part(part, samples, "train_part"))
    return Drawn(tuple(parts), moved, hashed[0])


@contextmanager
def _other_hashes(hashed: list[bool]) -> Iterator[None]:
    """``hash`` as it is in another process; ``hashed`` tells whether that made a difference."""
    plain = builtins.hash

    def hash_elsewhere(value: Any) -> int:
        if not _has_text(value):
            return plain(value)
        hashed[0] = True
        return plain((_SALT, value))

    with mock.patch.object(builtins, "hash", hash_elsewhere):
        yield


def _has_text(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return any(map(_has_text, value))
    return type(value) in (str, bytes)


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
    listed = items(value, f"what {name} gives", "a list of samples")
    if len(listed) > min(MOST, 2 * samples + _SPARE):
        raise AnswerError(f"{name} gave {len(listed)} samples of {samples}")
    part = [_plain(item) for item in listed]
    for item in part:
        if type(item) is not int:
            raise AnswerError(f"{name} should give whole numbers, got {describe(item)} among them")
        if not 0 <= item < samples:
            raise AnswerError(f"{name} gave sample {item}, but they are 0 to {samples - 1}")
    return part


def _plain(item: Any) -> Any:
    """A number of NumPy or a tensor of one element, as Python's."""
    import torch

    is_scalar = isinstance(item, np.generic) or (isinstance(item, torch.Tensor) and item.dim() == 0)
    return item.item() if is_scalar else item
