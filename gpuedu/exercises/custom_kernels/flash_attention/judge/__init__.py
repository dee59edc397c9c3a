"""flash-attention: one head, forward, with no scores in memory."""

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
from gpuedu.exercises.kernels.program_properties import (
    at_element,
    in_bounds,
    loads_at_most,
    masked_apart,
    no_float64,
    once_right,
    own_elements,
    unless_few_stored,
)
from gpuedu.exercises.kernels.properties import right_values

_TOLERANCE = 4e-3
"""Absolute, of results around 1: float16 of the powers, and of what is stored."""
_MANY = 1_025
"""The scores of 1,024 queries and so many keys are no block of Triton's: it has 2**20 elements at
most, and its sides are powers of 2."""
_COSTS = ("inside", "masked", "once", "own", "float32")


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole and ragged numbers of tokens, with and without a future, scales that no width tells."""
    scales = [round(float(one), 3) for one in rng.uniform(0.3, 0.45, size=4)]
    return [
        _case(rng, 64, 16, 16, ("right", "once", "own")),
        _case(rng, 50, 16, 32, ("right", *_COSTS), scale=scales[0]),
        _case(rng, 40, 32, 16, ("right", *_COSTS)),
        _case(rng, 33, 16, 16, ("right",), scale=scales[1], width=32),
        _case(rng, 64, 16, 16, ("causal", "future"), is_causal=True),
        _case(rng, 70, 32, 16, ("causal", "future"), is_causal=True, scale=scales[2]),
        _case(rng, 50, 16, 32, ("causal",), is_causal=True, scale=scales[3], width=32),
        _case(rng, 48, 16, 16, ("safe",), scale=60.0),
        _case(rng, 40, 16, 16, ("safe",), scale=60.0, is_causal=True),
        _low(rng),
        _case(rng, _MANY, 1024, 64, ("right",)),
        _case(rng, _MANY, 1024, 64, ("causal",), is_causal=True),
    ]


def _case(
    rng: np.random.Generator,
    n: int,
    block_m: int,
    block_n: int,
    decides: tuple[str, ...],
    *,
    scale: float = 0.25,
    width: int = 16,
    is_causal: bool = False,
) -> Case:
    q, k, v = (rng.normal(size=(n, width)).astype(np.float16) for _ in range(3))
    inputs = {"q": q, "k": k, "v": v, "o": np.full((n, width), np.nan, np.float16)}
    inputs |= {"n": n, "scale": scale, "D": width, "BM": block_m, "BN": block_n}
    inputs |= {"CAUSAL": is_causal, "grid": -(-n // block_m), "threads": 128}
    blocks = f"blocks of {block_m} queries and {block_n} keys"
    label = f"{n} tokens, {blocks}{', causal' if is_causal else ''}, scale {scale:g}"
    return Case(label, inputs, decides)


def _low(rng: np.random.Generator) -> Case:
    """All scores are far below 0."""
    case = _case(rng, 40, 16, 16, ("safe",), scale=60.0, is_causal=True)
    given = case.inputs
    given = {**given, "q": np.abs(given["q"]), "k": -np.abs(given["k"])}
    return Case(f"{case.label}, all scores far below 0", given, case.decides)


def attention(inputs: Inputs) -> np.ndarray:
    """The right result in float64."""
    q, k, v = (inputs[one].astype(np.float64) for one in "qkv")
    scores = q @ k.T * inputs["scale"]
    if inputs["CAUSAL"]:
        scores = np.where(np.tri(len(q), dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers @ v / powers.sum(axis=1, keepdims=True)


def _values(name: str, says: str, points: float, asks: str) -> Property:
    values = right_values(
        name,
        says,
        points,
        attention,
        output="o",
        tolerance=_TOLERANCE,
        leaves=("q", "k", "v") if name == "right" else (),
        asks=asks,
    )
    return values if name == "right" else replace(values, after=("right",))


def _no_future(points: float) -> Property:
    """No program loads a block of keys that are all later than its queries."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        given = case.inputs
        by_key = observed["k.reads"].reshape(-1, given["n"], given["D"]).sum(axis=2)
        for program, times in enumerate(by_key):
            last = min(given["n"], (program + 1) * given["BM"]) - 1
            end = (last // given["BN"] + 1) * given["BN"]
            late = np.flatnonzero(times[end:])
            if late.size:
                key = at_element(given["k"], int((end + late[0]) * given["D"]))
                yield Fault(
                    "future",
                    f"program {program} has queries {program * given['BM']} to {last}, and "
                    f"loaded `k[{key}]`, which is in a block that none of them may see",
                )
                return

    return Property(
        "future",
        "with `CAUSAL`, no program loads a block of keys that are all later than its queries",
        points,
        "Which is the last key that the last query of this program may see?",
        unless_few_stored("future", test, "o"),
    )


JUDGE = Judge(
    title="Attention without the scores in memory",
    properties=(
        _values(
            "right",
            "without `CAUSAL`, `o` is the attention of all queries to all keys",
            2,
            "Follow one query: which keys take part, and what happens to its sum when a block "
            "with a larger score comes?",
        ),
        _values(
            "causal",
            "with `CAUSAL`, each query sees only itself and earlier keys",
            2,
            "Which scores does query 0 keep, and which query 15? What is a score that does not "
            "count?",
        ),
        _values(
            "safe",
            "it is right for scores of several hundred, too",
            1,
            "Relative to which number are the powers of that query, and how large can one get?",
        ),
        *once_right(
            in_bounds(1, output="o"),
            masked_apart(1, output="o"),
            loads_at_most(
                "once",
                "no program loads an element of `q`, `k` or `v` twice",
                1,
                1,
                ("q", "k", "v"),
                each_program=True,
                output="o",
                asks="Which of these elements are the same in every iteration of the loop?",
            ),
            _no_future(1),
            no_float64(0.5, output="o"),
            own_elements(0.5, output="o"),
            after=("right", "causal"),
        ),
    ),
    hints=(
        "A program has BM queries, and a state for each of them: `largest` and `total` of "
        "shape (BM,), `weighted` of shape (BM, D). A loop brings BN keys and values "
        "at a time, and updates the state as in `online-softmax`, with axis 1 for the keys.",
        "In the loop of `attention`: load keys and values, `scores = tl.dot(queries, "
        "tl.trans(keys)) * scale`, and let `tl.where` set those to -inf that do not count: keys "
        "from n on, and with `CAUSAL` later ones. The loop ends at n, or with `CAUSAL` at "
        "`(tl.program_id(0) + 1) * BM` if that is less.",
        "In `step`: `new = tl.maximum(largest, tl.max(scores, axis=1))`, `shrink = tl.exp(largest "
        "- new)`, `powers = tl.exp(scores - new[:, None])`. Then `total * shrink + tl.sum(powers, "
        "axis=1)`, and `weighted * shrink[:, None] + tl.dot(powers.to(values.dtype), values)`.",
    ),
    cases=cases,
    predictions={
        "flash-attention": Prediction(
            "How many bytes does the matrix of scores of one head need, for 8,192 tokens in "
            "float16?",
            truth=134_217_728,
            unit="bytes",
            because="8,192 x 8,192 scores of 2 bytes, and the chain moves that four times. q, k, v "
            "and the result have 4 MiB together, with 64 numbers for each token.",
        ),
    },
)
