"""Digits with wrong labels: tasks to train on.

A task is 480 digits to train on, with about 3 in 10 labels drawn at random, and 1317 held out with
their true ones. Rotated, mirrored, and with another contrast and other class numbers, each seed
gives another task of the same difficulty.
"""

from __future__ import annotations

import torch

from gpuedu.training import Split, load_digits
from gpuedu.training.seeds import generator

TRAIN, WRONG_SHARE = 480, 0.3


def draw_task(seed: int) -> tuple[Split, Split]:
    """What to train on, and what is held out; inputs (N, 1, 8, 8) float32, targets (N,) int64."""
    digits = load_digits(seed=seed % 2**31)
    images = torch.cat([digits.train.inputs, digits.held_out.inputs])
    labels = torch.cat([digits.train.targets, digits.held_out.targets])
    draw = generator(seed, 8)
    turns, mirrored, inverted = (int(n) for n in torch.randint(4, (3,), generator=draw))
    contrast, brightness = torch.rand(2, generator=draw).tolist()
    images = torch.rot90(images, turns, (2, 3))
    images = images.flip(3) if mirrored % 2 else images
    images = 1 - images if inverted % 2 else images
    images = images * (0.5 + contrast) + brightness - 0.5
    labels = torch.randperm(10, generator=draw)[labels]
    noisy = labels[:TRAIN].clone()
    wrong = torch.rand(TRAIN, generator=draw) < WRONG_SHARE
    noisy[wrong] = torch.randint(10, (int(wrong.sum()),), generator=draw)
    return Split(images[:TRAIN], noisy), Split(images[TRAIN:], labels[TRAIN:])
