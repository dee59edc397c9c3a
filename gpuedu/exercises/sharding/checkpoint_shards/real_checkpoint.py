"""The learner's checkpoint beside PyTorch's own, on real ranks with a sharded model.

The functions run in a rank: ``save_both`` where a model has trained, ``load_both`` on another
number of ranks. A script under ``torchrun`` can call them as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn

from gpuedu.errors import GpueduError
from gpuedu.exercises.sharding.checkpoint_shards.layouts import longest, pieces_of
from gpuedu.exercises.sharding.checkpoint_shards.rank_files import (
    Chunk,
    RankFile,
    chunks_told,
    load_on,
)

Held = list[dict[str, tuple[int, int]]]
_STEP = "step"
_SEED = 3


def save_both(saves: Sequence[Callable[..., Any]], folder: str) -> Mapping[str, Any]:
    """Train one step with ``fully_shard``, and save by each function and by PyTorch.

    Returns:
        ``held``, what each rank holds; ``tensors``, the whole ones, float64, by name.
    """
    import torch.distributed.checkpoint as dcp

    state = _state(trains=True)
    held, rank = _held(state), dist.get_rank()
    tensors = {name: _whole(one).numpy() for name, one in state.items()}
    dcp.save(dict(state), checkpoint_id=str(Path(folder, "pytorch")))
    for number, save in enumerate(saves):
        own = Path(folder, f"mine-{number}")
        own.mkdir(exist_ok=True)
        file, pieces = RankFile(rank), pieces_of(tensors, held, longest(held))[rank]
        given = {name: torch.tensor(one) for name, one in pieces.items()}
        chunks = chunks_told(save(rank, list(map(dict, held)), given, file.write), rank)
        np.save(own / f"{rank}.npy", file.numbers)
        (own / f"{rank}.json").write_text(json.dumps(chunks))
    dist.barrier()
    return {"held": held, "tensors": tensors}


def load_both(loads: Sequence[Callable[..., Any]], folder: str) -> Mapping[str, Any]:
    """Load what ``save_both`` left, by PyTorch and by each function, into a model of this world.

    Returns:
        ``needed``, this rank's ranges; ``pytorch``, its flat values by name; ``mine``, for each
        function the values and the numbers that it read, or what it was told.
    """
    import torch.distributed.checkpoint as dcp

    state = _state(trains=False)
    dcp.load(state, checkpoint_id=str(Path(folder, "pytorch")))
    needed = _held(state)[dist.get_rank()]
    theirs = {name: _local(one).flatten().numpy() for name, one in state.items()}
    mine: list[Any] = []
    for number, load in enumerate(loads):
        try:
            values, reads = load_on(load, dist.get_rank(), needed, read_files(folder, number))
            mine.append((values, sum(count for _, _, count in reads)))
        except (GpueduError, ValueError) as fault:
            mine.append(str(fault))
    return {"needed": needed, "pytorch": theirs, "mine": mine}


def read_files(folder: str, number: int) -> tuple[list[np.ndarray], list[Chunk]]:
    """The files and chunks that one of the functions of ``save_both`` left."""
    own = Path(folder, f"mine-{number}")
    files = [np.load(own / f"{at}.npy") for at in range(len(list(own.glob("*.npy"))))]
    told = [json.loads((own / f"{at}.json").read_text()) for at in range(len(files))]
    return files, [Chunk(*one) for chunks in told for one in chunks]


def pytorchs_chunks(folder: str, tensors: Mapping[str, np.ndarray]) -> list[Chunk]:
    """What PyTorch's metadata say of ``save_both``; ``place`` is in bytes."""
    from torch.distributed.checkpoint import FileSystemReader

    metadata = FileSystemReader(str(Path(folder, "pytorch"))).read_metadata()
    found = []
    for index, info in metadata.storage_data.items():
        known = metadata.state_dict_metadata[index.fqn]
        sizes = next(one.sizes for one in known.chunks if one.offsets == index.offset)
        width = int(np.prod(known.size[1:]))
        start = index.offset[0] * width
        file = int(info.relative_path.removeprefix("__").partition("_")[0])
        found.append(Chunk(index.fqn, start, start + int(np.prod(sizes)), file, info.offset))
    return found


def _state(*, trains: bool) -> dict[str, Tensor]:
    """Weights, momenta and a step number of a sharded model, after one step, or of zeros."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    torch.manual_seed(_SEED)
    model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3)).double()
    if not trains:
        nn.utils.vector_to_parameters(torch.zeros(66).double(), model.parameters())
    fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.ones(2, 5).double()).square().sum().backward()
    if trains:
        optimizer.step()
    state: dict[str, Tensor] = {name: one.detach() for name, one in model.named_parameters()}
    for name, one in model.named_parameters():
        momentum = optimizer.state[one]["momentum_buffer"] if trains else one.detach() * 0
        state[f"momentum.{name}"] = momentum.detach()
    state[_STEP] = torch.full((1,), float(trains), dtype=torch.float64)
    return state


def _held(state: Mapping[str, Tensor]) -> Held:
    """What each rank holds, from the sizes of all ranks' local tensors."""
    from torch.distributed.tensor import DTensor

    counts: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(counts, {name: _local(one).numel() for name, one in state.items()})
    held: Held = []
    for rank, own in enumerate(counts):
        is_cut = {name: isinstance(one, DTensor) for name, one in state.items()}
        before = {name: sum(c[name] for c in counts[:rank]) * is_cut[name] for name in own}
        held.append({name: (before[name], before[name] + count) for name, count in own.items()})
    return held


def _local(one: Tensor) -> Tensor:
    return one.to_local() if hasattr(one, "to_local") else one


def _whole(one: Tensor) -> Tensor:
    whole = one.full_tensor() if hasattr(one, "full_tensor") else one
    return whole.detach().flatten()
