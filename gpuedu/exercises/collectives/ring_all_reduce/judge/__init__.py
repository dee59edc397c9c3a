"""ring-all-reduce: the sum of all ranks' tensors on all ranks, twice round a ring."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.collectives.judge.ring_cases import case
from gpuedu.exercises.collectives.judge.ring_properties import all_at_once, ring_bytes, sums
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.ranks.properties import (
    built_by_hand,
    first_off,
    right_on_ranks,
    undecided_if_wrong,
)

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
        _shape_or_dtype(rng, 3, (4, 6)),
        _shape_or_dtype(rng, 4, (2, 3, 4), "float32"),
        _shape_or_dtype(rng, 2, 16, "bfloat16"),
        _shape_or_dtype(rng, 3, 27, "int64"),
        _shape_or_dtype(rng, 3, ()),
        _large_numbers(rng),
        *(case(rng, ["same-bits"], n, 9 * n + 1, dtype="float32") for n in (3, 8)),
        *(case(rng, costs, n, _CHUNK * n) for n in (2, 3)),
        case(rng, costs, 8, _CHUNK * 8, dtype="float32"),
        case(rng, ["bytes"], 5, 500 + int(rng.integers(1, 5))),
        case(rng, ["bytes"], 4, (3, 7)),
        case(rng, ["bytes"], 5, 3),
    ]


def _shape_or_dtype(
    rng: np.random.Generator, ranks: int, shape: int | tuple[int, ...], dtype: str = "float64"
) -> Case:
    """A case that is run twice, once as plain vectors: what is wrong there is not the shape's."""
    drawn = case(rng, ["in-place"], ranks, shape, dtype=dtype)
    return replace(drawn, inputs={**drawn.inputs, "as_vectors": True})


def _large_numbers(rng: np.random.Generator) -> Case:
    """Whole numbers beyond those that float64 knows one by one, on the last rank alone.

    Added up in float64 that rank's go first or second around a ring, and the ones are lost.
    """
    drawn = _shape_or_dtype(rng, 3, 6, "int64")
    values = np.ones((3, 6))
    values[2] = 2.0**53
    return replace(drawn, label=f"{drawn.label}, 2**53", inputs={**drawn.inputs, "values": values})


_SUM = sums()


def _test_in_place(case: Case, observed: Plain) -> Iterable[Fault]:
    """Undecided where values are wrong, and are so in plain vectors of float64, too."""
    for fault in first_off("in-place", _SUM(case.inputs, observed)):
        plain = observed["got_of_vectors"]
        inputs = {**case.inputs, "dtype": "float64"}
        if plain is None or any(first_off("in-place", _SUM(inputs, {"got": plain}))):
            told = "the same numbers as plain vectors of float64 are not summed up yet, either"
            yield Undecided("in-place", told)
            return
        yield fault
    wanted = case.inputs["dtype"]
    for rank, dtype in enumerate(observed["dtypes"]):
        if dtype != wanted:
            yield Fault("in-place", f"`x` of rank {rank} was {wanted}, and is {dtype} now")


def _test_bits(case: Case, observed: Plain) -> Iterable[Fault]:
    got, ranks = observed["got"], case.inputs["ranks"]
    for rank in range(1, ranks):
        if not np.array_equal(got[0], got[rank]):
            at = int((got[0] != got[rank]).argmax())
            yield Fault(
                "same-bits",
                f"with {ranks} ranks, `x[{at}]` is {got[0, at]:.9g} on rank 0 and "
                f"{got[rank, at]:.9g} on rank {rank}: both are the sum, rounded differently",
            )
            return


JUDGE = Judge(
    title="A ring all-reduce",
    properties=(
        built_by_hand(
            right_on_ranks(
                "sum",
                "`x` is the sum of all ranks' tensors on every rank",
                2,
                _SUM,
                asks="Follow that chunk: which rank adds its share to it in which step, and who "
                "gets a copy of the whole sum when?",
            )
        ),
        built_by_hand(
            right_on_ranks(
                "ragged",
                "any number of elements, even fewer than ranks",
                1,
                _SUM,
                asks="What happens to each element here, also where chunks differ in size?",
            )
        ),
        Property(
            "in-place",
            "any shape and dtype; both stay as they are",
            1,
            "What does your function take for granted of the shape of `x`, and of its dtype?",
            _test_in_place,
        ),
        ring_bytes(
            "bytes",
            "each rank sends 2 S bytes less two chunks, all to the next one",
            2,
            2,
            _SUM,
            to_next=True,
            any_cut=True,
        ),
        Property(
            "same-bits",
            "all ranks end with the very same bits",
            1,
            "Models that start equal would drift apart. Which rank adds up an element, and which "
            "ranks get a copy of that?",
            undecided_if_wrong("same-bits", _SUM, _test_bits),
        ),
        all_at_once(
            "at-once", "all links are busy at once: 2 (n - 1) steps of one chunk", 1, 2, _SUM
        ),
    ),
    hints=(
        "You have both halves: after the reduce-scatter rank i holds the sum of chunk i, and that "
        "is where the all-gather starts. What about a tensor with more than one dimension: which "
        "view of it has one?",
        "`x.view(-1)` is the same memory as a row; `tensor_split` of that gives views, too, some "
        "of them empty where there are fewer elements than ranks. An empty message may be sent, or "
        "left out on both sides. What you add from should be `torch.empty_like` the chunk, so that "
        "it has its dtype.",
        "`chunks = x.view(-1).tensor_split(ranks)`; then the loop of `reduce_scatter`, with `step` "
        "from 1 to ranks - 1, and the loop of `all_gather`, with `step` from 0 to ranks - 2, both "
        "as you had them.",
    ),
    results=("sum", "ragged"),
    cases=cases,
    seeds=5,
    predictions={
        "ring-all-reduce": Prediction(
            "from 8 to 64 GPUs, with the same number of bytes on each, over the same links, "
            "ignoring latency: how many times as long does the ring take?",
            truth=1.125,
            unit="times",
            because="A rank sends 2 (n - 1) / n tensors: 1.75 with 8, and 1.97 with 64. It never "
            "gets to 2.",
        )
    },
)
