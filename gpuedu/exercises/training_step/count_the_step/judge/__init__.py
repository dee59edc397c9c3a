"""count-the-step: what one training step computes, product by product."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.training_step.count_the_step.judge import step_work as work
from gpuedu.exercises.training_step.count_the_step.rule_of_six import used_weights

_GPT = ("samples", "length", "width", "layers", "vocabulary")
_HALF = "That counts a multiply and an add as one. A product of k terms is 2 k FLOP."

_NORM = (
    Misconception(
        lambda samples, length, width: 5 * samples * length * width,
        "5 for each number: are `gamma` and `beta` in it?",
    ),
    Misconception(
        lambda samples, length, width: 6 * samples * length * width,
        "6 for each number. Go through the lines again: two sums, a difference, three products "
        "and one more sum.",
    ),
    Misconception(
        lambda samples, length, width: 8 * samples * length * width,
        "8 for each number. `rsqrt` and the divisions by `width` come once a row, not once a "
        "number.",
    ),
    *(
        Misconception(
            lambda samples, length, width, rows=rows: samples * length * (7 * width + rows),
            "Something is in it that is done once a row: the divisions by `width`, `eps`, `rsqrt`. "
            "Leave those out.",
        )
        for rows in (1, 2, 3, 4, 5)
    ),
    Misconception(
        lambda samples, length, width: 7 * samples * width, "Each position has a norm of its own."
    ),
    Misconception(
        lambda samples, length, width: 7 * length * width, "Where is the number of samples?"
    ),
)


def _parts(samples: int, length: int, width: int, weights: float, pairs: float) -> float:
    return 2 * samples * length * width * (weights * width + pairs * length)


def _with_parts(weights: float, pairs: float, says: str) -> Misconception:
    """Attention with so many products with weights, and so many over pairs of positions."""
    return Misconception(
        lambda samples, length, width: _parts(samples, length, width, weights, pairs), says
    )


_ATTENTION = (
    _with_parts(
        3,
        2,
        "One product with weights is missing: three make q, k and v. What is done with the result?",
    ),
    _with_parts(
        4,
        1,
        "One of the two products over pairs of positions is missing, or both are counted by half. "
        "The mask is laid over scores that were all computed.",
    ),
    _with_parts(
        3, 1, "A product with weights and one over pairs of positions are missing, after softmax."
    ),
    _with_parts(
        4, 0, "Those are the products with weights. Each position also meets every other one."
    ),
    _with_parts(
        0, 2, "Those are the products over pairs. Four products with weights go with them."
    ),
    _with_parts(2, 1, _HALF),
    _with_parts(
        6, 2, "That counts q, k and v twice: one product makes all three, or three make one each."
    ),
    Misconception(
        lambda samples, length, width: samples * length * (8 * width**2 + 4 * width),
        "Each position meets `length` others, so for the whole text it is `length` squared.",
    ),
    Misconception(
        lambda samples, length, width: _parts(1, samples * length, width, 4, 2),
        "That lets the positions of all samples meet each other. Each text has scores of its own.",
    ),
    Misconception(
        lambda samples, length, width: _parts(1, length, width, 4, 2),
        "Where is the number of samples?",
    ),
)


def _with_model(network: int, scores: int, says: str) -> Misconception:
    """A model whose networks and last product are so many products of width squared."""
    return Misconception(
        lambda samples, length, width, layers, vocabulary, attention: (
            layers * (attention + network * samples * length * width**2)
            + scores * samples * length * width * vocabulary
        ),
        says,
    )


_MODEL = (
    _with_model(16, 0, "The last product is missing: scores for each of `vocabulary` characters."),
    _with_model(0, 2, "Each layer also has a network of two products."),
    _with_model(8, 2, "The network of a layer goes from `width` to 4 `width`, *and back*."),
    _with_model(4, 2, "The network of a layer is 4 times as wide inside."),
    Misconception(
        lambda samples, length, width, layers, vocabulary, attention: (
            attention + 2 * samples * length * width * (8 * width + vocabulary)
        ),
        "How many layers are there?",
    ),
    Misconception(
        lambda samples, length, width, layers, vocabulary, attention: (
            layers * (attention + 2 * samples * length * width * (8 * width + vocabulary))
        ),
        "That scores the vocabulary in every layer. It is done once, behind the last.",
    ),
    *(
        Misconception(
            lambda samples, length, width, layers, vocabulary, attention, last=last: (
                layers * (attention + 16 * samples * length * width**2)
                + 2 * samples * length * width * vocabulary
                + 7 * (2 * layers + last) * samples * length * width
            ),
            "The norms are in it. From here on, products alone.",
        )
        for last in (0, 1)
    ),
)
_GPT_STEP = (
    Misconception(lambda forward: forward, "That is the forward. What does backward cost?"),
    Misconception(
        lambda forward: 2 * forward,
        "That gives backward one product for each of the forward. It needs two: for the gradient "
        "of the weights and for that of the inputs.",
    ),
    Misconception(lambda forward: 4 * forward, "One forward and two for backward: three."),
)
_MLP_STEP = (
    Misconception(
        lambda samples, widths: 3 * work.mlp_flop(samples, widths),
        "That is three times the forward. The first layer's inputs are images: who needs *their* "
        "gradient?",
    ),
    Misconception(
        lambda samples, widths: work.mlp_flop(samples, widths),
        "That is the forward. What does backward cost?",
    ),
    Misconception(
        lambda samples, widths: 2 * work.mlp_flop(samples, widths),
        "That gives backward one product a layer. All but the first need two.",
    ),
    Misconception(
        lambda samples, widths: (
            3 * work.mlp_flop(samples, widths[1:]) + work.mlp_flop(samples, widths[:2])
        ),
        "The first layer needs no gradient of its inputs, but one of its weights.",
    ),
    Misconception(
        lambda samples, widths: (
            3 * work.mlp_flop(samples, widths) - work.mlp_flop(samples, widths[-2:])
        ),
        "That leaves out a product of the last layer. Which layer's inputs are not computed from "
        "any weight?",
    ),
    Misconception(lambda samples, widths: work.mlp_step_flop(samples, widths) // 2, _HALF),
    Misconception(
        lambda samples, widths: work.mlp_step_flop(samples, widths) + samples * sum(widths[1:]),
        "The biases are in it. Products alone.",
    ),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Sizes of which no two are alike; one layer and several."""

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
    drawn += [_case("attention", (1, 1, 8)), _case("attention", (3, 2048, 64))]
    drawn += [_case("gpt", sizes()), _case("gpt", (2, 16, 32, 1, 97))]
    drawn += [_case("gpt-step", sizes()), _case("gpt-step", (2, 16, 32, 1, 97))]
    widths = [int(width) for width in rng.permutation(np.arange(10, 200))[:4]]
    return [*drawn, _mlp(int(rng.integers(2, 99)), widths), _mlp(7, widths[:2])]


