"""The small ResNet: shapes, the way around a block, and what it reaches on the digits."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from gpuedu.training import Batches, SmallResNet, evaluate, load_digits, seed_all, train
from gpuedu.training.resnet import ResidualBlock


@pytest.mark.parametrize(("side", "stride"), [(8, 1), (32, 1), (32, 2), (15, 1)])
def test_it_takes_pictures_of_any_side_from_8(side, stride):
    model = SmallResNet(3, 12, width=4, first_stride=stride)
    assert model(torch.rand(2, 3, side, side)).shape == (2, 12)


def test_a_block_whose_convolutions_are_zero_lets_its_input_by():
    block = ResidualBlock(3, 3).eval()
    nn.init.zeros_(block.second.weight)
    images = torch.rand(2, 3, 8, 8)
    assert torch.equal(block(images), images)


def test_where_the_shape_changes_the_input_goes_through_a_convolution():
    assert isinstance(ResidualBlock(3, 3).shortcut, nn.Identity)
    assert ResidualBlock(3, 6, stride=2)(torch.rand(1, 3, 9, 9)).shape == (1, 6, 5, 5)
    assert ResidualBlock(3, 6)(torch.rand(1, 3, 8, 8)).shape == (1, 6, 8, 8)


def test_it_learns_the_digits_to_the_known_band():
    """Over 10 seeds, 60 steps at width 8 reached 0.947 to 0.978 of the held-out digits."""
    digits = load_digits()
    seed_all(0)
    model = SmallResNet(1, 10, width=8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    train(model, Batches(digits.train, 64), cross_entropy, optimizer, steps=60)
    assert evaluate(model, digits.held_out, cross_entropy).accuracy > 0.93
