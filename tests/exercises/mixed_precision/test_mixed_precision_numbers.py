"""The first part: truths, refusals, and pictures of right and wrong code."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.examine import examine
from gpuedu.exercises.mixed_precision.accumulate.judge import sums
from gpuedu.exercises.mixed_precision.adam_in_half import judge as adam_in_half
from gpuedu.exercises.mixed_precision.formats import BF16, FP16
from gpuedu.exercises.mixed_precision.master_weights import judge as master_weights
from gpuedu.exercises.registry import load
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

RIGHT = {
    name: tuple(solution_answers(name).values())
    for name in ("float-anatomy", "accumulate", "master-weights", "adam-in-half")
}
_, encode = RIGHT["float-anatomy"]
master_step, round_stochastically = RIGHT["master-weights"]
_, begin, adam_step = RIGHT["adam-in-half"]


def adam_in_16_bits(weight, gradient, state, lr):
    """The lesson's Adam, for a picture."""
    state["step"] += 1
    state["m"] = 0.9 * state["m"] + 0.1 * gradient
    state["v"] = 0.999 * state["v"] + 0.001 * gradient * gradient
    m, v = state["m"] / (1 - 0.9 ** state["step"]), state["v"] / (1 - 0.999 ** state["step"])
    return weight - lr * m / (v.sqrt() + 1e-8)


def judge(exercise, seed=0, **other):
    """The verdict on the solution, with some of its functions replaced."""
    names = [answer.name for answer in load(exercise).play.answers]
    given = dict(zip(names, RIGHT[exercise], strict=True)) | other
    report = examine(load(exercise), list(given.values()), seed)
    faults = {r.property.name: r.fault for r in report.results if not r.holds}
    return report, faults


# float-anatomy


@pytest.mark.parametrize("code", [-1, 2**16, 2**70])
def test_a_pattern_that_is_none_is_told_so(code):
    _, faults = judge("float-anatomy", encode=lambda *_: code)
    assert "which is no pattern of 16 bits" in faults["nearest"].message


@pytest.mark.parametrize("value", [None, "1", 1j, 0.5, [1]])
def test_what_is_no_whole_number_is_refused(value):
    _, faults = judge("float-anatomy", encode=lambda *_: value)
    assert set(faults) == {"nearest", "small", "overflow"}
    assert "should be" in faults["nearest"].message


def test_an_exception_costs_only_what_was_asked():
    def no_nan(value, *spec):
        return encode(value, *spec) + 0 * round(value)

    _, faults = judge("float-anatomy", encode=no_nan)
    assert set(faults) == {"overflow"}


# accumulate


def test_a_pairwise_sum_is_asked_for_of_powers_of_two_only():
    cases = load("accumulate").judge.cases(np.random.default_rng(0))
    sizes = {c.inputs["values"].size for c in cases if c.inputs["ask"] == "pairwise"}
    assert {0, 1, 2, 4096} <= sizes
    assert all(n & (n - 1) == 0 for n in sizes)


def test_the_running_sum_stops_at_32_and_the_others_do_not():
    values = np.full(8192, np.float16(0.01))
    assert sums.running(values) == 32 == sums.running(values[:4096])
    for way in (sums.by_neighbors, sums.by_folding, sums.kahan):
        assert abs(way(values) - sums.exact(values)) < 0.05


def test_kahan_needs_only_a_step_or_so():
    rng = np.random.default_rng(3)
    for n in (10, 100, 1000):
        values = rng.uniform(0, 1, n).astype(np.float16)
        true = sums.exact(values)
        assert abs(sums.kahan(values) - true) <= 2 * FP16.epsilon * true


# master-weights


@pytest.mark.parametrize("given", [None, 3, (1,), "ab", {}])
def test_what_is_no_pair_is_refused(given):
    _, faults = judge("master-weights", master_step=lambda *_: given)
    assert set(faults) == {"master", "gradient", "copy"}
    assert "should be two things" in faults["master"].message


def test_rounding_is_judged_by_law_whichever_draws_go_up():
    def down_first(values, dtype, uniform):
        return -round_stochastically(-values, dtype, uniform)

    report, _ = judge("master-weights", round_stochastically=down_first)
    assert report.state == "solved"


