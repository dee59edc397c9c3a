"""flash-backward: the gradients of keys and values of one head, with no weights in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.custom_kernels.flash_backward.play import READ
from gpuedu.exercises.kernels.program_properties import (
    at_element,
    in_bounds,
    loads_at_most,
    masked_apart,
    no_float64,
    once_right,
    unless_few_stored,
)
from gpuedu.exercises.kernels.properties import right_values

_TOLERANCE = 0.01
"""Absolute, of gradients around 1: float16 of the weights, of their slopes, and of results."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole and ragged numbers of tokens, blocks of two sizes, and a scale that no width tells."""
    both, all_loads = ("values", "keys"), ("once", "early")
    costs = (*all_loads, "inside", "masked", "float32")
    scales = [round(float(one), 3) for one in rng.uniform(0.3, 0.45, size=2)]
    return [
        _case(rng, 48, 16, 16, (*both, *all_loads)),
        _case(rng, 50, 16, 32, (*both, *costs)),
        _case(rng, 50, 32, 16, (*both, *costs), scale=scales[0]),
        _case(rng, 33, 16, 16, both, scale=scales[1], width=32),
        _case(rng, 42, 16, 16, ("safe",), large=160.0),
        _case(rng, 64, 32, 32, ("safe", *all_loads), large=160.0),
    ]


