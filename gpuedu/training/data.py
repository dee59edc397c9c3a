"""Data in memory, and batches of it in an order that a seed decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from gpuedu.training.errors import BatchFormError, BatchSizeError
from gpuedu.training.seeds import generator


@dataclass(frozen=True, eq=False)
class Split:
    """Samples: ``inputs`` (N, ...) and ``targets`` (N, ...) with the same N.

    Raises:
        BatchFormError: if they are not tensors of the same length.

    >>> len(Split(torch.zeros(5, 2), torch.zeros(5)))
    5
    """

    inputs: Tensor
    targets: Tensor

    def __post_init__(self) -> None:
        if len(self.inputs) != len(self.targets):
            raise BatchFormError(
                f"{len(self.inputs)} inputs and {len(self.targets)} targets",
                remedy="one target for each input",
            )

    def __len__(self) -> int:
        return len(self.inputs)

    def take(self, count: int) -> Split:
        """The first ``count`` samples."""
        return Split(self.inputs[:count], self.targets[:count])


@dataclass(frozen=True, eq=False)
class DataSet:
    """A dataset: what to train on, what to judge by, the class names, where it is from.

    ``classes`` are in the order of the targets' numbers; for text they are the characters.
    """

    name: str
    train: Split
    held_out: Split
    classes: tuple[str, ...]
    source: str


def as_floats(inputs: Tensor) -> Tensor:
    """Bytes of pictures as float32 with about mean 0 and spread 1; everything else as it is.

    >>> as_floats(torch.tensor([0, 255], dtype=torch.uint8))
    tensor([-2.,  2.])
    """
    return inputs.float().div_(255 / 4).sub_(2.0) if inputs.dtype == torch.uint8 else inputs


class Batches:
    """A split in batches; each pass over it in a different order, decided by the seed and the pass.

    A pass gives ``len(self)`` pairs ``(inputs, targets)``; the last one is smaller if the size does
    not divide the samples. ``passes`` counts the passes started: two runs that make their own
    ``Batches`` see the same batches, and a resumed run sets it.

    Args:
        split: the samples.
        size: samples in a batch, from 1 to all.
        seed: decides the order; None keeps the order of the split.
        prepare: what happens to the inputs of a batch; by default bytes become floats.
        ragged: whether the last, smaller batch is given or left out.

    Raises:
        BatchSizeError: for a size of 0 or less, or larger than the data.

    >>> split = Split(torch.arange(5.0), torch.arange(5))
    >>> [targets.tolist() for _, targets in Batches(split, 2, seed=None)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        split: Split,
        size: int,
        *,
        seed: int | None = 0,
        prepare: Callable[[Tensor], Tensor] = as_floats,
        ragged: bool = True,
    ) -> None:
        require_batch_size(size, len(split))
        self.split, self.size, self.seed = split, size, seed
        self.prepare, self.ragged = prepare, ragged
        self.passes = 0

    def __len__(self) -> int:
        whole, left = divmod(len(self.split), self.size)
        return whole + (self.ragged and left > 0)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = self._order()
        self.passes += 1
        for number in range(len(self)):
            chosen = order[number * self.size : (number + 1) * self.size]
            yield self.prepare(self.split.inputs[chosen]), self.split.targets[chosen]

    def _order(self) -> Tensor:
        if self.seed is None:
            return torch.arange(len(self.split))
        return torch.randperm(len(self.split), generator=generator(self.seed, self.passes))


def require_batch_size(size: int, samples: int) -> None:
    """Refuse a batch that no data can fill.

    Raises:
        BatchSizeError: for a size of 0 or less, or larger than ``samples``.
    """
    if size < 1:
        raise BatchSizeError(
            f"a batch of {size} samples",
            remedy="at least 1: was the size divided down to 0, or made from an empty list?",
        )
    if size > samples:
        raise BatchSizeError(
            f"a batch of {size} of {samples} samples: larger than the data",
            remedy=f"at most {samples}: is this the split you meant, and the whole of it?",
        )
