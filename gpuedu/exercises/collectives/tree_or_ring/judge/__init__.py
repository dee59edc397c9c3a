"""tree-or-ring: a schedule of whole tensors, when it is the faster one, and how it grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.all_reduce_schedules import Message, walk
from gpuedu.exercises.collectives.tree_or_ring.judge.ring_from import judge_choices, judge_crossover
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.multi.network import (
    LINKS,
    Cluster,
    Link,
    crossover_bytes,
    link,
    simulate,
    tree_all_reduce_s,
)
from gpuedu.units import format_size

_SLACK = 1e-6
_LINK = link("infiniband-ndr")


def cases(rng: np.random.Generator) -> list[Case]:
    """Schedules for all sorts of counts; crossovers and choices on made-up and known links."""
    size = int(rng.integers(100, 5000))
    # One rank above a power of two takes one level more, and its logarithm is hardly larger.
    above = int(rng.choice([17, 33, 65]))
    counts = [1, 2, 3, 4, 5, 6, 7, 8, int(rng.integers(9, 16)), above, 100]
    drawn = [_schedule_case(n, size, "sum") for n in (*counts, 1024)]
    drawn += [_schedule_case(n, 10**6, "rounds") for n in (2, 3, 4, 8, 13, 64, above, 1024)]
    # From 4 ranks on the size matters: their cases come first, as the card shows the first lost.
    for ranks in (4, 5, 8, above, int(rng.integers(100, 1000)), 1024, 2, 3):
        drawn.append(_link_case(rng, "crossover", ranks))
        drawn.append(_link_case(rng, "choice", ranks))
    for low, high in ((9, 13), (14, 64), (65, 200), (201, 1024)):
        ranks, size = int(rng.integers(low, high)), int(rng.integers(10**3, 10**7))
        drawn.append(_schedule_case(ranks, size, "rounds"))
    return drawn


def _schedule_case(ranks: int, size: int, prop: str) -> Case:
    inputs = {"ask": "schedule", "ranks": ranks, "size_bytes": size}
    said = f"{ranks} rank{'' if ranks == 1 else 's'}, {format_size(size)}"
    return Case(said, inputs, (prop,))


def _link_case(rng: np.random.Generator, prop: str, ranks: int) -> Case:
    made_up = Link(
        "made up", float(rng.integers(10, 500)) * 1e-7, float(rng.integers(5, 500)) * 1e9
    )
    name = str(rng.choice(sorted(LINKS)))
    chosen = made_up if prop == "crossover" else link(name)
    inputs = {"ask": "crossover", "ranks": ranks, **_numbers(chosen)}
    if prop == "choice":
        middle = crossover_bytes(ranks, chosen) or 2e5
        sizes = [int(middle * factor) for factor in (0.001, 0.3, 0.7, 0.9, 1.1, 1.4, 3.0, 1000.0)]
        inputs |= {"ask": "choice", "sizes_bytes": [1, *sizes]}
    told = f"{ranks} ranks, " + (name if prop == "choice" else "a made-up link")
    return Case(told, inputs, (prop,))


def _numbers(one: Link) -> dict[str, float]:
    return {"alpha_s": one.latency_s, "bytes_per_s": one.bytes_per_s}


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Undecided]:
    """Whether the one property that the case decides holds."""
    (prop,), inputs = case.decides, case.inputs
    if prop == "sum":
        yield from _judge_sum(inputs, _rounds(observed))
    elif prop == "rounds":
        yield from _judge_rounds(inputs, _rounds(observed))
    elif prop == "crossover":
        yield from judge_crossover(inputs, observed["got"])
    else:
        yield from judge_choices(inputs, observed["got"], observed["crossover"])


def _rounds(observed: Plain) -> list[list[Message]]:
    return [
        [(src, dst, size) for _, src, dst, size in rows]
        for _, rows in groupby(observed["rows"], key=lambda row: row[0])
    ]


def _judge_sum(inputs: Mapping[str, Any], rounds: Sequence[Sequence[Message]]) -> Iterable[Fault]:
    ranks = inputs["ranks"]
    walked = walk(rounds, ranks, inputs["size_bytes"])
    if walked.fault:
        yield Fault("sum", walked.fault)
    elif walked.missing:
        rank, lacks = walked.missing[0]
        count = len(walked.missing)
        yield Fault(
            "sum",
            f"rank {rank} ends without the numbers of rank {lacks} ({count} "
            f"rank{' does' if count == 1 else 's do'} not have the whole sum)",
        )


def _judge_rounds(
    inputs: Mapping[str, Any], rounds: Sequence[Sequence[Message]]
) -> Iterable[Fault | Undecided]:
    ranks, size = inputs["ranks"], inputs["size_bytes"]
    walked = walk(rounds, ranks, size)
    if walked.fault or walked.missing:
        yield Undecided("rounds", "the schedule does not sum up")
        return
    most = 2 * (ranks - 1).bit_length()
    if len(rounds) > most:
        yield Fault("rounds", f"your schedule has {len(rounds)} rounds, a tree {most}")
        return  # each of thousands of rounds would take its time to simulate
    took_s = simulate(rounds, Cluster(ranks, _LINK)).time_s
    best_s = tree_all_reduce_s(ranks, size, _LINK)
    if took_s > best_s * (1 + _SLACK):
        each_s = _LINK.time_s(size)
        yield Fault(
            "rounds",
            f"your schedule takes as long as {took_s / each_s:.4g} messages "
            f"one after another (simulated), a tree as long as {best_s / each_s:.0f}"
            + _busiest(rounds),
        )


def _busiest(rounds: Sequence[Sequence[Message]]) -> str:
    """The first rank with several messages in a round, as a part of a sentence."""
    for number, messages in enumerate(rounds):
        for end, doing in ((1, "receives"), (0, "sends")):
            ends = [message[end] for message in messages]
            busy = max(set(ends), key=ends.count)
            if ends.count(busy) > 1:
                return (
                    f"; in round {number}, rank {busy} {doing} {ends.count(busy)} messages, one "
                    "after another through one port"
                )
    return ""


JUDGE = Judge(
    title="Tree or ring",
    properties=(
        Property(
            "sum",
            "your schedule brings the sum to all ranks, each number once",
            2,
            asks="Follow the numbers of that rank, round by round: a message `(from, to, bytes)` "
            "carries the whole tensor, as its sender had it before that round, and the "
            "receiver adds it, unless it is the finished sum.",
        ),
        Property(
            "rounds",
            "2 ceil(log2 n) rounds or fewer, each as long as a message, up to 1024 ranks",
            1,
            asks="Which ranks still have something to send after each round? In a tree they are "
            "half as many each time.",
        ),
        Property(
            "crossover",
            "the size from which a ring is faster",
            1,
            asks="The tree takes 2 ceil(log2 n) messages of alpha + S / rate, the ring 2 (n - 1) "
            "of alpha + (S / n) / rate. For which S are they equal, and on which side does "
            "the rate end up?",
        ),
        Property(
            "choice",
            "the faster way is chosen, for 2 to 1024 ranks and every size",
            2,
            asks="For a tiny tensor the number of messages decides, for a large one the bytes. "
            "From which size on is the ring faster, for these ranks and this link?",
        ),
    ),
    hints=(
        "In the first round every second rank sends to the one before it, and half of them are "
        "done. "
        "Which ranks are left, and how far apart are they? The way down is the way up in reverse.",
        "With `gap` = 1, 2, 4, ...: ranks `gap`, `gap + 2 * gap`, ... send to the rank `gap` "
        "before them. Ranks that do not exist send nothing. For the way down, take the rounds in "
        "reverse, and swap `from` and `to`. For the crossover, write both times as a alpha + b S / "
        "rate, set them equal, and solve for S.",
        "`up.append([(r + gap, r, size_bytes) for r in range(0, ranks - gap, 2 * gap)])`, while "
        "`gap < ranks`; `down = [[(b, a, s) for a, b, s in messages] for messages in up[::-1]]`. "
        "The crossover: `(ranks - 1 - depth) * alpha_s * bytes_per_s / (depth - (ranks - 1) / "
        "ranks)` with `depth = (ranks - 1).bit_length()`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "tree-or-ring": Prediction(
            "1024 ranks, and a tensor so small that only latency counts. How many times as long as "
            "the tree does the ring take?",
            truth=102.3,
            unit="times",
            because="2046 steps, against 2 times 10.",
        )
    },
    seeds=10,
)
