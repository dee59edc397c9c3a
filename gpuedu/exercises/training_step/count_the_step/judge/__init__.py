"""count-the-step: what one training step computes, product by product."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import arguments_of, right_result
from gpuedu.exercises.training_step.count_the_step.judge import step_work
from gpuedu.exercises.training_step.count_the_step.rule_of_six import used_weights

_SLIP = 8
"""How many times as large or small as the right one a count is that may be a slip."""
_GPT = ("samples", "length", "width", "layers", "vocabulary")
CALLS = {
    prop: f"{prop.replace('-', '_')}_flop"
    for prop in ("norm", "attention", "gpt", "gpt-step", "mlp-step")
}
"""The function that each property is about."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Sizes of which no two are alike; one layer and several; counts of a real model."""

    def sizes() -> tuple[int, int, int, int, int]:
        heads = int(rng.integers(2, 9))
        samples, layers = int(rng.integers(2, 20)), int(rng.integers(2, 12))
        return (
            samples,
            int(rng.integers(20, 300)),
            16 * heads + 8,
            layers,
            int(rng.integers(50, 999)),
        )

    drawn = [_case("norm", sizes()[:3]), _case("attention", sizes()[:3])]
    drawn += [_case("norm", (64, 8_192, 4_096)), _case("attention", (64, 8_192, 4_096))]
    drawn += [_case("attention", (1, 1, 8)), _case("attention", (3, 2048, 64))]
    drawn += [_case("gpt", sizes()), _case("gpt", (2, 16, 32, 1, 97))]
    drawn += [_case("gpt-step", sizes()), _case("gpt-step", (2, 16, 32, 1, 97))]
    widths = [int(width) for width in rng.permutation(np.arange(10, 200))[:4]]
    return [
        *drawn,
        _mlp(int(rng.integers(2, 99)), widths),
        _mlp(7, widths[:2]),
        _mlp(4_096, [784, 4_096, 10]),
    ]


def _case(prop: str, sizes: tuple[int, ...]) -> Case:
    named = dict(zip(_GPT, sizes, strict=False))
    label = ", ".join(f"{name} {size}" for name, size in named.items())
    return Case(label, {"call": CALLS[prop], **named}, (prop,))


def _mlp(samples: int, widths: list[int]) -> Case:
    inputs = {"call": CALLS["mlp-step"], "samples": samples, "widths": widths}
    return Case(f"widths {widths}", inputs, ("mlp-step",))


def _counts(prop: str, says: str, points: float, asks: str) -> Property:
    """A count is exact, or what follows from the learner's own count of a part.

    One mistake loses one property: ``own`` is the part's count, where there is one.
    """
    call = CALLS[prop]
    truth = getattr(step_work, call)
    exact = right_result(prop, says, points, {call: truth}, asks=asks, unit="FLOP")

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        own = observed.get("own")
        is_slip = own is not None and _is_a_slip(case, own)
        if not (is_slip and observed["result"] == _follows(case, own)):
            yield from exact.test(case, observed)

    return replace(exact, test=test)


def _is_a_slip(case: Case, own: float) -> bool:
    """Whether the learner's own count of a part is right but for a factor, and not made up."""
    sizes = arguments_of(case)
    if case.decides == ("gpt-step",):
        true = step_work.gpt_flop(**sizes)
    else:
        true = step_work.attention_flop(**{name: sizes[name] for name in _GPT[:3]})
    return true / _SLIP <= own <= true * _SLIP


def _follows(case: Case, own: float) -> float:
    """The count of a model or of its step, from another one of attention or of the model."""
    sizes = arguments_of(case)
    if case.decides == ("gpt-step",):
        return 3 * own
    part = {name: sizes[name] for name in _GPT[:3]}
    difference = own - step_work.attention_flop(**part)
    return step_work.gpt_flop(**sizes) + sizes["layers"] * difference


_LONG = (8, 1024, 64, 12, 97)
_BLOCK = (1, 512, 512)


def times_the_rule() -> float:
    """A step's FLOP over 6 N D, for 1,024 characters at a time."""
    samples, length, width, layers, vocabulary = _LONG
    rule = 6 * used_weights(width, layers, vocabulary) * samples * length
    return step_work.gpt_step_flop(*_LONG) / rule


def norm_percent() -> float:
    """Two layer norms' share of a block of width 512, for 512 positions, in percent."""
    norms = 2 * step_work.norm_flop(*_BLOCK)
    return 100 * norms / (norms + step_work.gpt_flop(*_BLOCK, layers=1, vocabulary=0))


JUDGE = Judge(
    title="How much does one step compute?",
    properties=(
        _counts(
            "norm",
            "`norm_flop`: a layer norm",
            1,
            "Go through the lines of a layer norm. What is done for every number, and what only "
            "once per row?",
        ),
        _counts(
            "attention",
            "`attention_flop`: products with weights, and over pairs of positions",
            2,
            "Write down each product of matrices with its three sizes. Which are there?",
        ),
        _counts(
            "gpt",
            "`gpt_flop`: the forward pass of a whole model",
            1,
            "Which products does each layer have, and which does the model have once?",
        ),
        _counts(
            "gpt-step",
            "`gpt_step_flop`: forward and backward passes",
            1,
            "Which products does the backward pass do for one product of the forward pass?",
        ),
        _counts(
            "mlp-step",
            "`mlp_step_flop`: forward and backward passes of linear layers",
            1,
            "For each layer: which of its gradients are computed, and by which products?",
        ),
    ),
    hints=(
        "Write down each product of matrices with its three sizes, (rows, inner, columns): 2 times "
        "all three. How many products does attention have? And how many does the backward pass do "
        "for each?",
        "Attention: q, k, v and out are (samples length, width, width) each. Scores are (length, "
        "width, length) for each sample, the heads together; the mix is (length, length, width). "
        "Backward: for `y = x @ w`, one product for `w`, one for `x`, each as large.",
        "`attention_flop`: `samples * length * (8 * width**2 + 4 * length * width)`. A layer adds "
        "`16 * samples * length * width**2`, the model `2 * samples * length * width * vocabulary`."
        " The MLP: three times its forward pass, minus the first layer's forward product.",
    ),
    cases=cases,
    predictions={
        "count-the-step": Prediction(
            "a GPT with 12 blocks of width 64 reads 1,024 characters at a time. How many times "
            "6 N D does its step take?",
            truth=float(f"{times_the_rule():.2g}"),
            unit="times",
            because="6 N D counts the products with weights. Those over pairs of positions have no "
            "weights, and here there are more of them: the ratio is about 1 + length / (6 width).",
        ),
        "count-the-step-norm": Prediction(
            "what percentage of a block's FLOP is in its two layer norms (width 512, 512 "
            "positions)?",
            truth=float(f"{norm_percent():.2g}"),
            unit="%",
            because="A norm does 7 FLOP per number, where the products do thousands. But it reads "
            "and "
            "writes all its numbers for that little arithmetic, so its bytes set its time.",
        ),
    },
)
