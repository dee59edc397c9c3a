"""noise-scale: truths held another way, refusals, and its pictures."""

from __future__ import annotations

import logging
import math
from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.noise_pictures import fit_law
from gpuedu.exercises.batch_and_learning_rate.noise_scale import judge as noise_scale
from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    FEW,
    MANY,
    Terms,
    gradients_of_samples,
    mean_terms,
    saving,
    solve_terms,
    watch_run,
)
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge.noise_cases import devices, squares
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.batch_and_learning_rate.test_batch_pictures import assert_fit_to_print
from tests.exercises.parts import pictures_of
from tests.exercises.reports import hand_in, lost, told
from tests.exercises.stored import stored_answers

PICTURES = pictures_of("batch-and-learning-rate")


@pytest.fixture
def scale_of():
    """A right ``noise_scale``, written otherwise than the solution's."""
    return stored_answers("noise-scale", "right", "linear_system")["noise_scale"]


def test_both_terms_put_back_give_the_squares():
    terms = solve_terms(7, 60, 5.5, 1.25)
    assert terms.signal + terms.noise / 7 == pytest.approx(5.5, rel=1e-12)
    assert terms.signal + terms.noise / 60 == pytest.approx(1.25, rel=1e-12)
    assert Terms(-0.1, 3.0).scale == Terms(0.0, 3.0).scale == math.inf


def test_the_estimate_of_drawn_gradients_comes_near_a_truth_that_was_planted():
    rng = np.random.default_rng(3)
    center, spread, few, many = np.full(50, 0.3), 2.0, 4, 40
    pairs = []
    for _ in range(4000):
        drawn = center + spread * rng.standard_normal((many, 50))
        pairs.append(tuple(float((drawn[:n].mean(axis=0) ** 2).sum()) for n in (few, many)))
    found = mean_terms(few, many, pairs)
    assert found.signal == pytest.approx(50 * 0.3**2, rel=0.05)
    assert found.noise == pytest.approx(50 * spread**2, rel=0.02)


def test_all_draws_give_the_planted_truth_to_rounding():
    for seed in range(5):
        for case in noise_scale.cases(np.random.default_rng(seed)):
            if case.decides == ("truth",):
                few, many, steps = (case.inputs[name] for name in ("few", "many", "steps"))
                found = mean_terms(few, many, squares(steps)).scale
                assert found == pytest.approx(scale_behind(steps, many), rel=1e-11)


def scale_behind(steps, many):
    """From the samples themselves: some batch has one of them alone, as often as it has any."""
    count = round(len(steps) ** (1 / many))
    every = [
        torch.cat([torch.from_numpy(part).flatten() for part in steps[place]["few"]])
        for place, draw in enumerate(product(range(count), repeat=many))
        if len(set(draw)) == 1
    ]
    center = torch.stack(every).mean(0)
    noise = sum((one - center).square().sum() for one in every) / count
    return float(noise / center.square().sum())


def test_devices_are_those_of_the_last_batch_that_pays():
    solved = stored_answers("noise-scale", "right", "solved_for_the_batch")["devices_that_pay"]
    for seed in range(5):
        for case in noise_scale.cases(np.random.default_rng(seed)):
            if case.inputs["ask"] == "devices":
                given = [case.inputs[name] for name in ("scale", "per_device", "gain")]
                assert devices(*given) == solved(*given)


def test_doubling_halves_the_steps_far_below_the_scale_and_saves_nothing_far_above():
    assert saving(1e9, 1) == pytest.approx(2, rel=1e-6)
    assert saving(1, 1e9) == pytest.approx(1, rel=1e-6)
    truth = noise_scale.JUDGE.predictions["noise-scale-doubling"].truth
    assert saving(1000, truth) == 1.5
    assert solve_terms(8, 64, 6, 2.5).scale == noise_scale.JUDGE.predictions["noise-scale"].truth


