"""sequence-parallel: norm, dropout and residual on a rank's tokens, products on its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import (
    Held,
    right_on_ranks,
    undecided_if_silent,
    undecided_if_wrong,
)
from gpuedu.exercises.ranks.twice import right_at_first
from gpuedu.exercises.tensor_parallel.sequence_parallel.block import Block, OnRank
from gpuedu.exercises.tensor_parallel.sequence_parallel.block_alone import train_whole
from gpuedu.units import format_size

REL = 1e-9
PARTS = 5
"""All-gathers and reduce-scatters of all tokens in a step: two forward, three backward."""
_NAMES = {"outputs": "y", "gradients": "dx", "scales": "dscale"}


def cases(rng: np.random.Generator) -> list[Case]:
    """With and without dropout; columns that divide by the ranks and others."""
    seeds = iter(rng.integers(2**20, size=32).tolist())

    def draw(label: str, sizes: tuple[int, int, int], *decides: str, drops: bool = False) -> Case:
        ranks, rows, hidden = sizes
        width = int(rng.integers(4, 7))
        block = Block(ranks * rows, width, hidden, ranks, drops=drops, seed=next(seeds))
        inputs = {"block": asdict(block), "seed": next(seeds)}
        inputs["is_forward_only"] = decides == ("forward",)
        if drops:
            inputs["first"] = {"block": asdict(replace(block, drops=False))}
        return Case(label, inputs, decides)

    sizes = {
        "6 tokens on 3 ranks": (3, 2, 9),
        "8 tokens on 2 ranks": (2, 4, 6),
        "3 tokens on 1 rank": (1, 3, 5),
        "4 tokens on 4 ranks, 10 columns": (4, 1, 10),
        "12 tokens on 6 ranks, 4 columns": (6, 2, 4),
    }
    step = "backward", "scale", "training", "bytes"
    return [
        *(draw(f"{label}, forward", three, "forward") for label, three in sizes.items()),
        *(draw(label, three, *step) for label, three in sizes.items()),
        draw("9 tokens on 3 ranks, with dropout", (3, 3, 9), "dropout", drops=True),
        draw("8 tokens on 4 ranks, with dropout", (4, 2, 8), "dropout", drops=True),
    ]


@lru_cache(maxsize=64)
def _whole(block: Block) -> OnRank:
    return train_whole(block)


def _held(
    inputs: Inputs, observed: Plain, names: Iterable[str], steps: Iterable[int]
) -> Iterable[Held]:
    block = Block(**inputs["block"])
    wanted = vars(_whole(block))
    for step in steps:
        for name in names:
            true = wanted[name][step]
            for rank in range(block.ranks):
                where = f"in step {step + 1}, on rank {rank}"
                mine = slice(rank * block.rows, (rank + 1) * block.rows)
                part = true if name == "scales" else true[mine]
                room = REL * np.abs(true).max()
                yield Held(where, _NAMES[name], observed[name][rank, step], part, room)


def _outputs(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["outputs"], [0])


def _gradients(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["gradients"], [0])


def _scales(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, ["scales"], [0])


def _first(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, _NAMES, [0])


def _later(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, _NAMES, [1])


def _all(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    return _held(inputs, observed, _NAMES, [0, 1])


_SCALE = right_on_ranks("scale", "", 1, _scales, asks="")
_TRAINING = right_on_ranks("training", "", 1, _later, asks="")


def most_bytes(block: Block) -> int:
    """What a step may send: its parts, and an all-reduce of the scale's gradient."""
    return PARTS * block.part_bytes + 2 * (block.ranks - 1) * 8 * block.width


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    block, sent = Block(**case.inputs["block"]), observed["step_bytes"]
    yield from undecided_if_silent("bytes", block.ranks, sent)
    if sent > most_bytes(block) + 0.5:
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {block.ranks} ranks; {PARTS} all-gathers and "
            f"reduce-scatters, and the sum of `dscale`, send {format_size(most_bytes(block))}",
        )
    least = PARTS * block.part_bytes
    if sent and sent < least - 0.5:
        yield Fault(
            "bytes",
            f"a step sends {format_size(sent)} on {block.ranks} ranks; {PARTS} all-gathers and "
            f"reduce-scatters send {format_size(least)}: some gathered tokens were kept",
        )


JUDGE = Judge(
    title="Tokens between, columns inside",
    properties=(
        right_on_ranks(
            "forward",
            "`block_forward` returns the block's output for the rank's tokens",
            2,
            _outputs,
            asks="Which tokens and which columns does each rank have at this point?",
        ),
        right_on_ranks(
            "backward",
            "`block_backward` returns the gradient of the rank's tokens",
            2,
            _gradients,
            asks="Along which paths does a token act on the output, and which ranks know of them?",
        ),
        Property(
            "scale",
            "`dscale` is the same on all ranks, and sums over all tokens",
            1,
            "All ranks have the same scale. Which tokens does each of them multiply by it?",
            undecided_if_wrong("scale", _gradients, _SCALE.test),
        ),
        Property(
            "training",
            "and still so after updates by `dscale`, `da` and `db`",
            1,
            "Over which tokens do the sums in `da` and `db` go?",
            undecided_if_wrong("training", _first, _TRAINING.test),
        ),
        Property(
            "dropout",
            "and all that with dropout",
            1,
            "Which row of the mask belongs to a rank's first token, and where does the mask act: "
            "forward, and backward?",
            right_at_first("dropout", _all, "without dropout"),
        ),
        Property(
            "bytes",
            "a step sends two halves of an all-reduce forward, and three backward",
            2,
            "What does each all-gather and each reduce-scatter carry, and which of them could "
            "be left out?",
            undecided_if_wrong("bytes", _all, _test_bytes),
        ),
    ),
    hints=(
        "Two kinds of places: where a rank has some tokens with all columns, and where it has all "
        "tokens with some columns. One collective leads from the first to the second, and another "
        "one back, with a sum.",
        "Forward: norm of your tokens, all-gather, both products, reduce-scatter, mask, residual. "
        "Backward it's the other way around: every reduce-scatter becomes an all-gather, and "
        "every all-gather a reduce-scatter. `da` needs the gathered tokens once more.",
        "`rows = mask.split(len(x))[rank]`, `h = gather(norm(x, scale))`, `u = h @ a`, "
        "`y = x + rows * reduce_scatter(torch.relu(u) @ b)`. "
        "Backward: `dz = gather(rows * dy)`, `du = (dz @ b.T) * (u > 0)`, "
        "`dn = reduce_scatter(du @ a.T)`, `dx, dscale = norm_backward(x, scale, dn)`, all-reduce "
        "`dscale`; return `dy + dx`, `dscale`, `gather(norm(x, scale)).T @ du`, "
        "`torch.relu(u).T @ dz`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "sequence-parallel": Prediction(
            "tensor parallelism alone sends two all-reduces in a step of this block. How many "
            "times the bytes of those two does sequence parallelism send, if no rank keeps "
            "gathered tokens?",
            truth=1.25,
            unit="times",
            because="Two all-reduces are two all-gathers and two reduce-scatters. Only the tokens "
            "are gathered once more in the backward pass, since nobody kept them.",
            exact=True,
        ),
    },
)