def _case(ask: str, sizes: tuple[int, ...]) -> Case:
    label = ", ".join(f"{name} {size}" for name, size in zip(_GPT, sizes, strict=False))
    return Case(label, {"ask": ask, "sizes": sizes}, (ask,))


def _mlp(samples: int, widths: list[int]) -> Case:
    return Case(f"widths {widths}", {"ask": "mlp-step", "sizes": (samples, widths)}, ("mlp-step",))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The exact count, or the one that follows from the learner's own count of a part."""
    ask, sizes, got = case.inputs["ask"], case.inputs["sizes"], observed["got"]
    named = dict(zip(_GPT, sizes, strict=False))
    if ask == "norm":
        facts, known, truth = named, _NORM, work.norm_flop(*sizes)
    elif ask == "attention":
        facts, known, truth = named, _ATTENTION, work.attention_flop(*sizes)
    elif ask == "gpt":
        own = _usable(observed["own"])
        attention = work.attention_flop(*sizes[:3])
        truth = work.gpt_flop(*sizes)
        if own and got == truth + named["layers"] * (own - attention):
            return
        facts, known = named | {"attention": own or attention}, _MODEL
    elif ask == "gpt-step":
        own, truth = _usable(observed["own"]), work.gpt_step_flop(*sizes)
        if own and got == 3 * own:
            return
        facts, known = {"forward": own or work.gpt_flop(*sizes)}, _GPT_STEP
    else:
        facts = {"samples": sizes[0], "widths": sizes[1]}
        known, truth = _MLP_STEP, work.mlp_step_flop(*sizes)
    call = f"{ask.replace('-', '_')}_flop({', '.join(map(str, sizes))})"
    cause = likely_cause(got, known, facts)
    yield from number_fault(ask, call, got, truth, unit="FLOP", cause=cause)


def _usable(own: float | None) -> float:
    """A count of the learner's that another can follow from; 0 where there is none."""
    return own if own and math.isfinite(own) else 0


_LONG = (8, 1024, 64, 12, 97)
_BLOCK = (1, 512, 512)


def times_the_rule() -> float:
    """A step's FLOP over 6 N D, for 1,024 characters at a time."""
    samples, length, width, layers, vocabulary = _LONG
    rule = 6 * used_weights(width, layers, vocabulary) * samples * length
    return work.gpt_step_flop(*_LONG) / rule


def norm_percent() -> float:
    """Two layer norms' share of a block of width 512, for 512 positions, in percent."""
    norms = 2 * work.norm_flop(*_BLOCK)
    return 100 * norms / (norms + work.gpt_flop(*_BLOCK, layers=1, vocabulary=0))


JUDGE = Judge(
    title="How much does one step compute?",
    properties=(
        Property("norm", "`norm_flop`: a layer norm", 1),
        Property("attention", "`attention_flop`: products with weights and over pairs", 2),
        Property("gpt", "`gpt_flop`: the forward of a whole model", 1),
        Property("gpt-step", "`gpt_step_flop`: forward and backward", 1),
        Property("mlp-step", "`mlp_step_flop`: forward and backward of linear layers", 1),
    ),
    hints=(
        "Write down each product of matrices with its three sizes, (rows, inner, columns): 2 times "
        "all three. How many products does attention have? And how many does backward make of one?",
        "Attention: q, k, v and out are (samples length, width, width) each. Scores are (length, "
        "width, length) for each sample, the heads together; the mix is (length, length, width). "
        "Backward: for `y = x @ w`, one product for `w`, one for `x`, each as large.",
        "`attention_flop`: `samples * length * (8 * width**2 + 4 * length * width)`. A layer adds "
        "`16 * samples * length * width**2`, the model `2 * samples * length * width * vocabulary`."
        " The MLP: three times its forward, less once the forward of the first layer.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "count-the-step": Prediction(
            "a GPT of 12 layers of width 64 reads 1,024 characters at a time: how many times 6 N D "
            "is its step?",
            truth=float(f"{times_the_rule():.2g}"),
            unit="times",
            because="6 N D counts the products with weights. Those over pairs of positions have no "
            "weights, and here they are more: about 1 + length / (6 width) times.",
        ),
        "count-the-step-norm": Prediction(
            "what share of a block's FLOP have its two layer norms (width 512, 512 positions)?",
            truth=float(f"{norm_percent():.2g}"),
            unit="%",
            because="7 FLOP a number, where the products do thousands. But each norm reads and "
            "writes all its numbers for that little arithmetic: it takes time by its bytes.",
        ),
    },
)
