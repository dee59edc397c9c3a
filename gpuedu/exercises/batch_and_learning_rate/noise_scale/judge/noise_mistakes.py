"""Noise scales as known mistakes give them, each with what to say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, median
from typing import Any

import numpy as np

from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import (
    Terms,
    mean_terms,
    solve_terms,
)
from gpuedu.exercises.compare import Misconception

Gradient = Sequence[np.ndarray]
Steps = Sequence[dict[str, Gradient]]


def square(gradient: Gradient) -> float:
    """The square of its length: all its numbers, of all parameters, squared and added."""
    return math.fsum(float((part.astype(np.float64) ** 2).sum()) for part in gradient)


def squares(steps: Steps, measure: Callable[[Gradient], float] = square) -> list[Any]:
    """For each step, that of the gradient of few, and of many."""
    return [(measure(step["few"]), measure(step["many"])) for step in steps]


def right(steps: Steps, few: int, many: int) -> float:
    """The noise scale: a ratio of averages."""
    return mean_terms(few, many, squares(steps)).scale


def _measured(measure: Callable[[Gradient], float]) -> Callable[..., float]:
    return lambda steps, few, many: mean_terms(few, many, squares(steps, measure)).scale


def _of_steps(join: Callable[[list[Terms]], float]) -> Callable[..., float]:
    def scale(steps: Steps, few: int, many: int) -> float:
        return join([solve_terms(few, many, *pair) for pair in squares(steps)])

    return scale


def _ratios(terms: list[Terms]) -> list[float]:
    return [one.noise / one.signal for one in terms]


def _clipped(terms: list[Terms]) -> float:
    return fmean(one.noise for one in terms) / fmean(max(one.signal, 0.0) for one in terms)


def _sound(terms: list[Terms]) -> float:
    sound = [one for one in terms if one.signal > 0]
    return fmean(one.noise for one in sound) / fmean(one.signal for one in sound)


def _positive_ratios(terms: list[Terms]) -> list[float]:
    return [one.scale for one in terms if one.signal > 0]


def _medians(terms: list[Terms]) -> float:
    return median(one.noise for one in terms) / median(one.signal for one in terms)


def _of_mean_gradients(steps: Steps, few: int, many: int) -> float:
    """The scale of gradients that were averaged over all steps first."""
    means = [
        [sum(parts) / len(steps) for parts in zip(*(step[size] for step in steps), strict=True)]
        for size in ("few", "many")
    ]
    return solve_terms(few, many, *map(square, means)).scale


def _biased(steps: Steps, few: int, many: int) -> float:
    found = squares(steps)
    noise = mean_terms(few, many, found).noise
    return noise / fmean(pair[1] for pair in found)


TERMS = (
    Misconception(
        lambda few, many, few_square, many_square: solve_terms(many, few, few_square, many_square),
        "Which square is of which batch? It looks as if the sizes had changed places.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: Terms(
            many_square, solve_terms(few, many, few_square, many_square).noise
        ),
        "There the square of many is taken for the signal. It still has its own part of the noise: "
        "`noise / many`.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: Terms(
            many_square, few * (few_square - many_square)
        ),
        "There the square of many is taken for the signal. It still has its own part of the noise: "
        "`noise / many`.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: solve_terms(few, many, few_square, many_square)[
            ::-1
        ],
        "Signal first, then noise.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: Terms(
            max(0.0, solve_terms(few, many, few_square, many_square).signal),
            solve_terms(few, many, few_square, many_square).noise,
        ),
        "The signal of one step may be negative: it is an estimate. With every such one set to 0, "
        "the average comes out too high.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: Terms(
            solve_terms(few, many, few_square, many_square).signal, few_square - many_square
        ),
        "That is a difference of squares. It is the noise times `1 / few - 1 / many`.",
    ),
    Misconception(
        lambda few, many, few_square, many_square: Terms(
            solve_terms(few, many, few_square, many_square).signal,
            (few_square - many_square) / (many - few),
        ),
        "The noise is divided by the batch: the two squares differ by `noise / few - noise / "
        "many`.",
    ),
)


def _through(terms: Misconception) -> Misconception:
    """What a right `noise_scale` makes of wrong terms."""

    def scale(steps: Steps, few: int, many: int) -> float:
        found = [terms.gives(few, many, *pair) for pair in squares(steps)]
        signal, noise = (fmean(column) for column in zip(*found, strict=True))
        return noise / signal if signal > 0 else math.inf

    return Misconception(scale, "That comes of wrong terms: mend `noise_terms` first.")


BY_TERMS = tuple(map(_through, TERMS))

NORMS = (
    Misconception(
        _measured(lambda gradient: math.sqrt(square(gradient))),
        "That is with lengths. The law is about their squares.",
    ),
    Misconception(
        _measured(lambda gradient: float((gradient[0] ** 2).sum())),
        "That is with the first parameter alone. A gradient has a part for each.",
    ),
    Misconception(
        _measured(lambda gradient: float((gradient[-1] ** 2).sum())),
        "That is with the last parameter alone. A gradient has a part for each.",
    ),
    Misconception(
        _measured(lambda gradient: sum(float((part**2).mean()) for part in gradient)),
        "That is with the mean square of each parameter. So a bias counts as much as a large "
        "matrix: add up the squares of all numbers.",
    ),
    Misconception(
        _measured(lambda gradient: sum(math.sqrt(float((part**2).sum())) for part in gradient)),
        "That adds up the lengths of the parts. Squares add up, lengths do not.",
    ),
    Misconception(
        _measured(lambda gradient: sum(math.sqrt(float((p**2).sum())) for p in gradient) ** 2),
        "That squares the sum of the parts' lengths. Squares add up, lengths do not.",
    ),
    Misconception(
        _measured(lambda gradient: sum(float(part.sum()) for part in gradient) ** 2),
        "That squares a sum. Square each number first.",
    ),
    Misconception(
        lambda steps, few, many: 1 / right(steps, few, many), "That is signal over noise."
    ),
)

AVERAGES = (
    Misconception(
        _of_steps(lambda terms: fmean(_ratios(terms))),
        "That is the mean of each step's ratio. A single step whose signal is near 0, by chance, "
        "moves it as far as you like: average both terms first, then divide, once.",
    ),
    Misconception(
        _of_steps(lambda terms: fmean(_positive_ratios(terms))),
        "That is the mean of each step's ratio, without the steps whose signal is negative. "
        "Average both terms over *all* steps first, then divide, once.",
    ),
    Misconception(
        _of_mean_gradients,
        "There the gradients were averaged over the steps, and then squared. It is the squares, or "
        "the terms that follow from them, that have to be averaged.",
    ),
    Misconception(
        _of_steps(_medians),
        "That is with medians. The law holds for averages: a median leaves out just those steps "
        "that make up for the others.",
    ),
    Misconception(
        _of_steps(_clipped),
        "There negative signals were set to 0. They are as much chance as those that are too "
        "high, and they make up for each other.",
    ),
    Misconception(
        _of_steps(_sound),
        "There steps with a negative signal were left out: what is left is too high on average.",
    ),
    Misconception(
        _of_steps(lambda terms: fmean(one.noise for one in terms) / terms[-1].signal),
        "Which signal did you divide by: the last step's, or the average?",
    ),
    Misconception(_of_steps(lambda terms: _ratios(terms)[-1]), "That is the last step alone."),
    Misconception(_of_steps(lambda terms: _ratios(terms)[0]), "That is the first step alone."),
    Misconception(
        _of_steps(lambda terms: median(_ratios(terms))),
        "That is the median of each step's ratio. A ratio of two averages is wanted.",
    ),
    Misconception(
        _of_steps(lambda terms: median(one.scale for one in terms)),
        "That is the median of each step's ratio. A ratio of two averages is wanted.",
    ),
    Misconception(
        _of_steps(lambda terms: sum(one.noise for one in terms) / fmean(t.signal for t in terms)),
        "One of the two is a sum over the steps, the other an average.",
    ),
    Misconception(
        _biased,
        "There the square of many is taken for the signal. It still has its own part of the noise: "
        "`noise / many`.",
    ),
    Misconception(
        lambda steps, few, many: right(steps, many, few),
        "Which square is of which batch? It looks as if the sizes had changed places.",
    ),
)
