"""broadcast-tree: from one rank to all, in as few rounds as can be."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.collectives.clusters import LINK
from gpuedu.exercises.collectives.judge.ring_cases import case, element_bytes
from gpuedu.exercises.collectives.judge.ring_properties import unearned_if_wrong, unless_told
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property, Test
from gpuedu.exercises.ranks.properties import (
    Held,
    built_by_hand,
    of_messages,
    right_on_ranks,
    soon_done,
    undecided_if_wrong,
)

_WITHIN = 1.05
"""How much longer than its rounds a run may take."""
_SIZE = 4096


def cases(rng: np.random.Generator) -> list[Case]:
    """Powers of two, other counts, other roots, shapes and dtypes; then what it costs."""
    small, costs = 5, ("messages", "rounds")
    return [
        *(case(rng, ["arrives"], n, small, root=0) for n in (2, 4)),
        case(rng, ["arrives"], 8, (2, 3), root=0, dtype="float32"),
        case(rng, ["arrives"], 4, small, root=0, late=int(rng.integers(4))),
        *(case(rng, ["any-count"], n, small, root=0) for n in (1, 3, 5, 7, 13)),
        case(rng, ["any-count"], 40, small, root=0, dtype="float32"),
        case(rng, ["any-root"], 2, small, root=1),
        case(rng, ["any-root"], 8, small, root=int(rng.integers(1, 8)), dtype="float32"),
        case(rng, ["any-root"], 6, small, root=int(rng.integers(1, 5))),
        case(rng, ["any-root"], 5, small, root=4),
        case(rng, costs, 4, _SIZE, root=0),
        case(rng, ["any-root", *costs], 8, _SIZE, root=int(rng.integers(1, 8))),
        case(rng, costs, 13, 2 * _SIZE, root=0, dtype="float32"),
    ]


def _tensor_of_root(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    ranks, root = inputs["ranks"], inputs["root"]
    wanted = inputs["values"][root].astype(inputs["dtype"]).astype(np.float64)
    for rank, got in enumerate(observed["got"]):
        where = f"with {ranks} ranks and root {root}, on rank {rank}"
        yield Held(where, "x", got, wanted)


def _size_bytes(inputs: Inputs) -> int:
    return inputs["values"].shape[1] * element_bytes(inputs["dtype"])


def _test_messages(case: Case, observed: Plain) -> Iterable[Fault]:
    ranks, size, sends = case.inputs["ranks"], _size_bytes(case.inputs), observed["sends"]
    for src, dst, sent in sends[sends[:, 2] != size].tolist():
        told = f"rank {src} sent {sent} bytes to rank {dst}, the tensor has {size}"
        yield Fault("messages", told)
    if len(sends) != ranks - 1:
        told = f"with {ranks} ranks there were {len(sends)} messages, expected {ranks - 1}"
        yield Fault("messages", told)


def _rounds(inputs: Inputs) -> tuple[float, str]:
    rounds = (inputs["ranks"] - 1).bit_length()
    told = f"{rounds} messages one after another, with {inputs['ranks']} ranks"
    return rounds * LINK.time_s(_size_bytes(inputs)), told


def _of_right_ones(test: Test) -> Test:
    tested = undecided_if_wrong("rounds", _tensor_of_root, of_messages("rounds", test))
    return unless_told("any-root", _tensor_of_root, tested)


JUDGE = Judge(
    title="Broadcast along a tree",
    properties=(
        built_by_hand(
            right_on_ranks(
                "arrives",
                "every rank gets the tensor of rank 0, on 2, 4 and 8 ranks",
                1,
                _tensor_of_root,
                asks="Follow that rank's `x` from the first round to the last: what writes to it, "
                "and which numbers were sent there?",
            ),
        ),
        built_by_hand(
            right_on_ranks(
                "any-count",
                "the same on 1, 3, 5, 7, 13 and 40 ranks",
                1,
                _tensor_of_root,
                asks="Follow that rank's `x` from the first round to the last: what writes to it, "
                "and which numbers were sent there?",
            ),
        ),
        built_by_hand(
            right_on_ranks(
                "any-root",
                "any rank can be the root",
                1,
                _tensor_of_root,
                asks="Which rank has the tensor at the start, and how do you count ranks from "
                "there? What writes to that rank's `x`?",
            ),
        ),
        Property(
            "messages",
            "n - 1 messages, each with the whole tensor",
            1,
            "How often does each rank have to receive, and how much?",
            unless_told(
                "any-root",
                _tensor_of_root,
                of_messages(
                    "messages",
                    unearned_if_wrong("messages", _tensor_of_root, _test_messages),
                    tells_calls=True,
                ),
            ),
        ),
        soon_done(
            "rounds",
            "ceil(log2 n) rounds",
            1,
            _rounds,
            within=_WITHIN,
            asks="Which ranks have the tensor after each round, and which of them send next?",
            wrap=_of_right_ones,
        ),
    ),
    hints=(
        "Let the root be rank 0 for now. Write down for 8 ranks who has the tensor after each "
        "round: rank 0; 0 and 1; 0 to 3; all. Which rank sends to which in the third round?",
        "With `have` ranks that have it (1, 2, 4, ...): rank r below `have` sends to r + have, if "
        "there is such a rank; ranks from `have` to 2 * have - 1 receive. For another root count "
        "the ranks from there: `me = (rank - root) % ranks`, and back when you name a peer.",
        "`have = 1`; `while have < ranks:` if `me < have and me + have < ranks`: `dist.send(x, "
        "(me + have + root) % ranks)`; elif `have <= me < 2 * have`: `dist.recv(x, (me - have + "
        "root) % ranks)`; then `have *= 2`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "broadcast-tree": Prediction(
            "how many rounds does it take until 1000 ranks have the tensor?",
            truth=10,
            unit="rounds",
            exact=True,
            because="After r rounds 2^r ranks have it: 512 after 9, all 1000 after 10.",
        )
    },
)