def test_neighbors_are_those_of_the_format():
    values = np.array([1.001, -1.001, 1.0, 0.999, 0.0])
    low, high = master_weights.neighbors(values, BF16)
    assert low.tolist() == [1.0, -1.0078125, 1.0, 0.99609375, 0.0]
    assert high.tolist() == [1.0078125, -1.0, 1.0, 1.0, 0.0]


def test_chance_is_undecided_while_results_are_no_neighbors():
    def twice_as_long(values, dtype, uniform):
        return (2 * round_stochastically(values.float() / 2, dtype, uniform)).to(dtype) * 2

    _, faults = judge("master-weights", round_stochastically=twice_as_long)
    assert set(faults) == {"neighbors", "chance"}
    assert not isinstance(faults["neighbors"], Undecided)
    assert isinstance(faults["chance"], Undecided)


def test_a_number_of_the_format_that_moves_is_told_as_one():
    def up_by_a_step(values, dtype, uniform):
        rounded = round_stochastically(values, dtype, uniform)
        return torch.where(rounded.float() == values, rounded * 1.0625, rounded)

    _, faults = judge("master-weights", round_stochastically=up_by_a_step)
    assert "it is a number of bfloat16 itself" in faults["neighbors"].message


# adam-in-half


def test_the_float64_adam_is_torchs():
    rng = np.random.default_rng(5)
    start, gradients = rng.standard_normal(8), rng.standard_normal((30, 8)) * 0.1
    weight = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.Adam([weight], lr=0.01)
    path = adam_in_half.adam(start, gradients, np.full(30, 0.01))
    for row, expected in zip(gradients, path, strict=True):
        weight.grad = torch.tensor(row)
        optimizer.step()
        assert np.allclose(weight.detach().numpy(), expected, rtol=1e-12, atol=1e-12)


# pictures

DRAWN = {
    "mixed-precision/gradients": (),
    "mixed-precision/formats": (),
    "float-anatomy": RIGHT["float-anatomy"],
    "accumulate": RIGHT["accumulate"],
    "master-weights": RIGHT["master-weights"],
    "adam-in-half": (adam_in_16_bits, begin, adam_step),
}
PICTURES = {name: draw for name, draw in pictures_of("mixed-precision").items() if name in DRAWN}


def assert_fit_to_print(drawn):
    assert len(alt_text(drawn)) > 60
    for ax in np.atleast_1d(drawn):
        assert_legible(ax)


def assert_legible(ax):
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_fit_to_print(name):
    assert_fit_to_print(PICTURES[name](*DRAWN[name]))


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1e300])
def test_sums_are_drawn_while_they_are_wrong(value):
    assert_fit_to_print(PICTURES["accumulate"](*[lambda *_: value] * 4))


@pytest.mark.parametrize("code", [0, 1, 0x3C00, 0x7C00])
def test_rounding_is_drawn_while_it_is_wrong(code):
    for number in (0.0, math.nan, -math.inf):
        ax = PICTURES["float-anatomy"](lambda *_, number=number: number, lambda *_: code)
        assert overlapping_texts(ax) == []
        assert len(alt_text(ax)) > 60


@pytest.mark.parametrize(
    ("picture", "given", "says"),
    [
        ("master-weights", (lambda *_: None, round_stochastically), "should be two things"),
        ("master-weights", (master_step, lambda *_: None), "`round_stochastically` should be"),
        ("adam-in-half", (adam_in_16_bits, lambda *_: None, adam_step), "should return the state"),
        ("adam-in-half", (adam_in_16_bits, begin, lambda *_: None), "`adam_step` should be"),
    ],
)
def test_what_is_unfinished_is_told_in_place_of_a_picture(picture, given, says):
    with pytest.raises(AnswerError, match=says):
        PICTURES[picture](*given)


def test_the_weight_is_drawn_where_it_goes():
    ax = PICTURES["master-weights"](*RIGHT["master-weights"])
    plain, master, chance, wanted = (line.get_ydata() for line in ax.lines)
    assert set(plain) == {1.0}
    assert np.abs(np.subtract(master, wanted)).max() < BF16.epsilon
    assert np.abs(np.subtract(chance, wanted)).max() < 0.25


def test_adam_is_drawn_while_nothing_moves():
    ax = PICTURES["adam-in-half"](
        adam_in_16_bits, lambda w: w, lambda w, gradient, lr: w * math.nan
    )
    assert_fit_to_print(ax)
