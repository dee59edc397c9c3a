"""ring-all-reduce: the sum of all ranks' tensors on all ranks, twice round a ring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.judge.collective_cases import case
from gpuedu.exercises.collectives.judge.partial_sums import sum_fault
from gpuedu.exercises.collectives.judge.ring_traffic import (
    bytes_fault,
    neighbour_fault,
    speed_fault,
)
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_CHUNK = 1000


def cases(rng: np.random.Generator) -> list[Case]:
    """Several counts of ranks, sizes that do not fit, shapes, dtypes; then the costs."""
    costs = ("bytes", "at-once")
    return [
        *(case(rng, ["sum"], n, 9 * n) for n in (1, 2, 3, 8)),
        case(rng, ["sum"], 4, 36, on_two=True),
        case(rng, ["sum"], 5, 45, late=int(rng.integers(5))),
        *(case(rng, ["ragged"], n, 9 * n + int(rng.integers(1, n))) for n in (2, 3, 7)),
        case(rng, ["ragged"], 4, 5),
        case(rng, ["ragged"], 5, 3),
        case(rng, ["ragged"], 8, 1),
        case(rng, ["in-place"], 3, (4, 6)),
        case(rng, ["in-place"], 4, (2, 3, 4), dtype="float32"),
        case(rng, ["in-place"], 2, 16, dtype="bfloat16"),
        case(rng, ["in-place"], 3, 27, dtype="int64"),
        *(case(rng, ["same-bits"], n, 9 * n + 1, dtype="float32") for n in (3, 8)),
        *(case(rng, costs, n, _CHUNK * n) for n in (2, 3, 8)),
        case(rng, ["bytes"], 5, 500 + int(rng.integers(1, 5))),
        case(rng, ["bytes"], 4, (3, 7)),
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the sum is there, in the same bits everywhere, and what it took."""
    inputs = case.inputs
    wrong = list(sum_fault(case.decides[0], inputs, observed))
    if "bytes" in case.decides:
        yield from bytes_fault("bytes", inputs, observed, passes=2)
        yield from neighbour_fault("bytes", inputs, observed)
        if "at-once" in case.decides:
            for fault in wrong:
                yield Fault("at-once", fault.message, fault.cause)
            yield from speed_fault("at-once", inputs, observed, passes=2)
        return
    yield from wrong
    if "same-bits" in case.decides:
        yield from _difference(inputs, observed)
    if "in-place" in case.decides:
        yield from _dtype_fault(inputs, observed)


def _difference(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    got = observed["got"]
    for rank in range(1, inputs["ranks"]):
        if not np.array_equal(got[0], got[rank]):
            at = int((got[0] != got[rank]).argmax())
            yield Fault(
                "same-bits",
                f"with {inputs['ranks']} ranks, `x[{at}]` is {got[0, at]:.9g} on rank 0 and "
                f"{got[rank, at]:.9g} on rank {rank}",
                "Both are the sum, rounded in another order. Models that start equal would drift "
                "apart. Who adds up an element, and who gets a copy of that?",
            )
            return


def _dtype_fault(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    for rank, dtype in enumerate(observed["dtypes"]):
        if dtype != inputs["dtype"]:
            yield Fault(
                "in-place",
                f"`x` of rank {rank} was {inputs['dtype']}, and is {dtype} now",
                "What you receive into should be made like `x`: `torch.empty_like(...)`.",
            )
            return


JUDGE = Judge(
    title="A ring all-reduce",
    properties=(
        Property("sum", "`x` is the sum of all ranks' tensors on every rank", 2),
        Property("ragged", "any number of elements, fewer than ranks, too", 1),
        Property("in-place", "any shape and dtype; both stay as they are", 1),
        Property("bytes", "each rank sends 2 S bytes less two chunks, all to the next one", 2),
        Property("same-bits", "all ranks end with the very same bits", 1),
        Property("at-once", "all links are busy at once: 2 (n - 1) steps of one chunk", 1),
    ),
    hints=(
        "You have both halves: after the reduce-scatter rank i holds the sum of chunk i, and that "
        "is where the all-gather begins. What about a tensor with more than one dimension: which "
        "view of it has one?",
        "`x.view(-1)` is the same memory as a row; `tensor_split` of that gives views, too, some "
        "of them empty where there are fewer elements than ranks. An empty message may be sent, or "
        "left out on both sides. What you add from should be `torch.empty_like` the chunk, so that "
        "it has its dtype.",
        "`chunks = x.view(-1).tensor_split(ranks)`; then the loop of `reduce_scatter`, with `step` "
        "from 1 to ranks - 1, and the loop of `all_gather`, with `step` from 0 to ranks - 2, both "
        "as you had them.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=5,
    predictions={
        "ring-all-reduce": Prediction(
            "from 8 to 64 GPUs with as many bytes on each, on the same links, latencies left "
            "aside: how many times as long does the ring take?",
            truth=1.125,
            unit="times",
            because="A rank sends 2 (n - 1) / n tensors: 1.75 with 8, and 1.97 with 64. It never "
            "gets to 2.",
        )
    },
)
