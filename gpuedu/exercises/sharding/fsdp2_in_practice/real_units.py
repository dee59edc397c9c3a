"""What PyTorch's ``fully_shard`` does with the learner's units, on real ranks.

``run_units`` runs in a rank, of a launch or of a script under ``torchrun``. It trains in float64
and compares with one process; then it counts a step with the learner's dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from gpuedu.errors import GpueduError
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import (
    BlocksSpec,
    build_blocks,
    words_of,
)
from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import WHOLE, Wrapped, Wrapping, unit_of

_MOST_NORM, _RATE, _STEPS, _WORDS = 0.5, 0.05, 3, 6
Shard = Callable[..., Any]


def run_units(shards: Sequence[Shard], spec: BlocksSpec) -> list[dict[str, Any]]:
    """Of each function what a step does, and how far its weights are from one process's.

    A dict has ``gathers`` and ``reductions``, as (bytes, dtype) in their order; ``moments``, a row
    (name, whole weights in the model's unit, in other units, in none) for each module's pass;
    ``off``, the largest difference of a weight. Or ``failed``, what it was told.
    """
    return [_run(one, spec) for one in shards]


def _run(shard: Shard, spec: BlocksSpec) -> dict[str, Any]:
    try:
        counted = _counted_step(shard, spec)
    except Exception as fault:  # PyTorch's own refusals have many types
        told = fault.message if isinstance(fault, GpueduError) else str(fault)
        return {"failed": told.partition("\n")[0]}
    try:
        return {**counted, "off": _distance(shard, spec)}
    except RuntimeError:  # weights in no unit are no DTensors, and their norms cannot be joined
        return {**counted, "off": float("inf")}


def _wrapped(shard: Shard, model: nn.Module, *, mixed: bool) -> list[Wrapped]:
    """Call the learner's function with PyTorch's ``fully_shard`` below the course's; its calls."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    noting, mesh = Wrapping(model), init_device_mesh("cpu", (dist.get_world_size(),))

    def real(module: nn.Module, **named: Any) -> nn.Module:
        dtypes = {name: named.get(name) for name in ("param_dtype", "reduce_dtype")}
        policy = MixedPrecisionPolicy(**dtypes) if mixed else MixedPrecisionPolicy()
        flag = named.get("reshard_after_forward")
        fully_shard(module, mesh=mesh, reshard_after_forward=flag, mp_policy=policy)
        noting.fully_shard(module, **named)
        return module

    shard(model, real)
    return noting.calls


def _counted_step(shard: Shard, spec: BlocksSpec) -> dict[str, Any]:
    from gpuedu.training.dispatch import DispatchWatch

    model = build_blocks(spec)
    calls = _wrapped(shard, model, mixed=True)
    found: dict[str, list[Any]] = {"gathers": [], "reductions": [], "moments": []}
    kinds = {"_allgather_base_": ("gathers", 0), "_reduce_scatter_base_": ("reductions", 1)}

    class Watch(DispatchWatch):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):
            kind, whole = kinds.get(func._schema.name.removeprefix("c10d::"), ("", 0))
            if kind:
                one = args[whole]
                size = one.numel() * one.element_size()
                found[kind].append((size, str(one.dtype).removeprefix("torch.")))
            return func(*args, **(kwargs or {}))

    _note_moments(model, calls, found["moments"])
    x, y = words_of(spec, _WORDS, dist.get_rank())
    with Watch():
        nn.functional.cross_entropy(model(x).float(), y).backward()
    return found


def _note_moments(model: nn.Module, calls: Sequence[Wrapped], moments: list[Any]) -> None:
    """Have the whole weights noted when a module computes, forward and backward."""
    from torch.distributed.tensor import DTensor

    units = {name: unit_of(name, calls) for name, _ in model.named_parameters()}

    def note(way: str, name: str) -> None:
        counts = {WHOLE: 0, "others": 0, "": 0}
        for key, one in model.named_parameters():
            if not isinstance(one, DTensor):
                unit = units[key]
                counts[unit if unit in counts else "others"] += one.numel()
        moments.append((f"{way} {name}", *counts.values()))

    for name, module in model.named_modules():
        if any(True for _ in module.parameters(recurse=False)) and name:
            module.register_forward_pre_hook(lambda *_, n=name: note("forward", n))
            module.register_full_backward_hook(lambda *_, n=name: note("backward", n))


def _distance(shard: Shard, spec: BlocksSpec) -> float:
    """How far weights are from those of one process with all words, after steps of AdamW."""
    model, alone = (build_blocks(spec, torch.float64) for _ in range(2))
    _wrapped(shard, model, mixed=False)
    ranks = dist.get_world_size()
    optimizers = [torch.optim.AdamW(one.parameters(), lr=_RATE) for one in (model, alone)]
    for step in range(_STEPS):
        parts = [words_of(spec, _WORDS, step, rank) for rank in range(ranks)]
        whole = tuple(torch.cat(part) for part in zip(*parts, strict=True))
        batches = (parts[dist.get_rank()], whole)
        for one, (x, y), optimizer in zip((model, alone), batches, optimizers, strict=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(one(x), y).backward()
            nn.utils.clip_grad_norm_(one.parameters(), _MOST_NORM)
            optimizer.step()
    pairs = zip(model.parameters(), alone.parameters(), strict=True)
    return max(float((_whole(a) - b.detach()).abs().max()) for a, b in pairs)


def _whole(one: Any) -> torch.Tensor:
    return (one.full_tensor() if hasattr(one, "full_tensor") else one).detach()
