"""Sends and receives of a light rank, by the names that ``torch.distributed`` has for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light.ranks import Work, me, require_rank
from gpuedu.multi.light.world import call_site
from gpuedu.training.call_sites import CallSite


class P2POp:
    """One send or receive of a batch: ``P2POp(dist.isend, tensor, peer)``."""

    def __init__(
        self, op: Callable[..., Work], tensor: Tensor, peer: int, group: Any = None, tag: int = 0
    ) -> None:
        name = getattr(op, "__name__", "")
        if name not in ("isend", "irecv"):
            raise CommunicationError(f"a P2POp takes `dist.isend` or `dist.irecv`, got {op!r:.60}")
        self.name, self.tensor, self.peer, self.group, self.tag = name, tensor, peer, group, tag


def _post(kind: str, tensor: Any, peer: int | None, tag: int, site: CallSite | None) -> Work:
    world, rank = me()
    if not isinstance(tensor, Tensor):
        raise CommunicationError(f"a {kind} takes a tensor, got {type(tensor).__name__}")
    if peer is not None:
        peer = require_rank(world, peer)
    if peer == rank:
        raise CommunicationError(
            f"rank {rank} calls a {kind} with itself as the other rank",
            remedy="Does a rank need what it has itself? How many messages are there on one rank?",
        )
    world.acts[rank].post(kind, peer, tensor, tag, site)
    post = world.mailbox.post(kind, rank, peer, tensor, tag, site)
    return Work(world, rank, post.done, post.deliver)


def send(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> None:
    """Send, and wait until it has arrived."""
    _post("send", tensor, dst, tag, call_site()).wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0) -> int:
    """Receive into ``tensor``, and wait for it; returns the rank that sent."""
    return _post("recv", tensor, src, tag, call_site()).wait()


def isend(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Work:
    """Start to send."""
    return _post("send", tensor, dst, tag, call_site())


def irecv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0) -> Work:
    """Start to receive."""
    return _post("recv", tensor, src, tag, call_site())


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Start all of them; without any it fails, as PyTorch does, which looks at the first one."""
    if not p2p_op_list:
        raise CommunicationError(
            "`dist.batch_isend_irecv` was called without any send or receive",
            remedy="PyTorch fails there, too: leave the call out where there is nothing to do.",
        )
    site = call_site()
    kinds = {"isend": "send", "irecv": "recv"}
    return [_post(kinds[one.name], one.tensor, one.peer, one.tag, site) for one in p2p_op_list]
