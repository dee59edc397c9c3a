"""train-digits: train a model on labels that are partly wrong, as well as the reference runs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from statistics import median

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.training.bands import Band
from gpuedu.experiments import read_results

TASKS, BUDGET = 3, 600
_MARGIN = 0.25
"""Of the band's width, below it: what another machine's rounding and three seeds leave open."""
_CHANCE = 0.1
_SOMETHING, _NEARLY = 0.5, 0.8
_BY_HEART = 0.8
"""Of the labels that were given; 7 in 10 are right, and some of the others by chance."""


@cache
def band() -> Band:
    """The accuracies of the reference runs."""
    return Band.of(read_results("reference-digits").values["accuracies"])


def learnt_by_heart() -> float:
    """The accuracy in percent of a network that was trained for long, as the experiment has it."""
    return round(100 * median(read_results("reference-digits").values["plain"]["accuracies"]))


def cases(rng: np.random.Generator) -> list[Case]:
    """Three tasks: other samples, other labels, turned and with another contrast."""
    tasks = [int(seed) for seed in rng.integers(10**5, 10**9, TASKS)]
    return [Case(f"{TASKS} sets of digits", {"tasks": tasks})]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """The middle one of the accuracies against the band; the steps against the budget."""
    accuracies, learnt = observed["accuracies"], observed["learnt"]
    told = ", ".join(f"{one:.1%}" for one in accuracies)
    if min(accuracies) < _SOMETHING:
        yield Fault(
            "learns",
            f"of the held-out digits {told} are right; guessing gives {_CHANCE:.0%}",
            _why_not_learnt(min(learnt), observed["steps"], finite=observed["finite"]),
        )
    if not band().reaches(accuracies, _MARGIN):
        yield Fault(
            "band",
            f"of the held-out digits {told} are right; the {band().runs} reference runs have "
            f"{band().lowest:.1%} to {band().highest:.1%}",
            "" if min(accuracies) < _SOMETHING else _why_below(median(accuracies), median(learnt)),
        )
    most = max(observed["steps"])
    if most > BUDGET:
        yield Fault(
            "budget",
            f"your optimizer took {most} steps; {BUDGET} are allowed",
            "More steps do not help here. What do the last ones learn?",
        )
    elif min(observed["steps"]) == 0:
        yield Fault(
            "budget",
            f"no optimizer of `torch.optim` took a step; 1 to {BUDGET} are asked for",
            "Steps are counted there. Is `step()` called, and on an optimizer of `torch.optim`?",
        )
    yield Finding(
        Level.NOTE,
        f"right on held-out digits: {told}. Equal to the labels that it was given, wrong ones with "
        f"them: {', '.join(f'{one:.0%}' for one in learnt)}.",
    )


def _why_not_learnt(learnt: float, steps: list[int], *, finite: bool) -> str:
    if not finite:
        return "Its scores are not finite numbers: the run diverged. A smaller rate?"
    if max(steps) == 0:
        return "Was anything trained?"
    if learnt > _SOMETHING:
        return "It knows the digits that it was trained on, and no others."
    return (
        "It has not even learned the digits that it was given: too few steps, a rate too small or "
        "too large, gradients that are never set to zero, or a softmax before the loss, which "
        "takes scores?"
    )


def _why_below(accuracy: float, learnt: float) -> str:
    if learnt > _BY_HEART:
        return (
            f"It repeats {learnt:.0%} of the labels that it was given, and 3 in 10 of those were "
            "drawn at random: it knows wrong ones by heart. Fewer steps, a smaller network, "
            "dropout, weight decay: what keeps it from that?"
        )
    if accuracy > _NEARLY:
        return "Nearly. Look at both losses in the picture: which of them is still falling?"
    return "It has not learned enough: see the loss on the training digits in the picture."


JUDGE = Judge(
    title="Learn the digits, not the labels",
    properties=(
        Property("learns", "it does better than guessing, each time", 1),
        Property("band", "the middle one of three runs reaches the reference runs", 3),
        Property("budget", f"1 to {BUDGET} steps of an optimizer", 1),
    ),
    hints=(
        "Draw your run with `see` first. Where does the loss on held-out digits begin to rise? You "
        "may keep some of the 480 apart yourself, and look at these.",
        "One hidden layer is enough. Subtract the mean of the images and divide by their spread; "
        "if the model is to see the held-out images in the same way, that is part of the model. "
        "`training.MLP` takes `dropout=`.",
        "`training.MLP(64, 10, dropout=0.5)`, `torch.optim.AdamW(..., lr=3e-3)`, 150 steps with "
        "batches of 128 drawn by `torch.randint`. Label smoothing (a parameter of "
        "`cross_entropy`) helps a little more.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "train-digits": Prediction(
            "After 600 steps with nothing against it: what percentage of the held-out digits does "
            "the network get right?",
            truth=learnt_by_heart(),
            unit="%",
            because="It has learned most of the wrong labels by heart, and what it does between "
            "them is bent by that. The median of 20 runs, computed once.",
        )
    },
    seeds=3,
    varies=("accuracies",),
)
