"""What ranks sent each other: a record for each call, whatever carried it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.errors import AnswerError


class CommunicationError(AnswerError):
    """Ranks communicate in a way that does not match."""


class RankError(AnswerError):
    """A rank failed; ``rank`` says which, ``fault`` with what, if it was in this process."""

    def __init__(
        self, message: str, *, rank: int, fault: BaseException | None = None, remedy: str = ""
    ) -> None:
        self.rank, self.fault = rank, fault
        super().__init__(message, remedy=remedy)


@dataclass(frozen=True)
class Exchange:
    """One call of one rank: a send, a receive, or its part of a collective.

    Attributes:
        rank: who called.
        kind: the function of ``torch.distributed``: "send", "recv", "all_reduce", ... ("isend" is a
            "send", "irecv" a "recv").
        peer: the other rank; None for a collective.
        size_bytes: of the tensor that was handed over; 0 if the rank gave a collective none.
        posted_s: when the call was made, in seconds of the run's clock.
        start_s: when its bytes started to move: both sides were there.
        end_s: when it was done.
        line: where the call is in the program, counted from 1; 0 if that is not known.
        text: that line.
        wire_bytes: what the rank put on the wires, if a collective takes its usual form.
        across_bytes: those that went to another node.
        float_bytes: of each of its numbers, if they are floating-point; otherwise 0.
    """

    rank: int
    kind: str
    peer: int | None
    size_bytes: int
    posted_s: float
    start_s: float
    end_s: float
    line: int = 0
    text: str = ""
    wire_bytes: int = 0
    across_bytes: int = 0
    float_bytes: int = 0


def sent_bytes(exchanges: Iterable[Exchange], ranks: int) -> list[int]:
    """The bytes that each rank sent by ``send``, without what collectives sent.

    >>> sent_bytes([Exchange(1, "send", 0, 8, 0, 0, 1), Exchange(0, "recv", 1, 8, 0, 0, 1)], 2)
    [0, 8]
    """
    found = [0] * ranks
    for one in exchanges:
        if one.kind == "send":
            found[one.rank] += one.size_bytes
    return found


def wire_bytes(exchanges: Iterable[Exchange]) -> int:
    """What all ranks put on the wires together.

    >>> wire_bytes([Exchange(0, "all_reduce", None, 80, 0, 0, 1, wire_bytes=120)] * 4)
    480
    """
    return sum(one.wire_bytes for one in exchanges)


def wire_bytes_in_full(exchanges: Iterable[Exchange], number_bytes: int = 8) -> int:
    """The same, counting the bytes that each floating-point number has before it is rounded.

    Rounding numbers before sending them does not send fewer of them.

    >>> wire_bytes_in_full([Exchange(0, "send", 1, 80, 0, 0, 1, wire_bytes=80, float_bytes=4)])
    160
    """
    return sum(
        max(one.wire_bytes, one.wire_bytes // (one.float_bytes or number_bytes) * number_bytes)
        for one in exchanges
    )


def link_bytes(exchanges: Iterable[Exchange]) -> dict[tuple[int, int], int]:
    """The bytes that went over each link, by (from, to), in the order of their first message."""
    found: dict[tuple[int, int], int] = {}
    for one in exchanges:
        if one.kind == "send" and one.peer is not None:
            pair = one.rank, one.peer
            found[pair] = found.get(pair, 0) + one.size_bytes
    return found
