"""fsdp2-in-practice: a model in units by PyTorch's ``fully_shard``, and what a step does then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction, Property
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import BlocksSpec
from gpuedu.exercises.sharding.fsdp2_in_practice.judge.fsdp2_tests import (
    test_dtypes,
    test_reshard,
    test_units,
)
from gpuedu.exercises.sharding.fsdp2_in_practice.judge.units import (
    messages_of,
    peak_of,
    unit_bytes,
)

_SHARD = ("units", "reshard", "dtypes")


def cases(rng: np.random.Generator) -> list[Case]:
    """Models of 3, 1 and 5 blocks, one of them tied; units that are kept in other ways, too."""
    width = int(rng.integers(4, 7))
    found = []
    for label, count, tied in (
        ("3 blocks", 3, False),
        ("1 block", 1, False),
        ("5 blocks", 5, True),
    ):
        hidden = tuple(rng.integers(3, 9, count).tolist())
        spec = BlocksSpec(int(rng.integers(7, 12)), width, hidden, tied, int(rng.integers(2**20)))
        label = f"{count} block{'s' * (count > 1)}{', head and embedding are tied' * tied}"
        found.append(Case(label, {"call": "shard", "model": asdict(spec)}, _SHARD))
    flags = ((False, True, True, False), (False, True, True, True), (True, True, False, True, True))
    drawn = (rng.random(int(rng.integers(6, 10))) < 0.5).tolist()
    for kept in (*flags, (False,), (False, False, True, False, True), drawn):
        found.append(call_case("messages", "messages", units=_units(rng, kept)))
    for ranks in (4, 2, 8):
        odd = int(rng.integers(1, ranks)) + ranks * int(rng.integers(2, 5))
        shapes: list[tuple[int, ...]] = [(odd, 6), (odd,), (1, odd), (ranks * 3, 5), (odd, 3, 2)]
        found.append(call_case("bytes", "gathered_bytes", shapes=shapes, ranks=ranks))
    large = [90, 20, 30, 40]
    for kept, sizes in (
        ((False, True, True, False), None),
        ((False, True, True, True, False), [10, *large]),
        ((False, True, False, False), None),
        ((False, False, True, False, True), [50, 20, 70, 15, 30]),
        ((False,), None),
        ((False, False, False), None),
        ((True, True, True), [80, 10, 30]),
    ):
        found.append(call_case("peak", "peak", units=_units(rng, kept, sizes)))
    return found


def _units(
    rng: np.random.Generator, kept: Sequence[bool], sizes: Sequence[int] | None = None
) -> list[tuple[int, bool]]:
    drawn = sizes or rng.integers(100, 900, len(kept)).tolist()
    return list(zip(drawn, kept, strict=True))


def _bytes(shapes: Any, ranks: int) -> float:
    return float(unit_bytes(shapes, ranks))


def _peak(units: Any) -> float:
    return float(peak_of(units))


JUDGE = Judge(
    title="A model in units",
    properties=(
        Property(
            "units",
            "`shard`: each block is a unit, and all other parameters are in the model's own",
            2,
            "For each parameter: which call of `fully_shard` is the first one whose module has it?",
            test_units,
        ),
        Property(
            "reshard",
            "weights of a block are freed after its forward pass, unless they are needed again "
            "right away",
            1,
            "Which units does the backward pass start with?",
            test_reshard,
        ),
        Property(
            "dtypes",
            "all weights travel in bfloat16, and all gradients are summed in float32",
            1,
            "In which of the two dtypes do weights travel, and does every unit have both?",
            test_dtypes,
        ),
        right_result(
            "messages",
            "`messages`: all-gathers and reduce-scatters of a step",
            1,
            {"messages": messages_of},
            asks="Which units are gathered twice, and which are reduced?",
        ),
        right_result(
            "bytes",
            "`gathered_bytes`: a unit's weights in an all-gather, with padding",
            1,
            {"gathered_bytes": _bytes},
            asks="How many rows of each parameter does a rank have, and how many do all of them "
            "have together?",
            unit="bytes",
        ),
        right_result(
            "peak",
            "`peak`: the most weights that are whole at once",
            1,
            {"peak": _peak},
            asks="Go forward unit by unit. What is whole while each one computes, and what stays?",
        ),
    ),
    hints=(
        "A call groups the parameters that are not in a unit yet. So call it for every block, and "
        "then for the model, which gets what is left.",
        "`reshard_after_forward=True` frees a unit's weights, so they are gathered again for the "
        "backward pass, which starts with the last block and the model's own unit. Each parameter "
        "is cut into ranks times `math.ceil(rows / ranks)` rows.",
        "`for block in model.blocks: fully_shard(block, reshard_after_forward=block is not "
        "model.blocks[-1], param_dtype=torch.bfloat16, reduce_dtype=torch.float32)`, and then "
        "`fully_shard(model, ...)` with the same dtypes. In `peak`, keep the sum of what stays, "
        "starting with the first unit; each other unit is added while it computes.",
    ),
    cases=cases,
    seeds=10,
    predictions={
        "fsdp2-in-practice": Prediction(
            "a model of 70 billion parameters trains on 64 GPUs, each of which keeps 1/64 of it. "
            "Somebody calls `fully_shard` on the whole model, and on nothing else. How many GB of "
            "bfloat16 weights are on each GPU while it computes?",
            truth=140,
            unit="GB",
            because="One call makes one unit, which is gathered as a whole: 2 bytes for each of 70 "
            "billion parameters.",
        ),
    },
)
