"""What ``torch.distributed`` means on a light rank: the same names, over the simulated network.

While it is lent, each of these functions of ``torch.distributed`` asks which thread calls: on a
light rank it goes to the rank's world, elsewhere to PyTorch. As with gloo, there is no ``AVG``, and
a send waits for its receive.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
import torch.distributed as real

from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light.meetings import Call, Meeting, Meetings
from gpuedu.multi.light.posts import Post, describe
from gpuedu.multi.light.world import LightWorld, call_site, here
from gpuedu.training.call_sites import CallSite

Tensor = torch.Tensor


class Work:
    """What a call with ``async_op=True``, ``isend`` and ``irecv`` return."""

    def __init__(self, world: LightWorld, awaited: Post | Meeting) -> None:
        self._world, self._awaited = world, awaited

    def wait(self, timeout: Any = None) -> Any:
        """Wait until it is done; a receive gives the rank that sent."""
        found = self._world.clock.wait(self._awaited.done)
        if isinstance(found, Exception):
            raise found
        return True if found is None else found

    def is_completed(self) -> bool:
        """Whether it is done; the look itself takes no time."""
        self._world.clock.glance()
        return self._awaited.done.happened


class P2POp:
    """One send or receive of a batch: ``P2POp(dist.isend, tensor, peer)``."""

    def __init__(
        self, op: Callable[..., Work], tensor: Tensor, peer: int, group: Any = None, tag: int = 0
    ) -> None:
        name = getattr(op, "__name__", "")
        if name not in ("isend", "irecv"):
            raise CommunicationError(
                f"a P2POp is made of `dist.isend` or `dist.irecv`, got {op!r:.60}"
            )
        self.name, self.tensor, self.peer, self.group, self.tag = name, tensor, peer, group, tag


def _me() -> tuple[LightWorld, int]:
    found = here()
    assert found is not None  # the names are lent to light ranks alone
    return found


def get_rank(group: Meetings | None = None) -> int:
    """The number of the calling rank, in the group; -1 where it is not in it."""
    world, rank = _me()
    members = (group or world.everybody).members
    return members.index(rank) if rank in members else -1


def get_world_size(group: Meetings | None = None) -> int:
    """How many ranks there are, in the group."""
    return len((group or _me()[0].everybody).members)


def is_initialized() -> bool:
    """Always: a light rank is one from its first line."""
    return True


def get_backend(group: Meetings | None = None) -> str:
    """The name of the simulated network."""
    return "light"


def init_process_group(*_: Any, **__: Any) -> None:
    """Nothing: the process group is there."""


def destroy_process_group(group: Any = None) -> None:
    """Nothing: the run ends with its ranks."""


def new_group(ranks: Sequence[int] | None = None, *_: Any, **__: Any) -> Meetings:
    """A group of these ranks; as with PyTorch, every rank calls it."""
    world, rank = _me()
    members = range(world.ranks) if ranks is None else ranks
    for one in members:
        _require_rank(world, one)
    return world.group(rank, members)


def _require_rank(world: LightWorld, rank: Any) -> None:
    if not isinstance(rank, int) or not 0 <= rank < world.ranks:
        raise CommunicationError(
            f"there is no rank {rank!r}: they are 0 to {world.ranks - 1}",
            remedy="`% dist.get_world_size()` comes round to rank 0.",
        )


# Messages


def _post(kind: str, tensor: Any, peer: int | None, tag: int, site: CallSite | None) -> Work:
    world, rank = _me()
    if not isinstance(tensor, Tensor):
        raise CommunicationError(f"a {kind} is of a tensor, got {type(tensor).__name__}")
    if peer is not None:
        _require_rank(world, peer)
    if peer == rank:
        raise CommunicationError(f"rank {rank} calls a {kind} with itself as the other side")
    return Work(world, world.mailbox.post(kind, rank, peer, tensor, tag, site))


def send(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> None:
    """Send, and wait until it is there."""
    _post("send", tensor, dst, tag, call_site()).wait()


def recv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0) -> int:
    """Receive into ``tensor``, and wait for it; gives the rank that sent."""
    return _post("recv", tensor, src, tag, call_site()).wait()


def isend(tensor: Tensor, dst: int, group: Any = None, tag: int = 0) -> Work:
    """Begin to send."""
    return _post("send", tensor, dst, tag, call_site())


def irecv(tensor: Tensor, src: int | None = None, group: Any = None, tag: int = 0) -> Work:
    """Begin to receive."""
    return _post("recv", tensor, src, tag, call_site())


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Begin all of them."""
    site = call_site()
    kinds = {"isend": "send", "irecv": "recv"}
    return [_post(kinds[one.name], one.tensor, one.peer, one.tag, site) for one in p2p_op_list]


