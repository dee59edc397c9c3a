"""broadcast-tree: from one rank to all, in as few rounds as can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.collective_runs import LINK
from gpuedu.exercises.collectives.judge.collective_cases import case, element_bytes
from gpuedu.exercises.collectives.judge.ring_traffic import collective_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.ranks.running import exchanges_of
from gpuedu.multi.exchanges import Exchange

_WITHIN = 1.05
"""How much longer than its rounds a run may take."""
_SIZE = 4096


def cases(rng: np.random.Generator) -> list[Case]:
    """Powers of two, other counts, other roots; then what it costs."""
    small = 5
    return [
        *(case(rng, ["arrives"], n, small, root=0) for n in (2, 4, 8)),
        case(rng, ["arrives"], 4, small, root=0, late=int(rng.integers(4))),
        *(case(rng, ["any-count"], n, small, root=0) for n in (1, 3, 5, 7, 13)),
        case(rng, ["any-root"], 2, small, root=1),
        case(rng, ["any-root"], 8, small, root=int(rng.integers(1, 8))),
        case(rng, ["any-root"], 6, small, root=int(rng.integers(1, 5))),
        case(rng, ["any-root"], 5, small, root=4),
        *(case(rng, ["messages", "rounds"], n, _SIZE, root=0) for n in (4, 8)),
        case(rng, ["messages", "rounds"], 13, _SIZE, root=0),
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether it arrived, and what it took."""
    inputs, arrived = case.inputs, _arrival_fault(case.decides[0], case.inputs, observed)
    if "rounds" not in case.decides:
        yield from arrived
        return
    exchanges = exchanges_of(observed["exchanges"])
    used = list(collective_fault("messages", exchanges))
    yield from used or _message_fault(inputs, exchanges)
    yield from collective_fault("rounds", exchanges)
    for fault in arrived:
        yield Fault("rounds", fault.message, fault.cause)
    yield from _round_fault(inputs, observed, exchanges)


def _arrival_fault(prop: str, inputs: Mapping[str, Any], observed: Plain) -> list[Fault]:
    values, got, root = inputs["values"], observed["got"], inputs["root"]
    ranks = inputs["ranks"]
    wrong = [rank for rank in range(ranks) if not np.array_equal(got[rank], values[root])]
    if not wrong:
        return []
    if root in wrong:
        told = f"with {ranks} ranks, rank {root} is the root, and its own tensor was changed"
        return [Fault(prop, told, "The root has what all want: it never receives.")]
    rank = wrong[0]
    whose = [other for other in range(ranks) if np.array_equal(got[rank], values[other])]
    other = "NaN" if np.isnan(got[rank]).all() else "something else"
    told = f"rank {whose[0]}'s tensor" if whose else other
    return [
        Fault(
            prop,
            f"with {ranks} ranks and root {root}, rank {rank} holds {told} at the end "
            f"({len(wrong)} of {ranks} ranks are wrong)",
            _why_not(rank, whose, root, got[rank], observed),
        )
    ]


def _why_not(rank: int, whose: Sequence[int], root: int, got: np.ndarray, observed: Plain) -> str:
    if observed["returned"] and whose == [rank]:
        return "Your function returns a tensor: the root's has to be in `x` itself."
    if not np.isfinite(got).all():
        return "It was sent on before it had arrived, or a receive was not waited for."
    received = any(
        one.kind == "recv" and one.rank == rank for one in exchanges_of(observed["exchanges"])
    )
    if whose == [rank] and received:
        return (
            "It received, but not into `x`: `x = got` only gives another tensor that name. Receive "
            "into `x` itself, or change it in place: `x.copy_(got)`."
        )
    if whose == [rank]:
        return "It received nothing. In which round is it its turn, and who sends to it?"
    if whose and whose != [root]:
        return "Who sent to it did not have the root's tensor yet. Who has it, in each round?"
    return ""


def _message_fault(inputs: Mapping[str, Any], exchanges: Sequence[Exchange]) -> Iterable[Fault]:
    ranks = inputs["ranks"]
    size_bytes = inputs["values"].shape[1] * element_bytes(inputs["dtype"])
    sends = [one for one in exchanges if one.kind == "send"]
    parts = [one for one in sends if one.size_bytes != size_bytes]
    if parts:
        one = parts[0]
        yield Fault(
            "messages",
            f"rank {one.rank} sent {one.size_bytes} bytes to rank {one.peer}, the tensor has "
            f"{size_bytes}",
            "Each message costs a latency: here, one carries the whole tensor.",
        )
    elif len(sends) != ranks - 1:
        yield Fault(
            "messages",
            f"with {ranks} ranks there were {len(sends)} messages, expected {ranks - 1}",
            _why_messages(sends),
        )


def _why_messages(sends: Sequence[Exchange]) -> str:
    twice = [one.peer for one in sends if sum(one.peer == other.peer for other in sends) > 1]
    if twice:
        return f"Rank {twice[0]} received more than once: who has the tensor needs it no more."
    return "Each rank but the root receives the tensor once."


def _round_fault(
    inputs: Mapping[str, Any], observed: Plain, exchanges: Sequence[Exchange]
) -> Iterable[Fault]:
    ranks = inputs["ranks"]
    size_bytes = inputs["values"].shape[1] * element_bytes(inputs["dtype"])
    rounds, message_s = (ranks - 1).bit_length(), LINK.time_s(size_bytes)
    took = observed["time_s"] / message_s
    if took > _WITHIN * rounds:
        yield Fault(
            "rounds",
            f"with {ranks} ranks it took {took:.3g} times as long as one message, expected "
            f"{rounds}",
            _why_rounds(inputs["root"], ranks, exchanges),
        )


def _why_rounds(root: int, ranks: int, exchanges: Sequence[Exchange]) -> str:
    senders = {one.rank for one in exchanges if one.kind == "send"}
    if senders == {root}:
        return (
            f"Rank {root} sends all messages, and they go out one after the other (also with "
            "`isend`: they leave by one port). Who else has the tensor after the first round?"
        )
    if len(senders) == ranks - 1:
        return "Each rank sends once: a chain. Who has the tensor can send it in every round."
    return "In each round everybody who has it sends it to somebody who has not."


JUDGE = Judge(
    title="Broadcast along a tree",
    properties=(
        Property("arrives", "every rank gets the tensor of rank 0, on 2, 4 and 8 ranks", 1),
        Property("any-count", "so it does on 1, 3, 5, 7 and 13 ranks", 1),
        Property("any-root", "any rank can be the root", 1),
        Property("messages", "n - 1 messages, each with the whole tensor", 1),
        Property("rounds", "ceil(log2 n) rounds", 1),
    ),
    hints=(
        "Let the root be rank 0 for now. Write down for 8 ranks who has the tensor after each "
        "round: rank 0; 0 and 1; 0 to 3; all. Who sends to whom in the third round?",
        "With `have` ranks that have it (1, 2, 4, ...): rank r below `have` sends to r + have, if "
        "there is such a rank; ranks from `have` to 2 * have - 1 receive. For another root count "
        "the ranks from there: `me = (rank - root) % ranks`, and back when you name a peer.",
        "`have = 1`; `while have < ranks:` if `me < have and me + have < ranks`: `dist.send(x, "
        "(me + have + root) % ranks)`; elif `have <= me < 2 * have`: `dist.recv(x, (me - have + "
        "root) % ranks)`; then `have *= 2`.",
    ),
    cases=cases,
    verdict=verdict,
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
