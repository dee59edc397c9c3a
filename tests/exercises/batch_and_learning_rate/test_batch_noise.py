"""The noise scale: truths held another way, what a card says of a slip, and its pictures."""

from __future__ import annotations

import logging
import math

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
from gpuedu.exercises.batch_and_learning_rate.noise_scale.judge import (
    device_mistakes,
    noise_mistakes,
)
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.batch_and_learning_rate.batch_answers import fault, lost
from tests.exercises.batch_and_learning_rate.test_batch_pictures import assert_fit_to_print
from tests.exercises.parts import pictures_of

PICTURES = pictures_of("batch-and-learning-rate")


def noise_terms(few, many, few_square, many_square):
    signal, noise = np.linalg.solve([[1, 1 / few], [1, 1 / many]], [few_square, many_square])
    return float(signal), float(noise)


def scale_of(steps, few, many):
    squares = [[sum(float(p.double().norm()) ** 2 for p in g) for g in pair] for pair in steps]
    signal, noise = noise_terms(few, many, *np.mean(squares, axis=0))
    return noise / signal if signal > 0 else math.inf


def devices_that_pay(scale, per_device, gain):
    if scale == math.inf:
        return scale
    last = scale * (1 - gain / 2) / (gain - 1)
    return 2 ** max(0, math.floor(math.log2(last / per_device)) + 1)


def hand_in(seed=0, **instead):
    right = {"terms": noise_terms, "scale": scale_of, "devices": devices_that_pay} | instead
    return examine(load("noise-scale"), tuple(right.values()), seed)


def test_the_reference_earns_all_points():
    for seed in range(5):
        assert hand_in(seed).state == "solved", (seed, lost(hand_in(seed)))


def test_both_terms_put_back_give_the_squares():
    terms = solve_terms(7, 60, 5.5, 1.25)
    assert terms.signal + terms.noise / 7 == pytest.approx(5.5, rel=1e-12)
    assert terms.signal + terms.noise / 60 == pytest.approx(1.25, rel=1e-12)
    assert Terms(-0.1, 3.0).scale == Terms(0.0, 3.0).scale == math.inf


def test_the_estimate_of_drawn_gradients_comes_near_a_truth_that_was_planted():
    rng = np.random.default_rng(3)
    center, spread, few, many = np.full(50, 0.3), 2.0, 4, 40
    squares = []
    for _ in range(4000):
        drawn = center + spread * rng.standard_normal((many, 50))
        squares.append(tuple(float((drawn[:n].mean(axis=0) ** 2).sum()) for n in (few, many)))
    found = mean_terms(few, many, squares)
    assert found.signal == pytest.approx(50 * 0.3**2, rel=0.05)
    assert found.noise == pytest.approx(50 * spread**2, rel=0.02)


def test_all_draws_give_the_planted_truth_to_rounding():
    for seed in range(5):
        for case in noise_scale.cases(np.random.default_rng(seed)):
            if case.decides == ("truth",):
                given = {name: case.inputs[name] for name in ("steps", "few", "many")}
                assert noise_mistakes.right(**given) == pytest.approx(
                    case.inputs["truth"], rel=1e-11
                )


def test_each_case_tells_its_mistakes_apart():
    kinds = {"norms": noise_mistakes.NORMS, "averages": noise_mistakes.AVERAGES}
    for case in noise_scale.cases(np.random.default_rng(1)):
        (prop,) = case.decides
        given = {name: value for name, value in case.inputs.items() if name != "ask"}
        if prop in kinds:
            truth = noise_mistakes.right(**given)
            gives = [one.gives(**given) for one in kinds[prop]]
            assert all(abs(got / truth - 1) > 0.009 for got in gives)
        if "gain" in given:
            assert devices_that_pay(**given) == device_mistakes.devices(**given)


def test_doubling_halves_the_steps_far_below_the_scale_and_saves_nothing_far_above():
    assert saving(1e9, 1) == pytest.approx(2, rel=1e-6)
    assert saving(1, 1e9) == pytest.approx(1, rel=1e-6)
    truth = noise_scale.JUDGE.predictions["noise-scale-doubling"].truth
    assert saving(1000, truth) == 1.5
    assert solve_terms(8, 64, 6, 2.5).scale == noise_scale.JUDGE.predictions["noise-scale"].truth


def test_a_mean_of_ratios_is_named():
    def ratios(steps, few, many):
        return float(np.mean([scale_of([pair], few, many) for pair in steps]))

    report = hand_in(scale=ratios)
    assert "averages" in lost(report) and "norms" not in lost(report)
    assert "was it that of a single step?" in fault(report, "averages")