@pytest.mark.parametrize(
    ("wrong", "says"),
    [(None, "a call without `return`"), ((1.0,), "signal and noise"), ("ab", "signal and noise")],
)
def test_what_is_no_pair_of_numbers_is_refused(wrong, says):
    assert says in told(hand_in("noise-scale", noise_terms=lambda *_: wrong), "terms")


def test_a_doubling_on_and_on_loses_the_endless_case_alone():
    def on_and_on(scale, per_device, gain):
        count = 1
        while 1 + scale / (count * per_device) >= gain * (1 + scale / (2 * count * per_device)):
            count *= 2
        return count

    report = hand_in("noise-scale", devices_that_pay=on_and_on)
    assert lost(report) == {"endless"} and "300 digits" in told(report, "endless")


@pytest.mark.parametrize("count", [0, -4, 3, math.inf], ids=repr)
def test_numbers_of_devices_that_are_none_are_told(count):
    report = hand_in("noise-scale", devices_that_pay=lambda *_: count)
    assert "devices" in lost(report)
    assert f"gave {count}, expected" in told(report, "devices")


def test_devices_that_never_stop_leave_the_other_verdicts():
    def for_ever(scale, per_device, gain):
        while True:
            pass

    assert lost(hand_in("noise-scale", devices_that_pay=for_ever)) == {"endless", "devices"}


# The run in the picture


def test_gradients_of_samples_are_those_of_batches_of_one():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    x, y = torch.randn(5, 1, 2, 2), torch.randint(2, (5,))
    each = gradients_of_samples(model, x, y)
    for sample in range(5):
        loss = nn.functional.cross_entropy(model(x[sample : sample + 1]), y[sample : sample + 1])
        alone = torch.autograd.grad(loss, tuple(model.parameters()))
        for ours, mine in zip(each, alone, strict=True):
            assert torch.allclose(ours[sample], mine, atol=1e-6)


def test_along_the_run_the_scale_grows_and_many_pairs_find_it(scale_of):
    moments = watch_run()
    assert moments[-1].truth.scale > 5 * moments[0].truth.scale
    for moment in moments:
        own = scale_of(moment.pairs, FEW, MANY)
        assert moment.truth.scale / 1.6 < own < 1.6 * moment.truth.scale


def test_late_in_the_run_the_signal_falls_much_faster_than_the_noise():
    """What the lesson says below the picture."""
    truths = {moment.step: moment.truth for moment in watch_run()}
    assert 50 < truths[100].signal / truths[1000].signal < 100
    assert 2.5 < truths[100].noise / truths[1000].noise < 4.5
    assert min(truths, key=lambda step: truths[step].scale) == 30
    assert all(60 < truths[step].scale < 135 for step in (1, 3, 10, 30, 100, 300))


def test_where_the_learners_number_is_infinite_the_line_is_broken(scale_of):
    def some(steps, few, many):
        scale = scale_of(steps, few, many)
        return math.inf if scale > 500 or 60 > scale > 50 else scale

    ax = PICTURES["noise-scale"](some)
    assert "Yours: infinity at steps 30, 1,000." in ax.figure.get_supxlabel()
    assert any("to step 300" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("name", ["noise-scale", "batch-and-learning-rate/steps-by-batch"])
def test_the_pictures_are_fit_to_print(name, caplog, scale_of):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*([scale_of] if name == "noise-scale" else [])))
    assert caplog.messages == []


@pytest.mark.parametrize("value", [-1, 0, math.nan, math.inf, 1e300, None], ids=repr)
def test_wrong_functions_are_drawn_or_refused(value):
    try:
        ax = PICTURES["noise-scale"](lambda *_: value)
    except AnswerError:
        return
    assert len(to_png(ax)) > 10_000
    assert "84" in ax.figure.get_supxlabel() or value in (None, 1e300)


def test_the_law_is_fitted_to_ratios():
    batches = (8, 64, 512)
    assert fit_law(batches, [40 * (1 + 100 / batch) for batch in batches]) == (40.0, 100.0)
    assert "the law with B = " in alt_text(PICTURES["batch-and-learning-rate/steps-by-batch"]())
