"""The colored shapes: the same bytes everywhere, and both shape and color are needed."""

from __future__ import annotations

import hashlib
import statistics

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Batches, evaluate, seed_all, train
from gpuedu.training.shape_outlines import OUTLINES
from gpuedu.training.shapes import CLASSES, draw_shapes
from tests.sampled import WHOLE


def test_the_bytes_are_those_that_every_machine_should_draw():
    drawn = draw_shapes(train=700, held_out=50, seed=7)
    digests = [
        hashlib.sha256(split.inputs.numpy().tobytes() + split.targets.numpy().tobytes())
        for split in (drawn.train, drawn.held_out)
    ]
    assert [digest.hexdigest()[:16] for digest in digests] == [
        "d03c6f60ec9790f1",
        "c3080935480f34b0",
    ]


def test_classes_are_even_and_splits_and_seeds_differ():
    drawn = draw_shapes(train=2400, held_out=100)
    counts = torch.bincount(drawn.train.targets, minlength=12)
    assert counts.min() > 140 and counts.max() < 260  # 200 each; 4 standard deviations are 54
    assert not torch.equal(drawn.train.inputs[:100], drawn.held_out.inputs)
    assert not torch.equal(
        draw_shapes(train=9, held_out=1, seed=1).train.inputs, drawn.train.inputs[:9]
    )


@pytest.mark.parametrize("shape", OUTLINES)
def test_every_shape_has_the_area_of_its_disc(shape):
    steps = np.linspace(-3, 3, 1201)
    x, y = np.meshgrid(steps, steps)
    inside = OUTLINES[shape](x, y, np.array(1.3))
    assert inside.mean() * 36 == pytest.approx(np.pi * 1.3**2, rel=0.005)


def test_mean_color_tells_the_color_and_not_the_shape():
    """Nearest class mean of the redness, greenness, blueness: good at 3 colors, bad at 12."""
    drawn = draw_shapes(train=1500, held_out=600)

    def hue(split):
        middle = split.inputs[:, :, 4:28, 4:28].float().mean((2, 3))
        return middle - middle.mean(1, keepdim=True)

    means = torch.stack([hue(drawn.train)[drawn.train.targets == c].mean(0) for c in range(12)])
    guess = torch.cdist(hue(drawn.held_out), means).argmin(1)
    right = drawn.held_out.targets
    assert (guess // 4 == right // 4).float().mean() > 0.85
    assert (guess == right).float().mean() < 0.4


def test_names_go_with_numbers():
    assert CLASSES[0] == "red disc" and CLASSES[4 * 2 + 3] == "blue cross"


def test_a_small_network_learns_them_to_the_known_band():
    """Over 10 seeds 0.468 to 0.532; who sees the colors only is right in 0.25 at most."""
    drawn, reached = draw_shapes(train=2000, held_out=600), []
    for seed in range(3 if WHOLE else 1):
        seed_all(seed)
        model = MLP(3 * 32 * 32, 12)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        train(model, Batches(drawn.train, 64, seed=seed), cross_entropy, optimizer, steps=150)
        reached.append(evaluate(model, drawn.held_out, cross_entropy).accuracy)
    assert 0.42 < statistics.median(reached) < 0.58