def _case(
    rng: np.random.Generator,
    n: int,
    block_m: int,
    block_n: int,
    decides: tuple[str, ...],
    *,
    large: float = 1.0,
    scale: float = 0.25,
    width: int = 16,
) -> Case:
    """``large`` is by how much keys are larger, and so scores."""
    q, v, grad = (rng.normal(size=(n, width)).astype(np.float16) for _ in range(3))
    k = rng.normal(size=(n, width), scale=large).astype(np.float16)
    weights, lse = _weights(q, k, scale)
    inputs = {"q": q, "k": k, "v": v, "out": (weights @ v.astype(float)).astype(np.float16)}
    inputs |= {"grad": grad, "lse": lse.astype(np.float32)}
    inputs |= {one: np.full((n, width), np.nan, np.float16) for one in ("dk", "dv")}
    inputs |= {"n": n, "scale": scale, "D": width, "BM": block_m, "BN": block_n}
    inputs |= {"grid": -(-n // block_n), "threads": 128}
    label = f"{n} tokens, blocks of {block_m} queries and {block_n} keys, scale {scale:g}"
    return Case(label + ", large scores" * (large > 1), inputs, decides)


def _weights(q: np.ndarray, k: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Of all queries and keys in float64, and the logarithm of each query's sum."""
    scores = q.astype(float) @ k.astype(float).T * scale
    scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    largest = scores.max(axis=1, keepdims=True)
    powers = np.exp(scores - largest)
    total = powers.sum(axis=1, keepdims=True)
    return powers / total, (largest + np.log(total))[:, 0]


def gradient_of_values(inputs: Inputs) -> np.ndarray:
    """Weights turned around, times the gradients."""
    weights, _ = _weights(inputs["q"], inputs["k"], inputs["scale"])
    return weights.T @ inputs["grad"].astype(float)


def gradient_of_keys(inputs: Inputs) -> np.ndarray:
    """By the derivative of each query's softmax, a matrix, without `out`."""
    q, v, grad = (inputs[one].astype(float) for one in ("q", "v", "grad"))
    weights, _ = _weights(inputs["q"], inputs["k"], inputs["scale"])
    slopes = [
        (np.diag(row) - np.outer(row, row)) @ (v @ given)
        for row, given in zip(weights, grad, strict=True)
    ]
    return inputs["scale"] * np.array(slopes).T @ q


_TRUTHS = {"dv": gradient_of_values, "dk": gradient_of_keys}


def _values(name: str, says: str, points: float, output: str, asks: str) -> Property:
    return right_values(
        name, says, points, _TRUTHS[output], output=output, tolerance=_TOLERANCE, asks=asks
    )


def _safe(points: float) -> Property:
    """Both gradients, where scores are large."""
    asks = "How large is `exp` of that query's scores, and how large is it relative to all of them?"
    both = [_values("safe", "", points, one, asks) for one in ("dv", "dk")]

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        for one in both:
            faults = list(one.test(case, observed)) if one.test else []
            yield from faults
            if faults:
                return

    says = "both are right for scores of several hundred, too"
    return replace(both[0], says=says, test=test, after=("values", "keys"))


def _early(points: float) -> Property:
    """No block of queries that see no key of the program."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        given = case.inputs
        by_query = observed["grad.reads"].reshape(-1, given["n"], given["D"]).sum(axis=2)
        for program, times in enumerate(by_query):
            first = program * given["BN"] // given["BM"] * given["BM"]
            early = np.flatnonzero(times[:first])
            if early.size:
                query = at_element(given["grad"], int(early[0] * given["D"]))
                yield Fault(
                    "early",
                    f"program {program} has keys from {program * given['BN']} on, and loaded "
                    f"`grad[{query}]`, which is in a block of queries that see none of them",
                )
                return

    return Property(
        "early",
        "no program loads a block of queries that are all earlier than its keys",
        points,
        "Which is the first query that sees the first key of this program?",
        unless_few_stored("early", test, "dv"),
    )


JUDGE = Judge(
    title="The backward pass, block by block",
    properties=(
        replace(
            right_values(
                "values",
                "",
                1,
                gradient_of_values,
                output="dv",
                tolerance=_TOLERANCE,
                leaves=READ,
                asks="Follow one key: which queries look at it, with which weight, and what comes "
                "back from each of them?",
            ),
            says="`dv` is the gradient of the values, and the given arrays are left as they are",
        ),
        _values(
            "keys",
            "`dk` is the gradient of the keys",
            1,
            "dk",
            "Follow one weight back to its score, and the score back to its key. What does each of "
            "the two steps multiply?",
        ),
        _safe(0.5),
        *once_right(
            loads_at_most(
                "once",
                "no program loads an element twice, and `dk` and `dv` are stored once",
                0.5,
                1,
                ("k", "v", "q", "out", "grad", "lse"),
                each_program=True,
                stored_once=("dk", "dv"),
                output="dv",
                asks="Which of these could the program keep from one iteration of the loop to the "
                "next?",
            ),
            _early(0.25),
            in_bounds(0.25, output="dv"),
            masked_apart(0.25, output="dv"),
            no_float64(0.25, output="dv"),
            after=("values", "keys"),
        ),
    ),
    hints=(
        "A program has BN keys and values, and two sums of shape (BN, D). A loop brings BM queries "
        "at a time, with their `out`, `grad` and `lse`, and adds what these contribute to both.",
        "`contributions` is the formula for BM queries and BN keys: `weights = tl.exp(tl.dot("
        "queries, tl.trans(keys)) * scale - sums[:, None])`, 0 where it does not count. The loop "
        "starts at the block that has query `tl.program_id(0) * BN`, at a multiple of BM.",
        "`delta = tl.sum(grads.to(tl.float32) * results.to(tl.float32), axis=1)`, `slopes = "
        "weights * (tl.dot(grads, tl.trans(values)) - delta[:, None])`; then "
        "`tl.dot(tl.trans(weights.to(tl.float16)), grads)`, and the same for `slopes` and "
        "`queries`, times `scale`.",
    ),
    cases=cases,
    predictions={
        "flash-backward": Prediction(
            "The forward pass has two products. How many does the backward pass have, if it "
            "recomputes the scores?",
            truth=5,
            exact=True,
            because="The scores, `grad @ v.T`, and one for each of dv, dk and dq. So the backward "
            "pass has 2.5 times the arithmetic of the forward pass, and one of the five is there "
            "only because nobody kept the scores.",
        ),
    },
)
