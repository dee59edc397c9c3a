"""column-row: an MLP in pieces, which computes what the whole one does, for two all-reduces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import lru_cache

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
    Test,
    Undecided,
)
from gpuedu.exercises.ranks.properties import (
    Held,
    Values,
    first_off,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.ranks.twice import right_at_first
from gpuedu.exercises.tensor_parallel.failures import telling_failures
from gpuedu.exercises.tensor_parallel.mlp import Mlp
from gpuedu.exercises.tensor_parallel.mlp_alone import train_whole
from gpuedu.units import format_size

REL = 1e-9
"""Of the largest number: the order of a sum's terms is the learner's."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Widths that divide by the ranks and others, and ranks that have no column."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(label: str, hidden: int, ranks: int, *decides: str) -> Case:
        tokens, width = int(rng.integers(3, 6)), int(rng.integers(4, 7))
        grows = float(rng.uniform(0.2, 0.4))
        mlp = Mlp(tokens, width, hidden, ranks, seed=next(seeds), grows=grows)
        inputs = {"mlp": asdict(mlp), "seed": next(seeds)}
        inputs["is_forward_only"] = decides == ("forward",)
        if "uneven" in decides:
            inputs["first"] = {"mlp": asdict(replace(mlp, hidden=2 * ranks))}
        return Case(label, inputs, decides)

    sizes = {
        "12 columns on 3 ranks": (12, 3),
        "16 columns on 8 ranks": (16, 8),
        "6 columns on 2 ranks": (6, 2),
        "7 columns on 1 rank": (7, 1),
    }
    step = "backward", "training", "share", "bytes"
    return [
        *(draw(f"{label}, forward", *two, "forward") for label, two in sizes.items()),
        *(draw(label, *two, *step) for label, two in sizes.items()),
        draw("11 columns on 4 ranks", 11, 4, "uneven", "share"),
        draw("12 columns on 5 ranks", 12, 5, "uneven", "share"),
        draw("3 columns on 6 ranks", 3, 6, "uneven", "share"),
    ]


@lru_cache(maxsize=64)
def _whole(mlp: Mlp) -> tuple[np.ndarray, np.ndarray]:
    return train_whole(mlp)


def _held(inputs: Inputs, observed: Plain, names: Iterable[str], first: int, last: int) -> Iterable:
    """What is compared of the steps from ``first`` to before ``last``."""
    mlp = Mlp(**inputs["mlp"])
    wanted = dict(zip(("outputs", "gradients"), _whole(mlp), strict=True))
    for step in range(first, min(last, mlp.steps)):
        for name in names:
            true, called = wanted[name][step], {"outputs": "y", "gradients": "dx"}[name]
            for rank in range(mlp.ranks):
                where = f"in step {step + 1}, on rank {rank}"
                got = observed[name][rank, step]
                yield Held(where, called, got, true, REL * np.abs(true).max())


def _outputs(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["outputs"], 0, 1)


def _gradients(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["gradients"], 0, 1)


def _first(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["outputs", "gradients"], 0, 1)


def _later(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["outputs", "gradients"], 1, 9)


def _all(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["outputs", "gradients"], 0, 9)


def _of(name: str, values: Values) -> Test:
    """A test of what ranks hold."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from first_off(name, values(case.inputs, observed))

    return test


def _test_share(case: Case, observed: Plain) -> Iterable[Fault]:
    for told in _too_large(case.inputs, observed["sizes"]):
        yield Fault("share", told)


def _too_large(inputs: Inputs, sizes: Sequence[Sequence[int]]) -> list[str]:
    """The first piece that is more than a rank's share, if there is one."""
    mlp = Mlp(**inputs["mlp"])
    most = mlp.width * mlp.most_columns
    told = [
        f"on rank {rank} `{name}` has {size} numbers; {mlp.hidden} columns of {mlp.width} on "
        f"{mlp.ranks} ranks are at most {most} for each"
        for rank, both in enumerate(sizes)
        for name, size in zip("ab", both, strict=True)
        if size > most
    ]
    return told[:1]


