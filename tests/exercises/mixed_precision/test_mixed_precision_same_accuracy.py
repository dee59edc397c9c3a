"""Training in 16 bits: fp16 alone demonstrably fails, the recipe does not, and bands hold it."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from statistics import median

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.examine import examine
from gpuedu.exercises.mixed_precision.same_accuracy.half_runs import run_half
from gpuedu.exercises.mixed_precision.same_accuracy.judge import (
    JUDGE,
    TOGETHER,
    accuracy_gaps,
    loss_gaps,
    most_off,
)
from gpuedu.exercises.registry import load
from gpuedu.experiments import read_results
from gpuedu.experiments.hard_digits import (
    HARD,
    LARGE_INPUTS,
    SMALL_GRADIENTS,
    SMALL_UPDATES,
    batches,
    judge_weights,
    start_weights,
)
from gpuedu.experiments.same_accuracy import (
    FLOAT32,
    MIXED,
    PURE,
    RECIPES,
    gradients_of,
    reference,
    scores_by,
    train,
)
from tests.exercises.stored import stored_answers

SHORT = replace(HARD, steps=4)


@pytest.fixture(autouse=True)
def one_thread():
    """These products are too small to share."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fp16_alone_changes_not_one_weight(seed) -> None:
    end, start = train(HARD, seed, PURE), start_weights(HARD, seed)
    assert all(bool((a == b.half()).all()) for a, b in zip(end, start, strict=True))
    assert judge_weights(HARD, end)[0] == pytest.approx(math.log(10), abs=1e-5)
    assert JUDGE.predictions["same-accuracy"].truth == 0
    assert sum(weight.numel() for weight in start) == 9472


def test_each_difficulty_alone_stops_fp16_and_none_of_them_float32() -> None:
    for task in (LARGE_INPUTS, SMALL_GRADIENTS, SMALL_UPDATES):
        assert judge_weights(task, train(task, 5, PURE))[0] == pytest.approx(math.log(10), abs=0.01)
        assert reference(task, 5)[0] < 1.95


def test_the_task_has_what_its_text_says() -> None:
    images, labels = next(batches(HARD, 4))
    assert images.max() == 4080 and torch.isinf(images * images).any()
    weights = start_weights(HARD, 4)
    gradients = gradients_of(HARD, weights, images, labels, FLOAT32)
    assert set(torch.cat([w.detach().flatten() for w in weights]).tolist()) == {1.0, -1.0}
    updates = torch.cat([gradient.flatten() for gradient in gradients]) * HARD.scaled_rate
    assert 0 < float(updates.abs().max()) < 0.00025
    # Below 1 the steps of fp16 are 2**-11: what is less than half of one is lost.
    assert float((updates.abs() < 2.0**-12).float().mean()) == 1.0
    scores = scores_by(FLOAT32, weights, images).detach().requires_grad_()
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / HARD.divisor
    (of_scores,) = torch.autograd.grad(loss, scores)
    assert not of_scores.half().any()


def test_without_a_divisor_the_float32_run_is_the_same() -> None:
    plain = replace(SHORT, divisor=1.0)
    for mine, other in zip(train(SHORT, 6, FLOAT32), train(plain, 6, FLOAT32), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-7)


def test_the_experiment_has_at_least_fifty_runs_of_every_recipe_and_they_lie_apart() -> None:
    values = read_results("same-accuracy").values
    for recipe in RECIPES:
        assert len(values["losses"][recipe.name]) == len(values["accuracies"][recipe.name]) >= 50
    good = [values["losses"][name] for name in ("float32", "mixed")]
    failed = [values["losses"][r.name] for r in RECIPES if r.name not in ("float32", "mixed")]
    assert max(map(max, good)) * (1 + most_off()) < min(map(min, failed)) * 0.8
    assert loss_gaps().runs == accuracy_gaps().runs == len(values["losses"]["mixed"])


def test_the_committed_runs_are_what_the_code_gives() -> None:
    values = read_results("same-accuracy").values
    for recipe in (FLOAT32, MIXED):
        loss, accuracy = judge_weights(HARD, train(HARD, 0, recipe))
        assert loss == pytest.approx(values["losses"][recipe.name][0], rel=most_off() / 2)
        assert accuracy == pytest.approx(values["accuracies"][recipe.name][0], abs=0.03)