def test_the_mean_of_positive_ratios_and_medians_are_named():
    def terms_of(steps, few, many):
        squares = [[sum(float(p.norm()) ** 2 for p in g) for g in pair] for pair in steps]
        return [noise_terms(few, many, *pair) for pair in squares]

    def positive(*given):
        return float(np.mean([n / s for s, n in terms_of(*given) if s > 0] or [math.inf]))

    def medians(*given):
        signal, noise = np.median(terms_of(*given), axis=0)
        return float(noise / signal)

    assert "without the steps whose signal is negative" in fault(
        hand_in(scale=positive), "averages"
    )
    assert "That is with medians." in fault(hand_in(scale=medians), "averages")


def test_gradients_that_are_changed_lose_one_property():
    def in_place(steps, few, many):
        squares = [[sum(float(p.square_().sum()) for p in g) for g in pair] for pair in steps]
        signal, noise = noise_terms(few, many, *np.mean(squares, axis=0))
        return noise / signal if signal > 0 else math.inf

    report = hand_in(scale=in_place)
    assert lost(report) == ["norms"] and "are others" in fault(report, "norms")


def test_a_doubling_that_is_just_enough_pays():
    def strictly(scale, per_device, gain):
        count = 1
        while count < 2**40 and saving(scale, count * per_device) > gain:
            count *= 2
        return math.inf if scale == math.inf else count

    for seed in range(3):
        report = hand_in(seed, devices=strictly)
        assert lost(report) == ["devices"] and "*at least* so much" in fault(report, "devices")


def test_an_infinite_noise_scale_is_asked_for():
    def one(scale, per_device, gain):
        return devices_that_pay(scale, per_device, gain) if scale < math.inf else 1

    def on_and_on(scale, per_device, gain):
        count = 1
        while 1 + scale / (count * per_device) >= gain * (1 + scale / (2 * count * per_device)):
            count *= 2
        return count

    told = fault(hand_in(devices=one), "endless")
    assert "gave 1, expected inf" in told and "`inf / inf` is `nan`" in told
    assert "300 digits" in fault(hand_in(devices=on_and_on), "endless")
    assert lost(hand_in(devices=on_and_on)) == ["endless"]
    told = fault(hand_in(devices=lambda *_: math.inf), "devices")
    assert "no doubling pays" in told


def test_wrong_terms_are_told_where_they_do_harm_later():
    def biased(few, many, few_square, many_square):
        return many_square, few * (few_square - many_square)

    def scale(steps, few, many):
        squares = [[sum(float(p.norm()) ** 2 for p in g) for g in pair] for pair in steps]
        signal, noise = np.mean([biased(few, many, *pair) for pair in squares], axis=0)
        return float(noise / signal)

    report = hand_in(terms=biased, scale=scale)
    assert "It still has its own part" in fault(report, "terms")
    assert "mend `noise_terms` first" in fault(report, "norms")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [(None, "a `return` missing?"), ((1.0,), "signal and noise"), ("ab", "signal and noise")],
)
def test_what_is_no_pair_of_numbers_is_refused(wrong, says):
    assert says in fault(hand_in(terms=lambda *_: wrong), "terms")


def test_devices_that_never_stop_leave_the_other_verdicts():
    def for_ever(scale, per_device, gain):
        while True:
            pass

    assert lost(hand_in(devices=for_ever)) == ["endless", "devices"]


def test_a_doubling_that_does_not_pay_is_told_by_its_saving():
    said = fault(hand_in(devices=lambda *given: 2 * devices_that_pay(*given)), "devices")
    assert "the steps are divided by 1." in said and "less than was asked for" in said
    assert "1, 2, 4, ..." in fault(hand_in(devices=lambda *_: 3), "devices")


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


def test_along_the_run_the_scale_grows_and_many_pairs_find_it():
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


def test_where_the_learners_number_is_infinite_the_line_is_broken():
    def some(steps, few, many):
        scale = scale_of(steps, few, many)
        return math.inf if scale > 500 or 60 > scale > 50 else scale

    ax = PICTURES["noise-scale"](some)
    assert "Yours: infinity at steps 30, 1,000." in ax.figure.get_supxlabel()
    assert any("to step 300" in text.get_text() for text in ax.texts)


@pytest.mark.parametrize("name", ["noise-scale", "batch-and-learning-rate/steps-by-batch"])
def test_the_pictures_are_fit_to_print(name, caplog):
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
