"""Collectives of a light rank, by the names that ``torch.distributed`` has for them."""

from __future__ import annotations

import functools
import pickle
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.distributed import ReduceOp

from gpuedu.multi.exchanges import CommunicationError
from gpuedu.multi.light.groups import CollectiveCall, Group, Outputs, Written
from gpuedu.multi.light.posts import bytes_of, describe, place
from gpuedu.multi.light.ranks import Work, get_rank, get_world_size, me, place_of
from gpuedu.multi.light.world import call_site


def _meet(
    said: CollectiveCall, outputs: Outputs, group: Group | None, async_op: bool
) -> Work | None:
    """Come to the group's next collective; the caller is a function of this module."""
    world, rank = me()
    group = group or world.everybody
    if rank not in group.members:
        return None
    site = call_site()
    world.acts[rank].come(said, world.name_of(group), site)
    collective = group.come(rank, said, site, outputs)
    handle = Work(world, rank, collective.done, functools.partial(collective.deliver, rank))
    if async_op:
        return handle
    handle.wait()
    return None


_SUMS: dict[Any, Callable[[Tensor, Tensor], Tensor]] = {
    ReduceOp.SUM: torch.add,
    ReduceOp.AVG: torch.add,
    ReduceOp.PRODUCT: torch.mul,
    ReduceOp.MIN: torch.minimum,
    ReduceOp.MAX: torch.maximum,
}


def _reduced(tensors: Sequence[Tensor], op: Any) -> Tensor:
    """All of them together, in the order of the ranks."""
    total = functools.reduce(_SUMS[op], tensors)
    return total / len(tensors) if op == ReduceOp.AVG else total


def _require_op(op: Any, tensor: Any) -> None:
    if op not in _SUMS:
        raise CommunicationError(
            f"{_name_op(op)} does not work on light ranks",
            remedy=f"These do: {', '.join(map(_name_op, _SUMS))}.",
        )
    if op == ReduceOp.AVG and isinstance(tensor, Tensor) and not tensor.is_floating_point():
        raise CommunicationError(
            f"rank {me()[1]} asks for the AVG of {describe(tensor)}, but a mean of whole "
            f"numbers need not be whole{place(call_site())}",
            remedy="SUM, and a division by the number of ranks.",
        )


def _require_tensor(value: Any, kind: str) -> None:
    if isinstance(value, Tensor):
        return
    remedy = "All ranks hand over a tensor of the same shape and type."
    if value is None:
        remedy = "A parameter's `grad` is None where nothing used it, or where it is frozen."
    raise CommunicationError(
        f"rank {me()[1]} calls {kind} with {value if value is None else type(value).__name__}, "
        f"which is not a tensor{place(call_site())}",
        remedy=remedy,
    )


def _name_op(op: Any) -> str:
    return str(op).rsplit(".", 1)[-1]


def barrier(group: Any = None, async_op: bool = False, **_: Any) -> Work | None:
    """Wait until all ranks are here."""
    return _meet(
        CollectiveCall("barrier"), lambda all_of_them: [()] * len(all_of_them), group, async_op
    )