def _if_split(name: str, test: Test) -> Test:
    """The same test, undecided where the matrices are not split: on one rank everything is easy."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        first = case.inputs.get("first")
        inputs, sizes = first or case.inputs, observed["first_sizes" if first else "sizes"]
        told = _too_large(inputs, sizes)
        if told:
            yield Undecided(name, f"a rank has more than its share: {told[0]}")
        else:
            yield from test(case, observed)

    return tested


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    mlp, sent = Mlp(**case.inputs["mlp"]), observed["step_bytes"]
    yield from undecided_if_silent("bytes", mlp.ranks, sent)
    if sent > 2 * mlp.all_reduce_bytes + 0.5:
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {mlp.ranks} ranks; an all-reduce of `y` and one "
            f"of `dx` send {format_size(2 * mlp.all_reduce_bytes)}",
        )
    elif sent < 2 * mlp.all_reduce_bytes - 0.5:
        told = f"sums of `y` and `dx` over the ranks send {format_size(2 * mlp.all_reduce_bytes)}"
        yield Undecided("bytes", f"a step sends {format_size(sent)}; {told}")


_JUDGE = Judge(
    title="Columns first, then rows",
    properties=(
        Property(
            "forward",
            "`mlp_forward` returns the whole layer's output on every rank",
            2,
            "With which columns and rows does each rank compute, and what does every rank need of "
            "the others'?",
            _if_split("forward", _of("forward", _outputs)),
        ),
        Property(
            "backward",
            "`mlp_backward` returns the gradient of `x`, the same on every rank",
            2,
            "Through which columns does `x` act on the output, and which of them does a rank have?",
            _if_split("backward", _of("backward", _gradients)),
        ),
        Property(
            "training",
            "and still does so after updates by `da` and `db`",
            1,
            "Which numbers are `da` and `db` the gradients of, and what goes into each?",
            _if_split("training", undecided_if_wrong("training", _first, _of("training", _later))),
        ),
        Property(
            "uneven",
            "and all that when columns don't divide evenly among the ranks, or some ranks have "
            "none",
            1,
            "How many columns does each rank have? Are all of them somewhere?",
            _if_split("uneven", right_at_first("uneven", _all, "with 2 columns for each rank")),
        ),
        Property(
            "share",
            "no rank keeps more than its share of either matrix",
            1,
            "How many columns of `w1`, and how many rows of `w2`, does the largest piece have?",
            undecided_if_wrong("share", _all, _test_share),
        ),
        Property(
            "bytes",
            "a step sends one all-reduce forward and one backward, and nothing else",
            2,
            "What does each pass send, and how large is it?",
            _if_split("bytes", undecided_if_wrong("bytes", _all, _test_bytes)),
        ),
    ),
    hints=(
        "`gelu` acts on each number by itself, so a rank that has some *columns* of `x @ w1` can "
        "apply it to them. Which part of `w2` do these columns meet in the second product?",
        "Rank r has some columns of `w1` and the same rows of `w2`. Its product is a part of a "
        "sum over the ranks. Backward, `dy` is the same on all ranks, and `x` acts through the "
        "columns of all of them: the parts of `dx` are terms of a sum, too.",
        "`a = w1.tensor_split(ranks, dim=1)[rank]`, `b = w2.tensor_split(ranks)[rank]`. Forward: "
        "`y = gelu(x @ a) @ b`, `dist.all_reduce(y)`, `y + bias`. Backward: `h = x @ a`, "
        "`dh = dy @ b.T * gelu_slope(h)`, `dx = dh @ a.T`, `dist.all_reduce(dx)`; `da = x.T @ dh`, "
        "`db = gelu(h).T @ dy`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "column-row": Prediction(
            "a transformer layer is attention and an MLP, each cut so that one all-reduce per "
            "pass is enough. How many all-reduces does the layer need in a training step?",
            truth=4,
            unit="all-reduces",
            because="Two blocks, and each of them needs one forward and one backward.",
            exact=True,
        ),
        "column-row-links": Prediction(
            "on the 8 GPUs of one node, 18% of a layer's time goes to all-reduces. What "
            "percentage is it on 16 GPUs of two nodes, where an all-reduce works within each node "
            "first?",
            truth=42,
            unit="%",
            because="Twice as many GPUs halve the time of the products. An all-reduce takes 1.64 "
            "times as long: within a node as before, 7/4 of its size at 450 GB/s, and then 1/8 of "
            "its size at 50 GB/s.",
        ),
    },
)

JUDGE = telling_failures(_JUDGE, by=("forward", "backward", "uneven"))
