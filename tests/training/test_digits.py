"""The digits: scikit-learn's own, each once, cut by the seed."""

from __future__ import annotations

import importlib.util

import numpy as np
import torch

from gpuedu.training import digits
from gpuedu.training.digits import load_digits


def test_the_two_splits_are_all_of_scikit_learns_digits_each_once():
    from sklearn import datasets

    pixels, labels = datasets.load_digits(return_X_y=True)
    ours = load_digits(seed=4)
    images = torch.cat([ours.train.inputs, ours.held_out.inputs]).reshape(-1, 64).numpy() * 16
    targets = torch.cat([ours.train.targets, ours.held_out.targets]).numpy()
    mine = np.column_stack([images, targets])
    theirs = np.column_stack([pixels, labels])
    order = [np.lexsort(table.T) for table in (mine, theirs)]
    np.testing.assert_array_equal(mine[order[0]], theirs[order[1]])
    assert ours.train.inputs.dtype == torch.float32
    assert ours.train.targets.dtype == torch.int64


def test_the_seed_decides_what_is_held_out():
    first, again, other = load_digits(seed=1), load_digits(seed=1), load_digits(seed=2)
    assert torch.equal(first.held_out.inputs, again.held_out.inputs)
    assert not torch.equal(first.held_out.targets, other.held_out.targets)


def test_where_the_file_is_not_found_scikit_learn_is_asked(monkeypatch):
    expected = load_digits()
    monkeypatch.setattr(digits, "find_spec", lambda name: importlib.util.find_spec("json"))
    assert torch.equal(load_digits().train.inputs, expected.train.inputs)