def all_reduce(
    tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's ``tensor`` becomes the sum of all."""
    _require_op(op, tensor)
    _require_tensor(tensor, "all_reduce")

    def outputs(tensors: Sequence[Tensor]) -> Written:
        total = _reduced(tensors, op)
        return [[(one, total)] for one in tensors]

    said = CollectiveCall(
        "all_reduce", (describe(tensor), _name_op(op)), tensor, tensor, bytes_of(tensor)
    )
    return _meet(said, outputs, group, async_op)


def reduce(
    tensor: Tensor,
    dst: int,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Rank ``dst``'s tensor becomes the sum of all."""
    _require_op(op, tensor)
    _require_tensor(tensor, "reduce")
    at = place_of(dst, group)

    def outputs(tensors: Sequence[Tensor]) -> Written:
        total = _reduced(tensors, op)
        return [[(one, total)] * (place == at) for place, one in enumerate(tensors)]

    wants = describe(tensor), _name_op(op), f"dst={dst}"
    said = CollectiveCall("reduce", wants, tensor, tensor, bytes_of(tensor), at)
    return _meet(said, outputs, group, async_op)


def broadcast(tensor: Tensor, src: int, group: Any = None, async_op: bool = False) -> Work | None:
    """Every rank's tensor becomes that of rank ``src``."""
    _require_tensor(tensor, "broadcast")
    at = place_of(src, group)

    def outputs(tensors: Sequence[Tensor]) -> Written:
        return [[(one, tensors[at])] for one in tensors]

    is_root = get_rank(group) == at
    wants, given = (describe(tensor), f"src={src}"), tensor if is_root else None
    said = CollectiveCall("broadcast", wants, tensor, given, bytes_of(tensor), at)
    return _meet(said, outputs, group, async_op)


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: Any = None, device: Any = None
) -> None:
    """Every rank's list becomes copies of what rank ``src``'s list holds, in place.

    As in PyTorch: a broadcast of how many bytes each of them has, and one of the bytes.
    """
    if get_rank(group) == -1:
        return
    is_root = get_rank() == src
    made = [pickle.dumps(one) for one in object_list] if is_root else []
    sizes = torch.tensor([len(one) for one in made] if is_root else [0] * len(object_list))
    broadcast(sizes, src, group)
    whole = torch.empty(int(sizes.sum()), dtype=torch.uint8)
    if is_root:
        whole.copy_(torch.frombuffer(bytearray(b"".join(made)), dtype=torch.uint8))
    broadcast(whole, src, group)
    if not is_root:
        parts = whole.split(sizes.tolist())
        object_list[:] = [pickle.loads(part.numpy().tobytes()) for part in parts]


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's output becomes the inputs of all, one after another."""
    ranks = get_world_size(group)
    _require_parts(output_tensor, input_tensor, ranks, "output", "input")

    def outputs(pairs: Sequence[tuple[Tensor, Tensor]]) -> Written:
        whole = torch.cat([given.reshape(-1) for _, given in pairs])
        return [[(output, whole.reshape(output.shape))] for output, _ in pairs]

    tensors, wants = (output_tensor, input_tensor), (describe(input_tensor),)
    said = CollectiveCall("all_gather", wants, tensors, input_tensor, bytes_of(output_tensor))
    return _meet(said, outputs, group, async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Every rank's list becomes the tensors of all."""
    ranks = get_world_size(group)
    _require_list(tensor_list, tensor, ranks, "tensor_list")

    def outputs(pairs: Sequence[tuple[list[Tensor], Tensor]]) -> Written:
        given = [one for _, one in pairs]
        return [list(zip(into, given, strict=True)) for into, _ in pairs]

    tensors, wants = (tensor_list, tensor), (describe(tensor),)
    said = CollectiveCall("all_gather", wants, tensors, tensor, bytes_of(tensor) * ranks)
    return _meet(said, outputs, group, async_op)


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Every rank's list becomes copies of the objects of all, in place.

    As in PyTorch: an all-gather of how many bytes each has, and one of the bytes, padded to the
    longest.
    """
    if get_rank(group) == -1:
        return
    made = pickle.dumps(obj)
    size = torch.tensor([len(made)])
    sizes = torch.empty(get_world_size(group), dtype=size.dtype)
    all_gather_into_tensor(sizes, size, group)
    longest = int(sizes.max())
    whole = torch.empty(len(sizes) * longest, dtype=torch.uint8)
    filled = torch.frombuffer(bytearray(made.ljust(longest, b"\0")), dtype=torch.uint8)
    all_gather_into_tensor(whole, filled, group)
    object_list[:] = [pickle.loads(part.numpy().tobytes()) for part in whole.split(longest)]


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Rank ``dst``'s list becomes the tensors of all; the others hand over no list."""
    at, ranks = place_of(dst, group), get_world_size(group)
    if get_rank(group) == at:
        _require_list(gather_list, tensor, ranks, "gather_list")

    def outputs(pairs: Sequence[tuple[list[Tensor] | None, Tensor]]) -> Written:
        given = [one for _, one in pairs]
        return [
            list(zip(into, given, strict=True)) if place == at and into else []
            for place, (into, _) in enumerate(pairs)
        ]

    wants = describe(tensor), f"dst={dst}"
    said = CollectiveCall(
        "gather", wants, (gather_list, tensor), tensor, bytes_of(tensor) * ranks, at
    )
    return _meet(said, outputs, group, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int = 0,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Every rank's tensor becomes its entry of rank ``src``'s list; only ``src`` has a list."""
    at, ranks = place_of(src, group), get_world_size(group)
    if get_rank(group) == at:
        _require_list(scatter_list, tensor, ranks, "scatter_list")

    def outputs(pairs: Sequence[tuple[Tensor, list[Tensor]]]) -> Written:
        return [[(output, part)] for (output, _), part in zip(pairs, pairs[at][1], strict=True)]

    wants = describe(tensor), f"src={src}"
    said = CollectiveCall(
        "scatter", wants, (tensor, scatter_list), None, bytes_of(tensor) * ranks, at
    )
    return _meet(said, outputs, group, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Every rank's output becomes its part of the sum of all inputs."""
    _require_op(op, input)
    ranks = get_world_size(group)
    _require_parts(input, output, ranks, "input", "output")

    def outputs(pairs: Sequence[tuple[Tensor, Tensor]]) -> Written:
        total = _reduced([given.reshape(-1) for given, _ in pairs], op)
        return [
            [(out, part.reshape(out.shape))]
            for (_, out), part in zip(pairs, total.chunk(ranks), strict=True)
        ]

    wants = describe(input), _name_op(op)
    said = CollectiveCall("reduce_scatter", wants, (input, output), input, bytes_of(input))
    return _meet(said, outputs, group, async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = ReduceOp.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """The same with the parts in a list."""
    _require_list(input_list, output, get_world_size(group), "input_list")
    return reduce_scatter_tensor(output, torch.stack(input_list), op, group, async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Part j of rank i's input becomes part i of rank j's output.

    Parts are equal, or have the numbers of rows that the split sizes say, one for each rank. Either
    all ranks give sizes, or none does.
    """
    ranks = get_world_size(group)
    for one in (output, input):
        _require_tensor(one, "all_to_all_single")
    sends = sends_bytes = expects_bytes = ()
    wants = describe(input)
    if not (_are_left_out(input_split_sizes) and _are_left_out(output_split_sizes)):
        sends, sends_bytes = _splits(input, input_split_sizes, ranks, "input")
        _, expects_bytes = _splits(output, output_split_sizes, ranks, "output")
        wants = f"rows of {describe(input.new_empty(input.shape[1:]))}"
    elif output.shape != input.shape or input.numel() % ranks:
        raise CommunicationError(
            f"all_to_all_single takes two tensors of the same shape, in {ranks} equal parts, "
            f"got {describe(input)} and {describe(output)}"
        )

    def outputs(calls: Sequence[tuple[Tensor, Tensor, Sequence[int]]]) -> Written:
        parts = [
            given.split(list(sizes)) if sizes else given.reshape(ranks, -1).unbind()
            for _, given, sizes in calls
        ]
        return [
            [(out, torch.cat([part[at] for part in parts]).reshape(out.shape))]
            for at, (out, _, _) in enumerate(calls)
        ]

    said = CollectiveCall(
        "all_to_all",
        (wants,),
        (output, input, sends),
        input,
        bytes_of(input),
        sends=sends_bytes,
        expects=expects_bytes,
    )
    return _meet(said, outputs, group, async_op)


def _are_left_out(sizes: Any) -> bool:
    """Whether the parts are to be equal."""
    return sizes is None or (isinstance(sizes, list | tuple) and not sizes)


def _splits(
    tensor: Tensor, sizes: Any, ranks: int, name: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows for each rank, and their bytes; without sizes they are equal."""
    rows = tensor.shape[0] if tensor.dim() else 0
    if _are_left_out(sizes):
        sizes = [rows // ranks] * ranks
    counts = tuple(sizes) if isinstance(sizes, list | tuple) else ()
    is_counts = len(counts) == ranks and all(type(n) is int and n >= 0 for n in counts)
    if not is_counts or sum(counts) != rows:
        raise CommunicationError(
            f"rank {me()[1]}: `{name}_split_sizes` should be a list of {ranks} whole numbers that "
            f"add up to the {rows} rows of the {name}, got {reprlib.repr(sizes)}"
            f"{place(call_site())}",
            remedy="The sizes of the output are the third argument, and those of the input come "
            "after them."
            if is_counts
            else "`tensor.tolist()` turns a tensor of whole numbers into such a list.",
        )
    row_bytes = bytes_of(tensor) // rows if rows else 0
    return counts, tuple(n * row_bytes for n in counts)


def _require_parts(whole: Tensor, part: Tensor, ranks: int, large: str, small: str) -> None:
    if whole.numel() != ranks * part.numel() or whole.dtype != part.dtype:
        raise CommunicationError(
            f"with {ranks} ranks the {large} should have {ranks} times as many elements as the "
            f"{small}, of the same type, got {describe(whole)} and {describe(part)}"
        )


def _require_list(tensors: Any, tensor: Tensor, ranks: int, name: str) -> None:
    fits = isinstance(tensors, list) and len(tensors) == ranks
    if not fits or any(describe(one) != describe(tensor) for one in tensors):
        shapes = sorted({describe(one) for one in tensors}) if isinstance(tensors, list) else []
        got = f"{len(tensors)} of {' and '.join(shapes[:3])}" if shapes else "something else"
        raise CommunicationError(
            f"`{name}` should be a list of {ranks} tensors like {describe(tensor)}, got {got}"
        )
