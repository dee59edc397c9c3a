"""One seed for all generators, and generators that nobody disturbs."""

from __future__ import annotations

import random

import numpy as np
import torch

from gpuedu.training.seeds import generator, seed_all


def _draw():
    return random.random(), float(np.random.rand()), float(torch.rand(1))


def test_the_same_seed_gives_the_same_numbers_from_all_three_and_another_seed_others():
    seed_all(5)
    first = _draw()
    seed_all(5)
    assert _draw() == first
    seed_all(6)
    assert all(a != b for a, b in zip(_draw(), first, strict=True))


def test_a_generator_depends_on_all_its_numbers_and_not_on_the_global_state():
    def draw(*numbers):
        return torch.randint(2**40, (1,), generator=generator(*numbers)).item()

    first = draw(3, 0)
    torch.manual_seed(99)
    assert draw(3, 0) == first
    assert len({first, draw(3, 1), draw(0, 3), draw(3), draw(4, 0)}) == 5
