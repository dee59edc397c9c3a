"""experts: routing with a capacity, all-to-alls there and back, and the load-balance loss."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.pipelines.experts.layer import Moe
from gpuedu.exercises.pipelines.experts.play import FORWARD, LOSS, ROUTE
from gpuedu.exercises.pipelines.experts.routing import (
    loss_of,
    needed_bytes,
    numbers_bytes,
    outputs,
    routed,
)
from gpuedu.exercises.ranks.properties import Held, right_on_ranks, undecided_if_wrong
from gpuedu.exercises.ranks.twice import right_at_first
from gpuedu.units import format_size

REL = 1e-9
_PLENTY = 1_000
_WIDE = 256
"""Numbers of a token, so that one takes more bytes than all ranks' numbers of tokens."""
_SIZES = (
    ((5, 6, 4), 2, 3),
    ((4, 7), 3, 2),
    ((6,), 3, 2),
    ((3, 0, 5, 4), 1, 2),
    ((4, 3, 5, 2, 4, 6, 3, 4), 1, 1),
)
"""Tokens by rank, experts of a rank, a capacity that drops some."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Ranks with different numbers of tokens, one with none; one to eight ranks."""
    seeds = iter(rng.integers(2**20, size=64).tolist())

    def draw(sizes: Any, *decides: str, capacity: int, asks: str = FORWARD) -> Case:
        tokens, each, _ = sizes
        width, hidden = int(rng.integers(5, 8)), int(rng.integers(3, 6))
        width = _WIDE if decides == ("bytes",) else width
        moe = Moe(tokens, each, width, hidden, capacity, next(seeds))
        plain = {**asdict(moe), "tokens": list(tokens)}
        inputs = {"asks": asks, "moe": plain, "seed": next(seeds)}
        if decides == ("dropped",):
            inputs["first"] = {"moe": {**plain, "capacity": _PLENTY}}
        ranks = f"{len(tokens)} rank{'s' * (len(tokens) > 1)}"
        return Case(f"{sum(tokens)} tokens on {ranks}, capacity {capacity}", inputs, decides)

    found = []
    for count, experts, capacity in ((9, 3, 2), (12, 4, 3), (7, 5, 1), (1, 2, 1), (0, 3, 2)):
        logits = rng.normal(size=(count, experts)) * 1.5
        inputs = {"asks": ROUTE, "logits": logits, "capacity": capacity}
        label = f"{count} tokens, {experts} experts, capacity {capacity}"
        found.append(Case(label, inputs, ("route",)))
    found += [draw(one, "forward", capacity=_PLENTY) for one in _SIZES]
    found += [draw(one, "dropped", capacity=one[2]) for one in _SIZES]
    found += [
        draw(((8, 9, 7, 10), 2, 0), "bytes", capacity=2),
        draw(((6, 5, 8, 6, 7), 2, 0), "bytes", capacity=1),
        draw(((5, 9), 2, 0), "bytes", capacity=3),
    ]
    found += [draw(one, "loss", capacity=1, asks=LOSS) for one in _SIZES]
    return found


def _routes(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    logits = torch.from_numpy(inputs["logits"])
    true = vars(routed(logits, inputs["capacity"]))
    for name, wanted in true.items():
        yield Held("of its tokens", name, observed[name], wanted, 1e-12)


def _routes_on_ranks(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    moe = Moe.of(inputs["moe"])
    for rank in range(moe.ranks):
        true = vars(routed(moe.inputs(rank)[1], moe.capacity))
        for name, wanted in true.items():
            yield Held(f"on rank {rank}", name, observed[f"{name}s"][rank], wanted, 1e-12)


def _outputs(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    moe = Moe.of(inputs["moe"])
    for rank, wanted in enumerate(outputs(moe)):
        room = REL * max(1.0, np.abs(wanted).max(initial=0))
        yield Held(f"on rank {rank}", "y", observed["outputs"][rank], wanted, room)


def _both(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    yield from _routes_on_ranks(inputs, observed)
    yield from _outputs(inputs, observed)


def _losses(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    wanted = np.array(loss_of(Moe.of(inputs["moe"])))
    for rank, loss in enumerate(observed["losses"]):
        yield Held(f"on rank {rank}", "loss", np.array(loss), wanted, REL * wanted)


def _test_bytes(case: Case, observed: Plain) -> Iterable[Fault]:
    moe, sent = Moe.of(case.inputs["moe"]), observed["bytes"]
    needed, numbers = sum(needed_bytes(moe)), moe.ranks * numbers_bytes(moe)
    if sent > needed:
        yield Fault(
            "bytes",
            f"{moe.ranks} ranks send {format_size(sent)}; kept tokens of experts elsewhere, there "
            f"and back, are {format_size(needed - numbers)}, and E numbers for each other rank "
            f"{format_size(numbers)}",
        )


_FORWARD = right_on_ranks("forward", "", 1, _outputs, asks="")

JUDGE = Judge(
    title="Experts on other ranks",
    properties=(
        right_on_ranks(
            "route",
            "`route`: expert, gate and kept",
            1.5,
            _routes,
            asks="Go through the tokens in order. Which expert does each ask for, with which "
            "probability, and how many have asked for that one before?",
        ),
        Property(
            "forward",
            "`moe_forward` returns what one process with all experts would",
            2,
            "Follow one token. Which rank does it go to, at which place is it there, and at which "
            "place when it is back?",
            undecided_if_wrong("forward", _routes_on_ranks, _FORWARD.test),
        ),
        Property(
            "dropped",
            "and does so when tokens are dropped",
            1,
            "What should `y` be for a token that is not kept, and where do the kept ones end up?",
            undecided_if_wrong(
                "dropped",
                _routes_on_ranks,
                right_at_first("dropped", _outputs, "with room for all tokens"),
            ),
        ),
        Property(
            "bytes",
            "only kept tokens travel, only to the rank with their expert, and back",
            1.5,
            "What does a rank send to which rank, tokens and numbers, and what could it leave out?",
            undecided_if_wrong("bytes", _both, _test_bytes),
        ),
        right_on_ranks(
            "loss",
            "`balance_loss` of all ranks' tokens",
            1,
            _losses,
            asks="Over which tokens do the two fractions of an expert go, and what is the loss if "
            "all fractions are 1 / E?",
        ),
    ),
    hints=(
        "Sort the kept tokens by their experts: then what goes to rank 0 comes first, what goes "
        "to rank 1 next, and so on. Keep the order, to put the results back where they belong.",
        "Ranks don't know how many tokens will arrive. An all-to-all of the numbers of tokens for "
        "each expert tells them, and also which of the tokens that arrive are for which expert. "
        "For what comes back, the two lists of sizes change places.",
        "`order = kept.nonzero()[:, 0]`, `order = order[expert[order].argsort()]`, "
        "`counts = torch.bincount(expert[order], minlength=E)`; `dist.all_to_all_single(arriving, "
        "counts)`; `gives = counts.view(ranks, -1).sum(1).tolist()`, and `takes` from `arriving` "
        "likewise. Of the arrived tokens, "
        "`torch.arange(each).repeat(ranks).repeat_interleave(arriving)` are the experts. At the "
        "end `y[order] += gate[order, None] * back`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "experts": Prediction(
            "a rank's 256 tokens each choose one of 64 experts, all equally likely. An expert has "
            "room for 4 of them, the average. What percentage of the tokens is dropped?",
            truth=19.4,
            unit="%",
            because="Chance is uneven: 7 or 8 tokens choose some experts, 1 or 2 choose others. "
            "With room for 8 it would be 0.8%.",
        ),
    },
)
