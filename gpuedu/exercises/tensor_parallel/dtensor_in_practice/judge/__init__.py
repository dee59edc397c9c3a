"""dtensor-in-practice: plans for ``parallelize_module``, and the rules that they rest on."""

from __future__ import annotations

from itertools import product as product_of

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction, Property
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.judge.dtensor_tests import (
    few_messages,
    right_plan,
)
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.judge.propagation import (
    collective,
    product,
)
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import (
    COLUMNS,
    PARTIAL,
    REPLICATE,
    ROWS,
)

_PLACEMENTS = (PARTIAL, REPLICATE, COLUMNS, ROWS)


def cases(rng: np.random.Generator) -> list[Case]:
    """Both plans, and all pairs of placements: nothing is left to be drawn."""
    plans = [
        Case("a block with all tokens on every rank", {"call": "tensor_plan"}, ("block", "sums")),
        Case("a block with some tokens on each rank", {"call": "sequence_plan"}, ("tokens", "few")),
    ]
    pairs = sorted(product_of(_PLACEMENTS, repeat=2), key=lambda pair: set(pair) != {REPLICATE})
    products = [call_case("linear", "linear", x=x, weight=weight) for x, weight in pairs]
    ways = [
        call_case("collective", "collective", before=before, after=after)
        for before in _PLACEMENTS
        for after in _PLACEMENTS[1:]
    ]
    return [*plans, *products, *ways]


JUDGE = Judge(
    title="Tensor parallelism in PyTorch",
    properties=(
        right_result(
            "linear",
            "`linear`: the placement of the product of the pieces that each rank has",
            1,
            {"linear": lambda x, weight: product(x, weight)},
            asks="Take two ranks and small matrices. What does each rank's product hold of the "
            "whole one: all, some rows, some columns, or one term of a sum?",
        ),
        right_result(
            "collective",
            "`collective`: what turns one placement into another",
            1,
            {"collective": lambda before, after: collective(before, after)},
            asks="What does each rank have before, and which part does it lack of what it should "
            "have after?",
        ),
        Property(
            "block",
            "`tensor_plan`: output and gradients of the whole block, and every matrix is cut",
            2,
            "Follow the input from module to module. What does each rank have of it, and what "
            "does the plan say that it has?",
            right_plan("block"),
        ),
        Property(
            "sums",
            "and one all-reduce for attention and one for the MLP, in each pass",
            1,
            "Which modules share one input, and what does each of them send for its gradient?",
            few_messages("sums"),
        ),
        Property(
            "tokens",
            "`sequence_plan`: the same when each rank has some of the tokens",
            2,
            "Follow the tokens from module to module. Which of them does each rank have, and "
            "which does the plan say that it has?",
            right_plan("tokens"),
        ),
        Property(
            "few",
            "and one all-gather and one reduce-scatter for each of them, in each pass",
            1,
            "How often are the same tokens gathered?",
            few_messages("few"),
        ),
    ),
    hints=(
        'Columns first, then rows: q, k, v and `mlp.up` are "colwise", `attn.out` and '
        '`mlp.down` are "rowwise". With tokens outside, norms are "sequence", and a rowwise '
        "module's output is Shard(0).",
        "Three modules that share an input send three messages for it, unless it's made a DTensor "
        'once, for all of them. That\'s what "prepare" for `attn` does. Its input comes as '
        "Replicate() in one plan and as Shard(0) in the other.",
        '`{"norm1": "sequence", "attn": ("prepare", {"input": "Shard(0)"}), "attn.q": "colwise", '
        '..., "attn.out": ("rowwise", {"output": "Shard(0)"}), ...}`, and the same for norm2 and '
        "mlp. In `linear`, Shard(1) times Shard(1) gives Partial(), and so does Partial() times "
        "Replicate(), in either order.",
    ),
    cases=cases,
    predictions={
        "dtensor-in-practice": Prediction(
            "`attn.q`, `attn.k` and `attn.v` are ColwiseParallel, `attn.out` is RowwiseParallel, "
            "and the MLP likewise. How many all-reduces does PyTorch make in the block's backward "
            "pass?",
            truth=4,
            unit="all-reduces",
            because="Each of q, k and v sums the gradient of its own input, although it is one "
            "input. The MLP adds one.",
            exact=True,
        ),
    },
)
