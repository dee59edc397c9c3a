"""Times of messages between real ranks on this machine, to fit a link to them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.multi.launch import launch

_LEAST = 5


@dataclass(frozen=True)
class MessageTime:
    """How long a message, or a collective, of one size takes.

    ``time_s`` is the median of the repeats, on the slowest rank; ``low_s`` and ``high_s`` hold the
    half of them in the middle.
    """

    size_bytes: int
    time_s: float
    low_s: float
    high_s: float


def measure_messages(
    sizes_bytes: Sequence[int], *, repeats: int = 40, backend: str = ""
) -> list[MessageTime]:
    """Times of a message from one real rank to another: half of a way there and back.

    Args:
        sizes_bytes: multiples of 4, the size of a float32.
        repeats: of each size, at least 5; sizes take turns, so that a slow moment hits them all.
        backend: see ``launch``; gloo through the machine's loopback where there are no GPUs.

    Raises:
        AnswerError: a size that is none, or too few repeats.
    """
    _require(sizes_bytes, repeats)
    found = launch(_there_and_back, 2, list(sizes_bytes), repeats, backend=backend).results
    return _medians(sizes_bytes, found)


def measure_collectives(
    collective: str,
    sizes_bytes: Sequence[int],
    ranks: int = 2,
    *,
    repeats: int = 40,
    backend: str = "",
) -> list[MessageTime]:
    """Times of a collective of ``torch.distributed``; as for ``measure_messages``.

    Args:
        collective: "all_reduce", "reduce_scatter", "all_gather" or "all_to_all".
        sizes_bytes: of the whole tensor, which is filled up to a multiple of the ranks.
        ranks: how many.
        repeats: of each size.
        backend: see ``launch``.
    """
    _require(sizes_bytes, repeats)
    found = launch(
        _collectives, ranks, collective, list(sizes_bytes), repeats, backend=backend
    ).results
    return _medians(sizes_bytes, found)


def _require(sizes_bytes: Sequence[int], repeats: int) -> None:
    for size in sizes_bytes:
        if size < 4 or size % 4:
            raise AnswerError(f"a message has a multiple of 4 bytes, at least 4, got {size}")
    if repeats < _LEAST:
        raise AnswerError(f"a median needs at least {_LEAST} repeats, got {repeats}")


def _there_and_back(sizes_bytes: list[int], repeats: int) -> list[list[float]]:
    """On each rank, and for each size: half the time of a message there and one back."""
    import torch
    import torch.distributed as dist

    other = 1 - dist.get_rank()

    def make(elements: int, device: str) -> Callable[[], Any]:
        tensor = torch.zeros(elements, device=device)

        def exchange() -> None:
            if other:
                dist.send(tensor, other)
                dist.recv(tensor, other)
            else:
                dist.recv(tensor, other)
                dist.send(tensor, other)

        return exchange

    return [[time_s / 2 for time_s in times] for times in _timed(make, sizes_bytes, repeats)]


def _collectives(collective: str, sizes_bytes: list[int], repeats: int) -> list[list[float]]:
    import torch
    import torch.distributed as dist

    ranks = dist.get_world_size()

    def make(elements: int, device: str) -> Callable[[], Any]:
        part = torch.zeros(-(-elements // ranks), device=device)
        whole, other = part.repeat(ranks), part.repeat(ranks)
        return {
            "all_reduce": lambda: dist.all_reduce(whole),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
            "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
            "all_to_all": lambda: dist.all_to_all_single(other, whole),
        }[collective]

    return _timed(make, sizes_bytes, repeats)


def _timed(
    make: Callable[[int, str], Callable[[], Any]], sizes_bytes: list[int], repeats: int
) -> list[list[float]]:
    """Times of a call by size; ranks begin each together, and the first round does not count.

    ``make`` makes the call, from a number of float32 elements and a device.
    """
    import torch.distributed as dist

    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    calls = [make(size // 4, device) for size in sizes_bytes]
    times: list[list[float]] = [[] for _ in sizes_bytes]
    for turn in range(repeats + 1):
        for call, found in zip(calls, times, strict=True):
            dist.barrier()
            _finish(device)
            began_s = time.perf_counter()
            call()
            _finish(device)
            if turn:
                found.append(time.perf_counter() - began_s)
    return times


def _finish(device: str) -> None:
    """Wait for what a GPU still does."""
    if device == "cuda":
        import torch

        torch.cuda.synchronize()


def _medians(
    sizes_bytes: Sequence[int], by_rank: Sequence[Sequence[Sequence[float]]]
) -> list[MessageTime]:
    rows = []
    for place, size in enumerate(sizes_bytes):
        slowest = [max(times) for times in zip(*(rank[place] for rank in by_rank), strict=True)]
        low_s, _, high_s = quantiles(slowest, n=4)
        rows.append(MessageTime(size, median(slowest), low_s, high_s))
    return rows
