"""backward-by-hand: the oracle against finite differences, and what the card says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.training_step.backward_by_hand.judge import cases, truth
from gpuedu.exercises.training_step.backward_by_hand.play import run_forward
from tests.exercises.training_step.step_answers import backward, fault, hand_in, lost

SMALL = [case for case in cases(np.random.default_rng(3)) if "stable" not in case.decides]


def loss_of(inputs):
    saved = run_forward(inputs)
    return float(torch.nn.functional.cross_entropy(saved["s"], saved["y"]))


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.label)
@pytest.mark.parametrize("name", ["w1", "b1", "w2", "b2"])
def test_the_oracle_agrees_with_nudging_each_weight(case, name):
    found = truth(case.inputs)[name]
    chance = np.random.default_rng(1)
    for index in map(tuple, chance.integers(found.shape, size=(6, found.ndim))):
        nudged = []
        for step in (1e-5, -1e-5):
            moved = case.inputs[name].copy()
            moved[index] += step
            nudged.append(loss_of({**case.inputs, name: moved}))
        slope = (nudged[0] - nudged[1]) / 2e-5
        assert slope == pytest.approx(found[index], rel=1e-4, abs=1e-8)


def test_autograd_passes_gradcheck_on_the_same_network():
    inputs = SMALL[1].inputs
    x, y, mask = (torch.from_numpy(inputs[name]) for name in ("x", "y", "mask"))

    def network(w1, b1, w2, b2):
        h = torch.sigmoid(x @ w1 + b1) * mask / inputs["keep"]
        return torch.nn.functional.cross_entropy(h @ w2 + b2, y)

    leaves = [
        torch.from_numpy(inputs[name].copy()).requires_grad_() for name in ("w1", "b1", "w2", "b2")
    ]
    assert torch.autograd.gradcheck(network, leaves)


def test_a_slip_early_on_loses_its_own_property_alone():
    def summed(saved):
        found = backward(saved)
        n = len(saved["y"])
        return {name: n * gradient for name, gradient in found.items()}

    report = hand_in("backward-by-hand", summed)
    assert lost(report) == ["scores"]


@pytest.mark.parametrize(("axis", "rows"), [(0, True), (1, False)])
def test_a_slip_in_the_softmax_is_no_matter_of_large_scores(axis, rows):
    def slipped(saved):
        ds = saved["s"].softmax(dim=axis)
        ds[torch.arange(len(ds)) if rows else slice(None), saved["y"]] -= 1
        return _from_scores(saved, ds / len(ds))

    assert lost(hand_in("backward-by-hand", slipped)) == ["scores"]


def _from_scores(saved, ds):
    dh = ds @ saved["w2"].T * saved["mask"] / saved["keep"]
    h = saved["h"]
    dz = dh * ((h > 0) if saved["activation"] == "relu" else h - h * h)
    second = {"s": ds, "w2": saved["d"].T @ ds, "b2": ds.sum(0), "h": dh}
    return second | {"z": dz, "w1": saved["x"].T @ dz, "b1": dz.sum(0)}


def test_a_number_in_single_precision_is_told_with_the_digits_that_differ():
    def slipped(saved):
        return _from_scores(saved, backward(saved)["s"].float().double())

    report = hand_in("backward-by-hand", slipped)
    told = fault(report, "scores").message.split(" is ")[1].split(" (")[0].split(", expected ")
    assert told[0] != told[1]
    assert "about seven digits agree" in fault(report, "scores").message


def test_a_gradient_that_is_missing_or_of_another_shape_is_named():
    def partly(saved):
        found = backward(saved)
        del found["b1"]
        return found | {"w2": found["w2"].T.contiguous()}

    report = hand_in("backward-by-hand", partly)
    assert lost(report) == ["second-layer", "first-layer"]
    assert fault(report, "first-layer").message == 'the dict has no "b1".'
    assert "has shape" in fault(report, "second-layer").message


@pytest.mark.parametrize("way", ["backward", "enabled"])
def test_autograd_is_refused_however_it_is_turned_on(way):
    def by_autograd(saved):
        with torch.set_grad_enabled(way == "enabled"), torch.inference_mode(False):
            scores = saved["s"].clone().requires_grad_()
            torch.nn.functional.cross_entropy(scores, saved["y"]).backward()
        return backward(saved) | {"s": scores.grad}

    report = hand_in("backward-by-hand", by_autograd)
    assert report.points == 0
    assert fault(report, "scores").message == "it uses autograd, which is off here"


def test_the_gradient_of_a_function_is_autograd_too():
    def by_torch_func(saved):
        slope = torch.func.grad(lambda s: torch.nn.functional.cross_entropy(s, saved["y"]))
        return backward(saved) | {"s": slope(saved["s"])}

    report = hand_in("backward-by-hand", by_torch_func)
    assert report.points == 0
    assert fault(report, "scores").message == "it uses autograd, which is off here"


@pytest.mark.parametrize("returned", [None, [1], torch.zeros(3)])
def test_what_is_no_dict_is_named(returned):
    report = hand_in("backward-by-hand", lambda saved: returned)
    assert "should return a dict of gradients" in fault(report, "relu").message


def test_numbers_that_are_not_finite_lose_without_an_error():
    def spoiled(saved):
        return {name: gradient * torch.nan for name, gradient in backward(saved).items()}

    assert hand_in("backward-by-hand", spoiled).points == 0
