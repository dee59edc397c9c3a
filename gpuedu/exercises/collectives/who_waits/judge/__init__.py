"""who-waits: what six programs do, who waits for whom, and an exchange of halos mended."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.collectives.who_waits.play import LINK, OUTCOMES, PROGRAMS, UNTOUCHED
from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

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
_ASKS = {
    "around": "All four send first. Who receives?",
    "along": "The last rank sends to nobody, and so it receives at once. What can the one before "
    "it do then?",
    "report": "Which ranks call `all_reduce`, and how many does it wait for?",
    "clip": "Which collective does rank 0 call first, on how many elements, and which do "
    "the others?",
    "two_sums": "Rank 0 and the others call the same two collectives in a different order, on "
    "tensors of the same shape. Can anybody notice? What is added to what?",
    "relay": "Begin with rank 3, and ask of each: who has to call what, so that it can go on?",
}
_MESSAGES = 4.2
"""Two messages each way, one after another, are four: with ranks that take turns, and rounding."""


def cases(rng: np.random.Generator) -> list[Case]:
    """What was read, whom ranks wait for, and halos on all sorts of counts."""
    drawn = [
        Case("the six programs, on 4 ranks", {"ask": "outcomes"}, ("reads",)),
        Case("`relay`, on 4 ranks", {"ask": "waits", "ranks": 4}, ("cycle",)),
    ]
    for ranks, rows in ((1, 3), (2, 2), (3, 4), (4, 1), (5, 3), (8, 2), (9, 3)):
        drawn.append(_halo_case(rng, ranks, rows, int(rng.integers(3, 9)), "halos"))
    for ranks in (7, 16):
        drawn.append(_halo_case(rng, ranks, 2, 10, "at-once"))
    return drawn


def _halo_case(rng: np.random.Generator, ranks: int, rows: int, width: int, prop: str) -> Case:
    inputs = {"ask": "halos", "pieces": rng.normal(size=(ranks, rows, width))}
    said = f"{ranks} rank{'' if ranks == 1 else 's'}, pieces of {rows} x {width}"
    return Case(said, inputs, (prop,))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the one property that the case decides holds."""
    (prop,), inputs = case.decides, case.inputs
    if prop == "reads":
        yield from _judge_outcomes(observed)
    elif prop == "cycle":
        yield from _judge_waits(observed["got"])
    else:
        wrong = list(_judge_halos(prop, inputs["pieces"], observed))
        yield from wrong
        if prop == "at-once" and not wrong:
            yield from _judge_time(inputs["pieces"], observed)


def _judge_outcomes(observed: Plain) -> Iterable[Fault]:
    wrong = [name for name in PROGRAMS if observed[name] != TRUTH[name]]
    if wrong:
        first = wrong[0]
        right = len(PROGRAMS) - len(wrong)
        yield Fault(
            "reads",
            f'{right} of {len(PROGRAMS)} are right; `{first}` does not do what "{observed[first]}" '
            "says",
            _ASKS[first],
        )


def _judge_waits(got: list[int]) -> Iterable[Fault]:
    for rank, (said, true) in enumerate(zip(got, WAITS_FOR, strict=True)):
        if said != true:
            yield Fault(
                "cycle",
                f"rank {rank} does not wait for rank {said}",
                "In which line does it stand? The other side of that call is the rank it waits "
                "for, even if that one waits, too.",
            )
            return


def _judge_halos(prop: str, pieces: np.ndarray, observed: Plain) -> Iterable[Fault]:
    ranks, _, width = pieces.shape
    edge = np.full((1, width), UNTOUCHED)
    wanted = {
        "above": np.concatenate([edge, pieces[:-1, -1]]),
        "below": np.concatenate([pieces[1:, 0], edge]),
        "piece": pieces,
    }
    for name, expected in wanted.items():
        got = observed[name]
        wrong = ~(got == expected).reshape(ranks, -1).all(axis=1)
        if wrong.any():
            rank = int(wrong.argmax())
            yield Fault(
                prop, _told(name, rank, got[rank], expected[rank]), _why_halo(name, got, pieces)
            )
            return


def _told(name: str, rank: int, got: np.ndarray, expected: np.ndarray) -> str:
    at = tuple(int(i) for i in np.argwhere(~(got == expected))[0])
    place = ", ".join(map(str, at))
    return (
        f"`{name}[{place}]` of rank {rank} is {show(float(got[at]))}, expected "
        f"{show(float(expected[at]))}"
    )


def _why_halo(name: str, got: np.ndarray, pieces: np.ndarray) -> str:
    if name == "piece":
        return "The piece itself should stay as it is. What do you receive into?"
    if np.isnan(got).any():
        return "It has not arrived yet when your function returns. Which handle was not waited for?"
    ranks = len(pieces)
    wrong_row = pieces[:, 0] if name == "above" else pieces[:, -1]
    shift = 1 if name == "above" else -1
    others = np.roll(wrong_row, shift, axis=0)
    inner = slice(1, ranks) if name == "above" else slice(0, ranks - 1)
    if ranks > 1 and pieces.shape[1] > 1 and np.array_equal(got[inner], others[inner]):
        return "That is the other edge of the neighbour's piece: which row lies next to yours?"
    end = 0 if name == "above" else ranks - 1
    if not (got[end] == UNTOUCHED).all():
        return (
            "The ranks stand in a line, not in a ring: the first has nobody above it, the last "
            "nobody below, and what they got stays as it was."
        )
    return "Who sends which row to whom, and into what does that one receive it?"


def _judge_time(pieces: np.ndarray, observed: Plain) -> Iterable[Fault]:
    took = observed["time_s"] / LINK.latency_s
    if took > _MESSAGES:
        yield Fault(
            "at-once",
            f"the exchange takes as long as {took:.3g} messages one after "
            "another (simulated); 2 to 4 are enough for any number of ranks",
            "A chain: each rank waits until the one before it is done. How many could swap with a "
            "neighbour at the same time?",
        )


JUDGE = Judge(
    title="Who waits for whom",
    properties=(
        Property("reads", "what each of the six programs does", 2),
        Property("cycle", "whom each rank of `relay` waits for", 1),
        Property("halos", "every rank gets the edges beside its piece, and the program ends", 1),
        Property("at-once", "more ranks do not take longer", 2),
    ),
    hints=(
        "For each program, play the ranks yourself: a finger for each, on the line in which it "
        "stands. A send and its receive go on together; a collective when all fingers are on one. "
        "For the halos: what would let a rank go on to its receives?",
        "Nobody checks what a collective is *for*: it adds up what comes first on each rank. "
        "Shapes that differ are noticed at best. For the halos: begin both sends, receive, and "
        "wait for the sends at the end; who has no neighbour leaves that out.",
        "`sending = []`; `if rank > 0: sending.append(dist.isend(piece[0], rank - 1))`, the same "
        "with `piece[-1]` for the rank below; then `dist.recv(above, rank - 1)` and "
        "`dist.recv(below, rank + 1)`, each where there is such a rank; at last `for one "
        "in sending: one.wait()`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "who-waits": Prediction(
            "rank 0 sums up the loss and then the hits, the others the hits and then the loss, all "
            "tensors of the same shape. What comes of it?",
            truth="wrong numbers",
            choices=OUTCOMES,
            because="The first call of each rank meets the first calls of the others. Rank 0's "
            "loss is added to the others' hits, and nobody notices.",
        )
    },
)
