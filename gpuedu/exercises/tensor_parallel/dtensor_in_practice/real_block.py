"""A transformer block in PyTorch, made parallel by a plan, on real ranks.

``run_plans`` runs in a rank, of a launch or of a script under ``torchrun``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import COLUMNS, ROWS, Style
from gpuedu.training.seeds import generator

TOKENS, WIDTH, HIDDEN, HEADS = 4, 6, 8, 2
HEAD = WIDTH // HEADS
_ROUNDING = 1e-9
_COLLECTIVES = {
    "all_reduce": "all_reduce",
    "all_gather_into_tensor": "all_gather",
    "reduce_scatter_tensor": "reduce_scatter",
    "all_to_all_single": "all_to_all",
    "shard_dim_alltoall": "all_to_all",
}


class Attention(nn.Module):
    """Heads of attention; how many there are, their tensors tell."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        """(N, width) to the same."""
        q, k, v = (
            one(x).unflatten(1, (-1, HEAD)).transpose(0, 1) for one in (self.q, self.k, self.v)
        )
        scores = torch.softmax(q @ k.transpose(1, 2) / HEAD**0.5, dim=-1)
        return self.out((scores @ v).transpose(0, 1).flatten(1))


class Mlp(nn.Module):
    """Two products with tanh between them."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """(N, width) to the same."""
        return self.down(torch.tanh(self.up(x)))


class Block(nn.Module):
    """Attention and an MLP, each after a norm and beside a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attn = nn.RMSNorm(WIDTH), Attention()
        self.norm2, self.mlp = nn.RMSNorm(WIDTH), Mlp()

    def forward(self, x: Tensor) -> Tensor:
        """(N, width) to the same."""
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def build_block() -> Block:
    """The block, float64, always with the same numbers."""
    chance, block = generator(5), Block().double()
    with torch.no_grad():
        for one in block.parameters():
            one.copy_(torch.randn(one.shape, generator=chance, dtype=one.dtype) / 2)
    return block


def run_plans(
    plans: Sequence[tuple[Mapping[str, Sequence[str]], bool]],
) -> list[dict[str, Any]]:
    """What a forward and a backward pass do by each plan, and whether each rank has some tokens.

    A dict has ``forward`` and ``backward``, the messages as (kind, numbers of the whole tensor);
    ``weights``, the placement of each parameter that is a DTensor; ``off``, the largest difference
    of the output and of the gradients from those of the whole block, and ``where``, the first of
    these that differs. Or ``failed``, what PyTorch said.
    """
    return [_run({n: Style(*one) for n, one in plan.items()}, cut) for plan, cut in plans]


def _run(plan: Mapping[str, Style], is_cut: bool) -> dict[str, Any]:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor.parallel import parallelize_module

    chance = generator(6)
    x, dy = torch.randn(2, TOKENS, WIDTH, generator=chance, dtype=torch.float64)
    whole, block = build_block(), build_block()
    wanted = _passes(whole, x, dy)
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    parallelize_module(block, mesh, {name: _pytorchs(one) for name, one in plan.items()})
    weights = {
        name: _told(one.placements[0])
        for name, one in block.named_parameters()
        if isinstance(one, DTensor)
    }
    own = slice(None)
    if is_cut:
        each = TOKENS // dist.get_world_size()
        own = slice(dist.get_rank() * each, (dist.get_rank() + 1) * each)
    messages: dict[str, list[Any]] = {"forward": [], "backward": []}
    try:
        got = _passes(block, x[own], dy[own], messages)
    except Exception as fault:  # propagation fails with errors of many types
        return {"failed": str(fault).partition("\n")[0], "weights": weights}
    wanted = [wanted[0][own], wanted[1][own], *wanted[2:]]
    apart = list(map(_apart, got, wanted))
    names = "the output", *(f"the gradient of {one}" for one in ("x", *whole.state_dict()))
    where = next((name for name, off in zip(names, apart, strict=True) if off > _ROUNDING), "")
    return {**messages, "weights": weights, "off": max(apart), "where": where}


def _apart(got: Tensor, wanted: Tensor) -> float:
    if got.shape != wanted.shape:
        return float("inf")
    return float((got - wanted).abs().max())


def _passes(
    block: Block, x: Tensor, dy: Tensor, messages: dict[str, list[Any]] | None = None
) -> list[Tensor]:
    """The output, and the gradients of the input and of all parameters, whole ones."""
    found = messages or {"forward": [], "backward": []}
    x = x.detach().clone().requires_grad_()
    with _Watch(found["forward"]):
        y = block(x)
    with _Watch(found["backward"]):
        y.backward(dy)
    grads = [x.grad, *(one.grad for one in block.parameters())]
    return [_whole(one).detach() for one in (y, *grads)]


def _whole(one: Any) -> Tensor:
    return one.full_tensor() if hasattr(one, "full_tensor") else one


def _Watch(notes: list[Any]) -> Any:  # noqa: N802
    """A mode that notes collectives; PyTorch's class of it is imported in a rank only."""
    from torch.distributed.tensor import DTensor

    from gpuedu.training.dispatch import DispatchWatch

    class Watch(DispatchWatch):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            if any(issubclass(one, DTensor) for one in types):
                return NotImplemented  # what it does inside comes here again, on plain tensors
            kind = _COLLECTIVES.get(func._schema.name.rpartition("::")[2])
            if kind:
                notes.append((kind, args[0].numel() * _pieces(kind)))
            return func(*args, **(kwargs or {}))

    return Watch()


def _pieces(kind: str) -> int:
    """How many times what a rank hands over the whole tensor is."""
    return dist.get_world_size() if kind in ("all_gather", "all_to_all") else 1


def _told(placement: Any) -> str:
    return f"Shard({placement.dim})" if placement.is_shard() else "Replicate()"


def _pytorchs(style: Style) -> Any:
    """The style's object in PyTorch."""
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        PrepareModuleInput,
        RowwiseParallel,
        SequenceParallel,
    )

    layouts = {ROWS: Shard(0), COLUMNS: Shard(1)}
    into, out = (layouts.get(one, Replicate()) for one in (style.input, style.output))
    if style.kind == "colwise":
        return ColwiseParallel(input_layouts=into, output_layouts=out)
    if style.kind == "rowwise":
        return RowwiseParallel(input_layouts=into, output_layouts=out)
    if style.kind == "sequence":
        return SequenceParallel(sequence_dim=0)
    return PrepareModuleInput(input_layouts=into, desired_input_layouts=Replicate())
