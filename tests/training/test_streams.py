"""Loaders that dry up, and batches that are none."""

from __future__ import annotations

from itertools import islice

import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from gpuedu.training.errors import BatchFormError, BatchSizeError, DataEndedError
from gpuedu.training.streams import stream

PAIR = (torch.zeros(2, 1), torch.zeros(2))


def test_a_list_and_a_loader_are_begun_again():
    assert len(list(islice(stream([PAIR] * 2), 5))) == 5
    loader = DataLoader(TensorDataset(torch.zeros(5, 1), torch.zeros(5)), batch_size=2)
    assert [len(targets) for _, targets in islice(stream(loader), 4)] == [2, 2, 1, 2]


class _Short:
    def __len__(self):
        return 10

    def __iter__(self):
        return iter([PAIR] * 3)


@pytest.mark.parametrize(
    ("batches", "given", "told"),
    [
        ((PAIR for _ in range(3)), 3, "ended after 3"),
        ([], 0, "gave no batch"),
        (_Short(), 3, "stopped early: 3 of 10 batches"),
        (
            DataLoader(TensorDataset(torch.zeros(3), torch.zeros(3)), 8, drop_last=True),
            0,
            "gave no batch",
        ),
    ],
)
def test_what_dries_up_is_told_after_what_it_gave(batches, given, told):
    coming = stream(batches)
    assert len(list(islice(coming, given))) == given
    with pytest.raises(DataEndedError, match=told):
        next(coming)


@pytest.mark.parametrize(
    ("batch", "fault", "told"),
    [
        (torch.zeros(3), BatchFormError, "one Tensor"),
        ((torch.zeros(3),), BatchFormError, "a tuple of Tensor"),
        ((torch.zeros(3), [1, 2, 3]), BatchFormError, "Tensor, list"),
        ((torch.zeros(3, 2), torch.zeros(4)), BatchFormError, "differ in number"),
        ((torch.zeros(()), torch.zeros(())), BatchFormError, "first dimension"),
        ((torch.zeros(0, 2), torch.zeros(0)), BatchSizeError, "0 samples"),
    ],
)
def test_what_is_no_batch_is_told(batch, fault, told):
    with pytest.raises(fault, match=told):
        next(stream([batch]))