def test_the_bound_is_far_from_both_sides() -> None:
    assert max(abs(loss_gaps().lowest), abs(loss_gaps().highest)) * 3 < most_off() < 0.02
    gaps = [
        judge_weights(HARD, train(HARD, s, MIXED))[0] / reference(HARD, s)[0] - 1
        for s in (901, 902, 903)
    ]
    assert abs(median(gaps)) < most_off() / 2


def test_a_larger_divisor_changes_neither_float32_nor_the_right_recipe() -> None:
    for seed in (901, 902):
        assert reference(TOGETHER, seed)[0] == pytest.approx(reference(HARD, seed)[0], rel=1e-5)
        mixed = judge_weights(TOGETHER, train(TOGETHER, seed, MIXED))[0]
        assert abs(mixed / reference(TOGETHER, seed)[0] - 1) < most_off() / 2


def begin_mixed(weights):
    """Masters in a list."""
    return [weight.clone() for weight in weights]


def step_mixed(masters, images, labels, rate, n):
    """A right step, by the pieces of the experiment."""
    task = replace(HARD, divisor=n)
    copies = [master.half() for master in masters]
    gradients = gradients_of(task, copies, images, labels, MIXED)
    for place, gradient in enumerate(gradients):
        masters[place] = masters[place] - rate * (gradient.float() / MIXED.scale)
    return [master.half() for master in masters]


def test_a_run_is_the_experiments_run_and_tells_its_dtypes() -> None:
    run = run_half(begin_mixed, step_mixed, SHORT, 8)
    assert (run.loss, run.accuracy) == judge_weights(SHORT, train(SHORT, 8, MIXED))
    assert run.dtypes == ("float16", "float16")
    assert run.products == {("float16", "float16"): 5 * SHORT.steps}  # 2 forward and 3 backward


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (None, "two new weights, got None"),
        (torch.ones(2), "two new weights, got a Tensor"),
        ([1.0, 2.0], "weight 0 should be a PyTorch tensor"),
        ([torch.ones(64, 128), torch.ones(10, 128)], r"weight 1 has shape \(10, 128\)"),
        ([torch.ones(64, 128).int(), torch.ones(128, 10)], "weight 0 has dtype torch.int32"),
    ],
)
def test_what_is_no_pair_of_weights_is_refused(result, told) -> None:
    with pytest.raises(AnswerError, match=told):
        run_half(begin_mixed, lambda *_: result, SHORT, 1)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("not_divided", "about 2**16 times as far"),
        ("norm_in_fp16", "changed next to no weight"),
        ("cancels_n", "infinite or NaN"),
        ("uphill", "times as far"),
    ],
)
def test_how_far_the_first_step_went_is_told(name, told) -> None:
    answers = stored_answers("same-accuracy", "wrong", name).values()
    report = examine(load("same-accuracy"), [*answers], 4)
    faults = {r.property.name: r.fault for r in report.results if r.fault}
    assert told in faults["norm"].message


def test_nan_weights_are_named() -> None:
    def step(state, images, labels, rate, n):
        return [torch.full((64, 128), math.nan).half(), torch.ones(128, 10).half()]

    report = examine(load("same-accuracy"), (begin_mixed, step), 0)
    faults = {r.property.name: r.fault for r in report.results if r.fault}
    assert "the loss is nan" in faults["norm"].message


def test_training_in_float32_earns_no_more_than_its_steps() -> None:
    def step(masters, images, labels, rate, n):
        weights = [master.clone() for master in masters]
        gradients = gradients_of(replace(HARD, divisor=n), weights, images, labels, FLOAT32)
        masters[:] = [m - rate * g for m, g in zip(masters, gradients, strict=True)]
        return [master.half() for master in masters]

    report = examine(load("same-accuracy"), (begin_mixed, step), 0)
    assert report.held() == {
        "half": False,
        "norm": False,
        "gradients": False,
        "updates": False,
        "steps": True,
        "accuracy": False,
    }


def test_cases_never_use_the_seeds_of_the_reference_runs() -> None:
    for seed in range(20):
        trained = [c for c in JUDGE.cases(np.random.default_rng(seed)) if "seeds" in c.inputs]
        assert len(trained) == 5
        for case in trained:
            assert min(case.inputs["seeds"]) >= 100
            assert case.inputs["task"].keys() == asdict(HARD).keys()
