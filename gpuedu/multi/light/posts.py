"""Sends and receives that find each other, and the time that a message takes."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gpuedu.clock import Moment, VirtualClock
from gpuedu.multi.exchanges import CommunicationError, Exchange
from gpuedu.multi.network import Topology
from gpuedu.training.call_sites import CallSite
from gpuedu.units import format_size


@dataclass
class Post:
    """A send or a receive that was called; ``done`` happens with a fault, or with the sender.

    ``number`` counts the posts of a run, in the order in which they were called. ``arrived`` is
    what a receive got but nobody has yet waited for.
    """

    kind: str
    rank: int
    peer: int | None
    tag: int
    tensor: torch.Tensor
    posted_s: float
    site: CallSite | None
    done: Moment
    number: int = 0
    kept: torch.Tensor | None = None
    arrived: torch.Tensor | None = None

    def deliver(self) -> None:
        """Put what arrived into the tensor, now that its rank has waited for it."""
        if self.arrived is not None:
            with torch.no_grad():
                self.tensor.copy_(self.arrived)
            self.arrived = None

    @property
    def size_bytes(self) -> int:
        """Bytes of the tensor."""
        return bytes_of(self.tensor)

    def __str__(self) -> str:
        way = {"send": "sends", "recv": "receives into"}[self.kind]
        return f"rank {self.rank} {way} {describe(self.tensor)}{place(self.site)}"

    def fits(self, other: Post) -> bool:
        """Whether a send and a receive match."""
        return (
            self.tag == other.tag
            and self.peer in (None, other.rank)
            and other.peer in (None, self.rank)
        )


def describe(tensor: torch.Tensor) -> str:
    """Shape and type of a tensor, as a message writes them.

    >>> describe(torch.zeros(2, 3))
    '(2, 3) float32'
    """
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"


def bytes_of(tensor: torch.Tensor) -> int:
    """What a tensor's elements take.

    >>> bytes_of(torch.zeros(2, 3))
    24
    """
    return tensor.numel() * tensor.element_size()


def float_bytes_of(dtype: torch.dtype) -> int:
    """What a number of this type takes; 0 for integers.

    >>> float_bytes_of(torch.bfloat16), float_bytes_of(torch.int64)
    (2, 0)
    """
    return dtype.itemsize if dtype.is_floating_point else 0


def place(site: CallSite | None) -> str:
    """Where a call is, to be appended to its description."""
    return f" (line {site.line}: `{site.text}`)" if site and site.text else ""


class Mailbox:
    """The messages between the ranks of one run.

    A send waits until its receive is there, and vice versa, as large messages do on every network:
    a program that relies on a buffer in between fails here. Messages between two ranks with the
    same tag arrive in the order in which they were sent.
    """

    def __init__(
        self,
        clock: VirtualClock,
        cluster: Topology,
        log: list[Exchange],
        busy_until_s: dict[int, float],
    ) -> None:
        self._clock, self._cluster, self._log = clock, cluster, log
        self._open: dict[tuple[str, int], list[Post]] = {}
        self._met: list[tuple[Post, Post]] = []
        self._posted = 0
        self._busy_until_s = busy_until_s

    def post(
        self,
        kind: str,
        rank: int,
        peer: int | None,
        tensor: torch.Tensor,
        tag: int,
        site: CallSite | None,
    ) -> Post:
        """Call a send or a receive; it is carried out as soon as both sides are there."""
        direction = "to" if kind == "send" else "from"
        whom = "any rank" if peer is None else f"rank {peer}"
        what = f"a {kind} of {describe(tensor)} {direction} {whom}{place(site)}"
        post = Post(
            kind, rank, peer, tag, tensor, self._clock.now(), site, self._clock.moment(what)
        )
        self._posted += 1
        post.number = self._posted
        if kind == "send":
            post.kept = tensor.detach().clone()
        elif tensor.is_floating_point():
            tensor.detach().fill_(float("nan"))  # who reads before it has arrived reads nothing
        other = self._other(post)
        if other is None:
            self._open.setdefault((kind, rank), []).append(post)
        else:
            self._open[other.kind, other.rank].remove(other)
            self._meet(*((post, other) if kind == "send" else (other, post)))
        return post

    def count_open(self, kind: str, rank: int) -> int:
        """How many sends, or receives, of a rank have not been matched."""
        return len(self._open.get((kind, rank), ()))

    def _other(self, post: Post) -> Post | None:
        """The post that this one meets: of those that it could, the one that was called first."""
        kind = "recv" if post.kind == "send" else "send"
        ranks = range(self._cluster.ranks) if post.peer is None else [post.peer]
        found = (
            next((one for one in self._open.get((kind, rank), ()) if one.fits(post)), None)
            for rank in ranks
            if rank != post.rank
        )
        return min((one for one in found if one), key=lambda one: one.number, default=None)

    def _meet(self, send: Post, receive: Post) -> None:
        if (send.tensor.numel(), send.tensor.dtype) != (
            receive.tensor.numel(),
            receive.tensor.dtype,
        ):
            fault = CommunicationError(
                f"{send}, and {receive}",
                remedy="Both should have the same number of elements, and the same type.",
            )
            send.done.happen(fault)
            receive.done.happen(fault)
            return
        self._met.append((send, receive))
        if len(self._met) == 1:
            self._clock.start(self._begin_all(), "messages that begin", is_server=True)

    def _begin_all(self) -> Generator[Moment, Any, None]:
        """Let what met at this instant begin: a rank's messages leave in the order of its sends.

        Without that, they would leave in the order in which the receivers came, which at the same
        instant nobody's program decides.
        """
        yield self._clock.lull()
        met, self._met = self._met, []
        for send, receive in sorted(met, key=lambda pair: pair[0].number):
            steps = self._carry(send, receive, *self._book(send, receive))
            self._clock.start(steps, f"message {send.rank} to {receive.rank}", is_server=True)

    def _book(self, send: Post, receive: Post) -> tuple[float, float]:
        """When a message begins, and when it is there; its links carry it one after another."""
        routes, latency_s = self._cluster.routes(np.array([send.rank]), np.array([receive.rank]))
        links = routes[routes >= 0]
        times_s = send.size_bytes / self._cluster.rates[links]
        now_s = self._clock.now()
        for link, time_s in zip(links.tolist(), times_s.tolist(), strict=True):
            self._busy_until_s[link] = max(now_s, self._busy_until_s.get(link, 0.0)) + time_s
        passed_s = max(self._busy_until_s[link] for link in links.tolist())
        return passed_s - float(times_s.max()), passed_s + float(latency_s[0])

    def _carry(
        self, send: Post, receive: Post, start_s: float, there_s: float
    ) -> Generator[Moment, Any, None]:
        """Let the bytes pass, and hand them over at the end."""
        yield self._clock.after(there_s - self._clock.now())
        fault = None
        if not same_bits(send.tensor, send.kept):
            fault = CommunicationError(
                f"{send}, and changed it before it was sent",
                remedy="`isend` returns at once: call `.wait()` on what it returns before the "
                "tensor is changed or freed.",
            )
        receive.arrived = send.kept.reshape(receive.tensor.shape)
        for post, peer in ((send, receive.rank), (receive, send.rank)):
            self._note(post, peer, start_s)
        send.done.happen(fault)
        receive.done.happen(fault if fault is not None else send.rank)

    def _note(self, post: Post, peer: int, start_s: float) -> None:
        end_s = self._clock.now()
        at = (post.site.line, post.site.text) if post.site else (0, "")
        times_s = post.posted_s, start_s, end_s
        wire = post.size_bytes if post.kind == "send" else 0
        is_across = self._cluster.node_of(post.rank) != self._cluster.node_of(peer)
        of_wires = wire, wire * int(is_across), float_bytes_of(post.tensor.dtype)
        self._log.append(
            Exchange(post.rank, post.kind, peer, post.size_bytes, *times_s, *at, *of_wires)
        )
        lane = f"rank {post.rank}"
        way = f"to {peer}" if post.kind == "send" else f"from {peer}"
        self._clock.record(lane, post.kind, start_s, end_s, f"{format_size(post.size_bytes)} {way}")


def same_bits(tensor: torch.Tensor, kept: torch.Tensor) -> bool:
    """Whether a tensor is unchanged, NaN for NaN; one without memory always is."""
    if tensor.is_meta:
        return True
    return torch.equal(_bits(tensor), _bits(kept))


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    apart = tensor.detach().clone(memory_format=torch.contiguous_format)
    return apart.reshape(-1).view(torch.uint8)
