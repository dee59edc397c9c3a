"""train-digits: train a model on labels that are partly wrong, as well as the reference runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from gpuedu.exercises.training.properties import reaches_band, unless
from gpuedu.experiments import read_results

TASKS, BUDGET = 3, 600
_MARGIN = 0.25
"""Of the band's width, below it: what another machine's rounding and three seeds leave open."""
_CHANCE = 0.1
_SOMETHING = 0.5


@cache
def band() -> Band:
    """The accuracies of the reference runs."""
    return Band.of(read_results("reference-digits").values["accuracies"])


def learned_by_heart() -> float:
    """The accuracy in percent of a network that was trained for long, as the experiment has it."""
    return round(100 * median(read_results("reference-digits").values["plain"]["accuracies"]))


def cases(rng: np.random.Generator) -> list[Case]:
    """Three tasks: other samples, other labels, turned and with another contrast."""
    tasks = [int(seed) for seed in rng.integers(10**5, 10**9, TASKS)]
    return [Case(f"{TASKS} sets of digits", {"tasks": tasks})]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Something learned in each task; the steps against the budget."""
    learns_nothing = _learns_nothing(case, observed)
    if learns_nothing:
        yield Fault("learns", learns_nothing)
    most, least = max(observed["steps"]), min(observed["steps"])
    if most > BUDGET:
        yield Fault("budget", f"{most} steps were taken; {BUDGET} are allowed")
    elif least == 0:
        message = f"no optimizer of `torch.optim` took a step; 1 to {BUDGET} are asked for"
        yield Fault("budget", message)
    given = ", ".join(f"{one:.0%}" for one in observed["learned"])
    yield Finding(
        Level.NOTE,
        f"right on held-out digits: {_told(observed['accuracies'])}. Equal to the labels that it "
        f"was given, wrong ones with them: {given}.",
    )


def _learns_nothing(_: Case, observed: Plain) -> str:
    """What is told where one of the models does not do better than guessing; else nothing."""
    if min(observed["accuracies"]) >= _SOMETHING:
        return ""
    scores = "" if observed["finite"] else "; some scores are not finite numbers"
    told = _told(observed["accuracies"])
    wanted = f"guessing gives {_CHANCE:.0%}, and {_SOMETHING:.0%} is the minimum here"
    return f"right on held-out digits: {told}; for comparison, {wanted}{scores}"


def _told(accuracies: Sequence[float]) -> str:
    return ", ".join(f"{one:.1%}" for one in accuracies)


_REACHES = reaches_band(
    "band",
    "the middle one of three accuracies reaches the reference runs",
    3,
    "accuracies",
    band,
    margin=_MARGIN,
    tell=lambda accuracies, band: (
        f"right on held-out digits: {_told(accuracies)}; the {band.runs} reference runs "
        f"have {band.lowest:.1%} to {band.highest:.1%}"
    ),
    asks="What share of its training labels does your model repeat (see the note)? 3 in 10 of "
    "those were drawn at random. Has it learned too little, or too much?",
)

JUDGE = Judge(
    title="Learn the digits, not the labels",
    properties=(
        Property(
            "learns",
            "it does better than guessing, each time",
            1,
            asks="Draw your run with `see`. Which of the two losses falls, and is that the model "
            "you return?",
        ),
        unless(_REACHES, _learns_nothing),
        Property(
            "budget",
            f"1 to {BUDGET} steps of an optimizer",
            1,
            asks="Steps are counted where `step()` is called on an optimizer of `torch.optim`, "
            "those of several together. How often does your function do that?",
        ),
    ),
    hints=(
        "Draw your run with `see` first. Where does the loss on held-out digits start to rise? You "
        "may set some of the 480 aside yourself, and watch those.",
        "One hidden layer is enough. Subtract the mean of the images and divide by their spread; "
        "if the model is to see the held-out images in the same way, that is part of the model. "
        "`training.MLP` takes `dropout=`.",
        "`training.MLP(64, 10, dropout=0.5)`, `torch.optim.AdamW(..., lr=3e-3)`, 150 steps with "
        "batches of 128 drawn by `torch.randint`. Label smoothing (a parameter of "
        "`cross_entropy`) helps a little more.",
    ),
    results=("learns",),
    apart=("band",),
    cases=cases,
    verdict=verdict,
    predictions={
        "train-digits": Prediction(
            "After 600 steps without any remedy, what percentage of the held-out digits does the "
            "network get right?",
            truth=learned_by_heart(),
            unit="%",
            because="It has memorized most of the wrong labels, and that bends what it does in "
            "between. This is the median of 20 runs, computed once.",
        )
    },
    seeds=3,
    varies=("accuracies", "learned"),
)
