"""Batches: every sample once a pass, in an order that the seed and the pass decide."""

from __future__ import annotations

import pytest
import torch

from gpuedu.training.data import Batches, Split, as_floats
from gpuedu.training.errors import BatchFormError, BatchSizeError


def _split(samples):
    numbers = torch.arange(samples)
    return Split(numbers.float().reshape(-1, 1) * 10, numbers)


@pytest.mark.parametrize(("samples", "size"), [(10, 4), (12, 4), (5, 5), (7, 1)])
def test_a_pass_gives_each_sample_once_with_its_own_target(samples, size):
    batches = Batches(_split(samples), size, seed=3)
    pairs = list(batches)
    assert len(pairs) == len(batches)
    targets = torch.cat([targets for _, targets in pairs])
    assert sorted(targets.tolist()) == list(range(samples))
    assert torch.equal(torch.cat([inputs for inputs, _ in pairs])[:, 0], targets * 10.0)


def test_passes_differ_and_are_repeated_by_the_seed():
    def orders(seed):
        batches = Batches(_split(50), 50, seed=seed)
        return [next(iter(batches))[1].tolist() for _ in range(3)]

    first = orders(1)
    assert first == orders(1) != orders(2)
    assert len({tuple(order) for order in first}) == 3
    again = Batches(_split(50), 50, seed=1)
    again.passes = 2
    assert next(iter(again))[1].tolist() == first[2]


def test_without_the_ragged_batch_all_are_of_one_size():
    batches = Batches(_split(10), 4, ragged=False)
    assert [len(targets) for _, targets in batches] == [4, 4]
    assert len(batches) == 2


@pytest.mark.parametrize(("size", "told"), [(0, "0 samples"), (-1, "-1"), (11, "larger than the")])
def test_a_batch_of_nothing_or_of_more_than_there_is_is_refused(size, told):
    with pytest.raises(BatchSizeError, match=told):
        Batches(_split(10), size)


def test_inputs_and_targets_of_different_length_are_refused():
    with pytest.raises(BatchFormError, match="3 inputs and 2 targets"):
        Split(torch.zeros(3, 1), torch.zeros(2))


def test_bytes_become_floats_and_the_split_keeps_its_bytes():
    split = Split(torch.full((4, 3), 255, dtype=torch.uint8), torch.zeros(4))
    ((inputs, _),) = Batches(split, 4)
    assert inputs.dtype == torch.float32
    assert split.inputs.unique().tolist() == [255]
    kept = torch.arange(3)
    assert as_floats(kept) is kept
