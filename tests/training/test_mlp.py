"""The MLP: its weights by formula, and what it reaches on the digits."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Batches, evaluate, load_digits, seed_all, train


@pytest.mark.parametrize("hidden", [(), (7,), (20, 9)])
def test_it_has_the_weights_of_the_formula(hidden):
    widths = [64, *hidden, 10]
    expected = sum((a + 1) * b for a, b in pairwise(widths))
    assert sum(p.numel() for p in MLP(64, 10, hidden=hidden).parameters()) == expected


def test_dropout_acts_in_training_only():
    seed_all(0)
    model, images = MLP(64, 10, dropout=0.5), torch.rand(4, 1, 8, 8)
    assert not torch.equal(model(images), model(images))
    model.eval()
    assert torch.equal(model(images), model(images))


def test_it_learns_the_digits_to_the_known_band():
    """Over 20 seeds, 100 steps reached 0.900 to 0.917 of the held-out digits, 0.906 in the middle."""
    digits, reached = load_digits(), []
    for seed in range(3):
        seed_all(seed)
        model = MLP(64, 10)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        train(model, Batches(digits.train, 64, seed=seed), cross_entropy, optimizer, steps=100)
        reached.append(evaluate(model, digits.held_out, cross_entropy).accuracy)
    assert 0.88 < sorted(reached)[1] < 0.93
