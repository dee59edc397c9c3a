"""A learner's collective on light ranks: each rank's tensor before and after, and what was sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gpuedu.errors import DeadlockError
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light import work_for
from gpuedu.multi.network import Cluster, Link

LINK = Link("1 GB/s after 1 µs", 1e-6, 1e9)
"""The made-up link between the ranks of a check: bytes cost more than the message itself."""
SLOW_LINK = Link("0.05 GB/s after 5 µs", 5e-6, 5e7)
"""The one between machines, where the ranks of a check are on two of them."""
LATE_S = 1e-3
"""How much later than the others a late rank begins: long after they would have been done."""
SENT, RECEIVED = "a send", "a recv"
_PEER = re.compile(r" (?:to|from) rank (\d+)")
_SENDER = re.compile(r"rank (\d+) sends")
_CHANGED = ", and changed it before it was sent"
_TOLD = 3


@dataclass(frozen=True)
class Collected:
    """What the ranks held when the learner's function returned.

    Attributes:
        tensors: a copy of each rank's tensor.
        returned: whether a rank's call returned a tensor.
        run: exchanges, timeline, simulated time.
    """

    tensors: tuple[torch.Tensor, ...]
    returned: bool
    run: Ranked

    def plain(self, shape: Sequence[int]) -> dict[str, Any]:
        """As a play returns it, with ``got`` of shape (ranks, elements) in float64."""
        rows = [
            as_array(one, shape, f"`x` of rank {rank}").reshape(-1).astype(np.float64)
            for rank, one in enumerate(self.tensors)
        ]
        dtypes = [str(one.dtype).removeprefix("torch.") for one in self.tensors]
        return {
            "got": np.stack(rows),
            "dtypes": dtypes,
            "returned": self.returned,
            **self.run.plain(),
        }


def collect(
    answer: Callable[..., Any],
    tensors: Sequence[torch.Tensor],
    *arguments: Any,
    late: int | None = None,
    cluster: Cluster | None = None,
) -> Collected:
    """Call ``answer(x, *arguments)`` on as many light ranks as there are tensors.

    When the function returns, the tensor is copied for the account, and then overwritten, as its
    caller might do: what is still on its way then is found out.

    Args:
        answer: the learner's function.
        tensors: each rank's own.
        *arguments: the same for all.
        late: the rank that begins ``LATE_S`` later.
        cluster: where the ranks are; by default joined by ``LINK``.

    Raises:
        AnswerError: a rank failed, or the ranks do not fit together; with a likely cause.
    """
    ranks = len(tensors)

    over: set[int] = set()

    def body(rank: int) -> tuple[torch.Tensor, bool]:
        if rank == late:
            work_for(LATE_S, "late")
        x = tensors[rank]
        given = answer(x, *arguments)
        over.add(rank)
        kept = x.detach().clone()
        x.detach().fill_(float("nan") if x.is_floating_point() else -(2**31))
        return kept, isinstance(given, torch.Tensor)

    try:
        run = run_ranks(body, ranks, [answer], cluster=cluster or Cluster(ranks, LINK))
    except DeadlockError as fault:
        told, remedy = tell_stuck(fault), why_stuck(fault, ranks)
        raise DeadlockError(told, waiting=fault.waiting, remedy=remedy) from None
    except CommunicationError as fault:
        raise tell_unfit(fault, over) from None
    kept, returned = zip(*run.results, strict=True)
    return Collected(kept, any(returned), run)


def two_machines(ranks: int) -> Cluster:
    """The first half of the ranks on one machine, the others on another, behind a slow link.

    Messages between the machines are on their way long after those within one: a rank that does not
    wait for its sends is done before they are.
    """
    return Cluster(ranks, LINK, across=SLOW_LINK, per_node=(ranks + 1) // 2)


def tell_stuck(fault: DeadlockError) -> str:
    """Who waits for what, of the first few."""
    waits = [f"{one.name} waits for {one.what}" for one in fault.waiting]
    more = len(waits) - _TOLD
    behind = f"; and {more} more wait{'s' if more == 1 else ''}" if more > 0 else ""
    return f"no rank can go on: {'; '.join(waits[:_TOLD])}{behind}"


def why_stuck(fault: DeadlockError, ranks: int) -> str:
    """A question for who built a deadlock, from what its ranks wait for."""
    waits = {one.name: one.what for one in fault.waiting}
    for name, what in waits.items():
        found = _PEER.search(what)
        if found and f"rank {found[1]}" not in waits:
            does = "receive" if what.startswith(SENT) else "send"
            return (
                f"Rank {found[1]} is done already. Does it have to {does} once more, or is {name} "
                "wrong?"
            )
    if len(waits) == ranks and all(what.startswith(SENT) for what in waits.values()):
        return (
            "They all send, and a send waits for its receive: who receives? `isend` begins to "
            "send and goes on; `wait()` on its handle comes after the receive."
        )
    if len(waits) == ranks and all(what.startswith(RECEIVED) for what in waits.values()):
        return "They all wait for a message: who sends the first one?"
    return (
        "Take one of them: who should end its wait, and what does that rank do instead? Do both "
        "sides agree on who sends to whom in this round?"
    )


def tell_unfit(fault: CommunicationError, over: Collection[int]) -> CommunicationError:
    """The fault, with what a caller may do once a collective has returned.

    Args:
        fault: what the ranks met.
        over: the ranks whose call of the learner's function had returned by then.
    """
    if _CHANGED not in fault.message:
        return fault
    sender = _SENDER.match(fault.message)
    if sender and int(sender[1]) in over:
        return CommunicationError(
            fault.message.replace(_CHANGED, ", and it was changed before it was sent"),
            remedy="Nobody waited for that `isend`: your function returned, and its caller used "
            "the tensor again. Before you return, call `wait()` on the handle of every `isend`.",
        )
    return CommunicationError(
        fault.message,
        remedy="`isend` returns at once. Until `wait()` on its handle has returned, nobody may "
        "write to that tensor: not your function (a receive into it writes, too), and not its "
        "caller, who may change `x` as soon as your function is over.",
    )
