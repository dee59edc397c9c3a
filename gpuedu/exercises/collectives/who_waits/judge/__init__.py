"""who-waits: what six programs do, who waits for whom, and an exchange of halos mended."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.collectives.who_waits.play import LINK, OUTCOMES, PROGRAMS, UNTOUCHED
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.properties import Held, right_on_ranks, soon_done, undecided_if_wrong

TRUTH = {
    "around": "deadlock",
    "along": "ends",
    "report": "deadlock",
    "clip": "disagree",
    "two_sums": "wrong numbers",
    "relay": "deadlock",
}
"""What each program of the lesson does on four ranks."""
WAITS_FOR = (1, 3, 1, 2)
"""Whom each rank of ``relay`` waits for."""
_ASKS_OF = {
    "around": "All four send first. Who receives?",
    "along": "The last rank sends to nobody, and so it receives at once. What can the one before "
    "it do then?",
    "report": "Which ranks call `all_reduce`, and how many does it wait for?",
    "clip": "Which collective does rank 0 call first, on how many elements, and which do "
    "the others?",
    "two_sums": "Rank 0 and the others call the same two collectives in a different order, on "
    "tensors of the same shape. Can anybody notice? What is added to what?",
    "relay": "Start with rank 3, and ask about each: which call of which rank would let it go on?",
}
"""About each program, whatever was said of it."""
_WITHIN = 1.05
"""Ranks take turns, and times are rounded."""


def cases(rng: np.random.Generator) -> list[Case]:
    """What was read, whom ranks wait for, and halos on all sorts of counts."""
    drawn = [
        Case("the six programs, on 4 ranks", {"ask": "outcomes"}, ("reads",)),
        Case("`relay`, on 4 ranks", {"ask": "waits", "ranks": 4}, ("cycle",)),
    ]
    for ranks, rows in ((1, 3), (2, 2), (3, 4), (4, 1), (5, 3), (8, 2)):
        drawn.append(_halo_case(rng, ranks, rows, int(rng.integers(3, 9)), "halos"))
    drawn.append(_halo_case(rng, 9, 3, int(rng.integers(3, 9)), "halos", "float32"))
    for ranks in (7, 16):
        drawn.append(_halo_case(rng, ranks, 2, 10, "at-once"))
    return drawn


def _halo_case(
    rng: np.random.Generator,
    ranks: int,
    rows: int,
    width: int,
    prop: str,
    dtype: str = "float64",
) -> Case:
    pieces = rng.normal(size=(ranks, rows, width)).astype(dtype)
    inputs = {"ask": "halos", "pieces": pieces}
    said = f"{ranks} rank{'' if ranks == 1 else 's'}, pieces of {rows} x {width}"
    said += f" of {dtype}" if dtype != "float64" else ""
    return Case(said, inputs, (prop,))


def _test_outcomes(case: Case, observed: Plain) -> Iterable[Fault]:
    wrong = [name for name in PROGRAMS if observed[name] != TRUTH[name]]
    for name in wrong[:1]:
        right = len(PROGRAMS) - len(wrong)
        told = f'{right} of {len(PROGRAMS)} are right; `{name}` does not do what "{observed[name]}"'
        yield Fault("reads", f"{told} says", _ASKS_OF[name])


def _test_waits(case: Case, observed: Plain) -> Iterable[Fault]:
    for rank, (said, true) in enumerate(zip(observed["got"], WAITS_FOR, strict=True)):
        if said != true:
            yield Fault("cycle", f"rank {rank} does not wait for rank {said}")


def _halos(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    pieces = inputs["pieces"]
    edge = np.full((1, pieces.shape[2]), UNTOUCHED)
    wanted = {
        "above": np.concatenate([edge, pieces[:-1, -1]]),
        "below": np.concatenate([pieces[1:, 0], edge]),
        "piece": pieces,
    }
    where = f"with {len(pieces)} rank{'s' * (len(pieces) > 1)}, on rank"
    for name, arrays in wanted.items():
        for rank, one in enumerate(arrays):
            yield Held(f"{where} {rank}", name, observed[name][rank], one)


JUDGE = Judge(
    title="Who waits for whom",
    properties=(
        Property(
            "reads",
            "what each of the six programs does",
            2,
            "Play the ranks: which line is each of them on?",
            _test_outcomes,
        ),
        Property(
            "cycle",
            "which rank each rank of `relay` waits for",
            1,
            "Which line is it on? The other side of that call is the rank it waits for, "
            "even if that one waits, too.",
            _test_waits,
        ),
        right_on_ranks(
            "halos",
            "every rank gets the edges beside its piece, and the program ends",
            1,
            _halos,
            asks="Which rank sends which row to which rank, and where does that one receive it? "
            "(There is -7 where nothing should be received.)",
        ),
        soon_done(
            "at-once",
            "more ranks do not take longer",
            2,
            lambda _: (
                4 * LINK.latency_s,
                "four messages one after another, enough for any number",
            ),
            within=_WITHIN,
            asks="Which ranks wait while others swap, and could swap with a neighbor meanwhile?",
            wrap=lambda test: undecided_if_wrong("at-once", _halos, test),
        ),
    ),
    hints=(
        "For each program, play the ranks yourself: put a finger for each on the line it is in. "
        "A send and its receive move on together, and a collective when all fingers are on one. "
        "For the halos: what would let a rank go on to its receives?",
        "Nobody checks what a collective is *for*: it adds up what comes first on each rank. "
        "Shapes that differ are noticed at best. For the halos: start both sends, receive, and "
        "wait for the sends at the end; a rank without a neighbor leaves that part out.",
        "`sending = []`; `if rank > 0: sending.append(dist.isend(piece[0], rank - 1))`, the same "
        "with `piece[-1]` for the rank below; then `dist.recv(above, rank - 1)` and "
        "`dist.recv(below, rank + 1)`, each if there is such a rank; last, `for one "
        "in sending: one.wait()`.",
    ),
    cases=cases,
    predictions={
        "who-waits": Prediction(
            "rank 0 sums up the loss and then the hits, the others the hits and then the loss, all "
            "tensors of the same shape. What happens?",
            truth="wrong numbers",
            choices=OUTCOMES,
            because="The first call of each rank meets the first calls of the others. Rank 0's "
            "loss is added to the others' hits, and nobody notices.",
        )
    },
)
