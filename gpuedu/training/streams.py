"""An endless stream of batches from a loader, refused if it dries up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor

from gpuedu.training.errors import BatchFormError, BatchSizeError, DataEndedError

Batch = tuple[Tensor, Tensor]


def stream(batches: Iterable[Any]) -> Iterator[Batch]:
    """The batches, pass after pass, each checked to be a pair of tensors of the same length.

    Raises:
        DataEndedError: for a generator that is used up, a loader that gives nothing, and one that
            gives fewer batches than its length says.
        BatchFormError, BatchSizeError: for a batch that is not such a pair, or is empty.
    """
    given = 0
    while True:
        begun = given
        for batch in batches:
            given += 1
            yield _checked(batch)
        _require_more(batches, given - begun, given)


def _require_more(batches: Iterable[Any], in_this_pass: int, given: int) -> None:
    if isinstance(batches, Iterator):
        raise DataEndedError(
            f"the batches ended after {given}",
            remedy="a generator gives each batch once: hand over a DataLoader, Batches or a list, "
            "or ask for fewer steps",
        )
    if not in_this_pass:
        raise DataEndedError(
            "the loader gave no batch",
            remedy="is there any data? With drop_last, a batch larger than the data leaves none",
        )
    try:
        promised = len(batches)  # type: ignore[arg-type]
    except TypeError:
        return  # a stream that does not know its length
    if in_this_pass < promised:
        raise DataEndedError(
            f"the loader stopped early: {in_this_pass} of {promised} batches",
            remedy="does its __iter__ return on an error, or its __len__ count samples?",
        )


def _checked(batch: Any) -> Batch:
    is_pair = isinstance(batch, tuple | list) and len(batch) == 2
    if not is_pair or not all(isinstance(part, Tensor) for part in batch):
        raise BatchFormError(
            f"a batch is {_describe(batch)}, not a pair of tensors (inputs, targets)",
            remedy="yield both; torch.from_numpy makes tensors of arrays",
        )
    inputs, targets = batch
    lengths = [len(part) if part.ndim else -1 for part in (inputs, targets)]
    if lengths[0] != lengths[1] or lengths[0] < 0:
        raise BatchFormError(
            f"inputs {tuple(inputs.shape)} and targets {tuple(targets.shape)} differ in number",
            remedy="the first dimension counts the samples, in both",
        )
    if not lengths[0]:
        raise BatchSizeError("a batch of 0 samples", remedy="does the loader slice past its end?")
    return inputs, targets


def _describe(batch: Any) -> str:
    if isinstance(batch, tuple | list):
        return f"a {type(batch).__name__} of {', '.join(type(p).__name__ for p in batch) or 'none'}"
    return f"one {type(batch).__name__}"