# Collectives


def _meet(
    kind: str,
    tensors: Any,
    wants: tuple[Any, ...],
    work: Callable[[Sequence[Any]], None],
    whole_bytes: int,
    group: Meetings | None,
    async_op: bool,
    site: CallSite | None,
) -> Work | None:
    world, rank = _me()
    meetings = group or world.everybody
    if rank not in meetings.members:
        return None
    own = tensors if isinstance(tensors, Tensor) else tensors[-1]
    size = own.numel() * own.element_size() if isinstance(own, Tensor) else 0
    call = Call(kind, wants, tensors, size, whole_bytes, site, world.clock.now())
    handle = Work(world, meetings.come(rank, call, work))
    if async_op:
        return handle
    handle.wait()
    return None


def _bytes(tensor: Tensor) -> int:
    return tensor.numel() * tensor.element_size()


_SUMS: dict[Any, Callable[[Tensor, Tensor], Tensor]] = {
    real.ReduceOp.SUM: torch.add,
    real.ReduceOp.PRODUCT: torch.mul,
    real.ReduceOp.MIN: torch.minimum,
    real.ReduceOp.MAX: torch.maximum,
}


def _reduced(tensors: Sequence[Tensor], op: Any) -> Tensor:
    """All of them together, in the order of the ranks."""
    return functools.reduce(_SUMS[op], tensors)


def _require_op(op: Any) -> None:
    if op not in _SUMS:
        raise CommunicationError(
            f"there is no {_name_op(op)} here, as there is none with gloo",
            remedy="SUM, and a division by the number of ranks.",
        )


def _name_op(op: Any) -> str:
    return str(op).rsplit(".", 1)[-1]


def barrier(group: Any = None, async_op: bool = False, **_: Any) -> Work | None:
    """Wait until all ranks are here."""
    return _meet("barrier", (None,), (), lambda _: None, 0, group, async_op, call_site())


