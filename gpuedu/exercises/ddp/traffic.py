"""How many bytes the calls of a run put on the wires, if collectives take their usual ways."""

from __future__ import annotations

from collections.abc import Iterable

from gpuedu.multi.exchanges import Exchange


def wire_bytes(exchanges: Iterable[Exchange], ranks: int) -> float:
    """Bytes that all ranks send together.

    A collective's record holds what one rank handed over. A ring's all-reduce sends all of it
    twice, less two of ``ranks`` chunks; a reduce-scatter, a reduce, a gather once, less one; an
    all-gather brings each rank's part to all others, as a broadcast does that of its root.

    >>> one = Exchange(0, "all_reduce", None, 80, 0, 0, 1)
    >>> wire_bytes([one] * 4, 4)
    480.0
    """
    share = (ranks - 1) / ranks
    factors = {
        "send": 1.0,
        "recv": 0.0,
        "all_reduce": 2 * share,
        "reduce": share,
        "reduce_scatter": share,
        "gather": share,
        "all_to_all": share,
        "all_gather": ranks - 1.0,
        "broadcast": ranks - 1.0,
    }
    return sum(factors.get(one.kind, 0.0) * one.size_bytes for one in exchanges)
