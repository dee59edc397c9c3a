"""Steps to an accuracy: networks side by side learn as if alone; the results are sound."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.experiments import read_results, steps_to_accuracy
from gpuedu.experiments.steps_to_accuracy import (
    BATCHES,
    RATES,
    SETTINGS,
    Side,
    load,
    median_steps,
    most_steps,
    train,
)

EASY = replace(SETTINGS["linear"], target=0.5)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Three seeds, one thread."""
    monkeypatch.setattr(steps_to_accuracy, "SEEDS", 3)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_networks_side_by_side_do_not_reach_each_other():
    side, chance = Side((6, 5, 4), 3), torch.Generator().manual_seed(1)
    x = torch.randn(3, 7, 6, generator=chance)
    y = torch.randint(4, (3, 7), generator=chance)
    loss = cross_entropy(side(x).flatten(0, 1), y.flatten(), reduction="sum") / 7
    loss.backward()
    for seed in range(3):
        weights = [w[seed].detach().requires_grad_() for w in (*side.weights, *side.biases)]
        inner, outer, first, second = weights
        alone = torch.relu(x[seed] @ inner + first) @ outer + second
        cross_entropy(alone, y[seed]).backward()
        for mine, ours in zip(weights, (*side.weights, *side.biases), strict=True):
            assert torch.allclose(mine.grad, ours.grad[seed], atol=1e-6)


def test_seeds_begin_apart_and_the_same_each_time():
    first, again = Side((6, 4), 3), Side((6, 4), 3)
    assert torch.equal(first.weights[0], again.weights[0])
    assert not torch.equal(first.weights[0][0], first.weights[0][1])


def test_the_median_is_when_most_seeds_are_there():
    seen = dict(train(EASY, 64, 0.5))
    when = [
        min(step for step, shares in seen.items() if shares[seed] >= EASY.target)
        for seed in range(3)
    ]
    assert median_steps(EASY, 64, 0.5) == sorted(when)[1]


def test_a_run_that_does_not_get_there_is_none(monkeypatch):
    monkeypatch.setattr(steps_to_accuracy, "MOST_STEPS", 20)
    monkeypatch.setattr(steps_to_accuracy, "LEAST_STEPS", 20)
    assert median_steps(EASY, 64, 1e-6) is None
    # With a hidden layer: a linear one learns at any rate, as a perceptron does.
    deep = replace(SETTINGS["one hidden layer"], target=0.5)
    assert median_steps(deep, 64, 1e30) is None


def test_large_batches_get_fewer_steps_but_enough():
    steps = [most_steps(batch) for batch in BATCHES]
    assert steps == sorted(steps, reverse=True)
    assert min(steps) == steps_to_accuracy.LEAST_STEPS


def test_a_share_of_the_labels_is_random():
    images, labels, *_ = load()
    _, wrong, *_ = load(0.3)
    assert images.shape == (1437, 64)
    assert 0.2 < float((labels != wrong).float().mean()) < 0.3, "one in ten is right by chance"


def test_the_results_are_of_this_experiment_and_say_what_the_lesson_says():
    values = read_results("steps-to-accuracy").values
    assert values["batches"] == list(BATCHES)
    assert set(values["settings"]) == set(SETTINGS)
    for name, found in values["settings"].items():
        assert found["rates"] == list(SETTINGS[name].rates) and len(found["rates"]) == RATES
        assert all(any(row) for row in found["steps"]), "each batch gets there with some rate"
        fewest = [min(filter(None, row)) for row in found["steps"]]
        assert fewest[0] > 3 * fewest[-1], "a large batch needs fewer steps"
        assert fewest[0] < 16 * fewest[-1], "but far from 128 times fewer"
