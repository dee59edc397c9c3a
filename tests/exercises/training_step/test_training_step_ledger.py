"""memory-ledger: the formulas against the bytes that are counted in real steps."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.training_step.memory_ledger import judge as memory_ledger
from gpuedu.exercises.training_step.memory_ledger.judge.saved_storages import (
    KIND_SLIPS,
    saved_bytes,
)
from gpuedu.exercises.training_step.memory_ledger.small_nets import build, measure, mlp_layers
from gpuedu.training import MLP
from tests.exercises.training_step.step_answers import fault, hand_in, held_bytes, lost
from tests.exercises.training_step.step_answers import saved_bytes as own_saved_bytes

CASES = [case for seed in range(2) for case in memory_ledger.cases(np.random.default_rng(seed))]
SAVED = [case for case in CASES if "samples" in case.inputs]


@pytest.mark.parametrize("case", SAVED, ids=lambda case: case.label)
def test_the_formula_is_what_is_counted_but_for_single_numbers(case):
    samples, layers = case.inputs["samples"], case.inputs["layers"]
    counted = measure(samples, layers, "sgd").saved
    formula = saved_bytes(samples, layers)
    assert counted[:-1] == tuple(formula[:-1])
    assert counted[-1] - formula[-1] in memory_ledger.CRUMBS


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_what_is_held_is_what_is_counted(optimizer):
    layers = [("linear", 9, 7), ("norm", 7, 7), ("relu", 7, 7), ("linear", 7, 3)]
    held, counted = held_bytes(layers, optimizer), measure(5, layers, optimizer)
    assert (held["weights"], held["gradients"]) == (counted.weights, counted.gradients)
    crumbs = 4 * 6 if optimizer == "adam" else 0
    assert counted.optimizer == held["optimizer"] + crumbs


def test_the_first_real_network_is_the_courses_mlp():
    ours, mlp = build(memory_ledger.REAL[0][2]), MLP(64, 10, hidden=(256, 256))
    assert [type(a) for a in ours] == [type(b) for b in mlp]
    assert [a.shape for a in ours.parameters()] == [b.shape for b in mlp.parameters()]


def test_the_reference_earns_all_points_and_is_right_to_the_byte():
    for seed in range(3):
        report = hand_in("memory-ledger", seed=seed)
        assert report.state == "solved"
        assert sum("right to the byte" in finding.message for finding in report.findings) == 3


def test_bytes_that_are_about_right_are_within_the_tolerance_and_no_more():
    def about(samples, layers):
        return [1.03 * size for size in own_saved_bytes(samples, layers)]

    report = hand_in("memory-ledger", held_bytes, about)
    assert lost(report) == ["layers", "once"]
    assert not report.findings


def test_every_slip_about_a_kind_is_seen_on_some_network():
    drawn = [(case.inputs["samples"], case.inputs["layers"]) for case in SAVED]
    for belief in KIND_SLIPS:
        assert any(saved_bytes(*net, belief) != saved_bytes(*net) for net in drawn), belief


@pytest.mark.parametrize("belief", KIND_SLIPS)
def test_a_slip_about_one_kind_is_no_matter_of_storages(belief):
    def slipped(samples, layers):
        return saved_bytes(samples, layers, belief)

    report = hand_in("memory-ledger", held_bytes, slipped)
    assert "layers" in lost(report) and "once" not in lost(report)


def test_a_list_of_another_length_is_named():
    report = hand_in("memory-ledger", held_bytes, lambda samples, layers: [0] * len(layers))
    assert "numbers for" in fault(report, "once").message
    assert "last the loss's" in fault(report, "once").cause


@pytest.mark.parametrize("returned", [5, {"weights": 1}, {"weights": "much", "gradients": 0}])
def test_what_is_no_ledger_is_named(returned):
    report = hand_in("memory-ledger", lambda layers, optimizer: returned, own_saved_bytes)
    assert lost(report) == ["weights", "optimizer", "measured"]


def test_in_place_saves_nothing_of_what_backward_holds():
    sums = [
        sum(saved_bytes(8, mlp_layers([9, 8, 7], between=(kind,)))) for kind in ("relu", "relu_")
    ]
    assert sums[0] == sums[1]


def test_the_batch_of_the_prediction_is_where_the_two_sides_cross():
    layers = mlp_layers([64, 512, 512, 10])
    batch = memory_ledger.batch_that_weighs_more(layers)
    held = sum(held_bytes(layers, "adam").values())
    assert sum(saved_bytes(batch - 1, layers)) <= held < sum(saved_bytes(batch, layers))


def test_a_learners_grad_mode_does_not_change_the_count():
    with torch.no_grad():
        assert hand_in("memory-ledger").state == "solved"