def all_reduce(
    tensor: Tensor, op: Any = real.ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's ``tensor`` becomes the sum of all."""
    _require_op(op)

    def work(tensors: Sequence[Tensor]) -> None:
        total = _reduced(tensors, op)
        for one in tensors:
            one.copy_(total)

    wants = describe(tensor), _name_op(op)
    return _meet("all_reduce", tensor, wants, work, _bytes(tensor), group, async_op, call_site())


def reduce(
    tensor: Tensor,
    dst: int,
    op: Any = real.ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Rank ``dst``'s tensor becomes the sum of all."""
    _require_op(op)
    at = get_place(dst, group)

    def work(tensors: Sequence[Tensor]) -> None:
        tensors[at].copy_(_reduced(tensors, op))

    wants = describe(tensor), _name_op(op), f"dst={dst}"
    return _meet("reduce", tensor, wants, work, _bytes(tensor), group, async_op, call_site())


def broadcast(tensor: Tensor, src: int, group: Any = None, async_op: bool = False) -> Work | None:
    """Every rank's tensor becomes that of rank ``src``."""
    at = get_place(src, group)

    def work(tensors: Sequence[Tensor]) -> None:
        for one in tensors:
            one.copy_(tensors[at])

    wants = describe(tensor), f"src={src}"
    return _meet("broadcast", tensor, wants, work, _bytes(tensor), group, async_op, call_site())


def get_place(rank: int, group: Meetings | None) -> int:
    """The place of a rank in a group; CommunicationError where it is not in it."""
    world, _ = _me()
    members = (group or world.everybody).members
    if rank not in members:
        raise CommunicationError(f"rank {rank!r} is not one of the ranks {list(members)}")
    return members.index(rank)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's output becomes the inputs of all, one behind the other."""
    ranks = get_world_size(group)
    _require_parts(output_tensor, input_tensor, ranks, "output", "input")

    def work(pairs: Sequence[tuple[Tensor, Tensor]]) -> None:
        whole = torch.cat([given.reshape(-1) for _, given in pairs])
        for output, _ in pairs:
            output.copy_(whole.reshape(output.shape))

    tensors, wants = (output_tensor, input_tensor), (describe(input_tensor),)
    whole = _bytes(output_tensor)
    return _meet("all_gather", tensors, wants, work, whole, group, async_op, call_site())


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's list becomes the tensors of all."""
    ranks = get_world_size(group)
    _require_list(tensor_list, tensor, ranks, "tensor_list")

    def work(pairs: Sequence[tuple[list[Tensor], Tensor]]) -> None:
        for outputs, _ in pairs:
            for output, (_, given) in zip(outputs, pairs, strict=True):
                output.copy_(given)

    tensors, wants = (tensor_list, tensor), (describe(tensor),)
    whole = _bytes(tensor) * ranks
    return _meet("all_gather", tensors, wants, work, whole, group, async_op, call_site())


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: Any = real.ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Every rank's output becomes its part of the sum of all inputs."""
    _require_op(op)
    ranks = get_world_size(group)
    _require_parts(input, output, ranks, "input", "output")

    def work(pairs: Sequence[tuple[Tensor, Tensor]]) -> None:
        total = _reduced([given.reshape(-1) for given, _ in pairs], op)
        for (_, out), part in zip(pairs, total.chunk(ranks), strict=True):
            out.copy_(part.reshape(out.shape))

    tensors, wants = (input, output), (describe(input), _name_op(op))
    whole = _bytes(input)
    return _meet("reduce_scatter", tensors, wants, work, whole, group, async_op, call_site())


def all_to_all_single(
    output: Tensor, input: Tensor, *, group: Any = None, async_op: bool = False
) -> Work | None:
    """Part j of rank i's input becomes part i of rank j's output; the parts are equal."""
    ranks = get_world_size(group)
    if output.shape != input.shape or input.numel() % ranks:
        raise CommunicationError(
            f"all_to_all_single takes two tensors of one shape in {ranks} equal parts, "
            f"got {describe(input)} and {describe(output)}"
        )

    def work(pairs: Sequence[tuple[Tensor, Tensor]]) -> None:
        parts = [given.reshape(ranks, -1).clone() for given, _ in pairs]
        for place, (_, out) in enumerate(pairs):
            out.copy_(torch.stack([part[place] for part in parts]).reshape(out.shape))

    tensors, wants = (input, output), (describe(input),)
    whole = _bytes(input)
    return _meet("all_to_all", tensors, wants, work, whole, group, async_op, call_site())


def _require_parts(whole: Tensor, part: Tensor, ranks: int, large: str, small: str) -> None:
    if whole.numel() != ranks * part.numel() or whole.dtype != part.dtype:
        raise CommunicationError(
            f"with {ranks} ranks the {large} should have {ranks} times as many elements as the "
            f"{small}, of the same type, got {describe(whole)} and {describe(part)}"
        )


def _require_list(tensors: Any, tensor: Tensor, ranks: int, name: str) -> None:
    fits = isinstance(tensors, list) and len(tensors) == ranks
    if not fits or any(describe(one) != describe(tensor) for one in tensors):
        raise CommunicationError(
            f"`{name}` should be a list of {ranks} tensors like {describe(tensor)}"
        )


_LENT: dict[str, Any] = {
    one.__name__: one
    for one in (
        get_rank,
        get_world_size,
        is_initialized,
        get_backend,
        init_process_group,
        destroy_process_group,
        new_group,
        send,
        recv,
        isend,
        irecv,
        batch_isend_irecv,
        barrier,
        all_reduce,
        reduce,
        broadcast,
        all_gather_into_tensor,
        all_gather,
        reduce_scatter_tensor,
        all_to_all_single,
    )
}


def _choosing(lent: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that asks who calls."""

    @functools.wraps(lent)
    def chosen(*arguments: Any, **named: Any) -> Any:
        return (original if here() is None else lent)(*arguments, **named)

    return chosen


@contextmanager
def lend_distributed(*answers: Any) -> Iterator[None]:
    """Let ``torch.distributed`` mean this module on light ranks, for the length of a block.

    Names that the code of ``answers`` took from it (``from torch.distributed import send``) are
    lent, too.
    """
    swaps: dict[int, Any] = {}
    with ExitStack() as undo:
        for name, lent in _LENT.items():
            original = getattr(real, name)
            swaps[id(original)] = chosen = _choosing(lent, original)
            undo.callback(setattr, real, name, original)
            setattr(real, name, chosen)
        swaps[id(real.P2POp)] = P2POp
        undo.callback(setattr, real, "P2POp", real.P2POp)
        real.P2POp = P2POp
        for answer in answers:
            space = getattr(getattr(answer, "__func__", answer), "__globals__", {})
            for name, value in list(space.items()):
                if id(value) in swaps and getattr(value, "__module__", "") != __name__:
                    undo.callback(space.__setitem__, name, value)
                    space[name] = swaps[id(value)]
        yield
