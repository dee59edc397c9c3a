"""A DataLoader by its number of workers, with and without pinned memory."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes, TrainingSizes

BATCH = 64
_PATIENCE_S = 60.0
"""A worker that dies without a word would be waited for for ever."""


class Pictures:
    """Compressed pictures that are unpacked, cropped, flipped and normalized one by one.

    Item ``i`` is a float32 array (3, c, c), c seven eighths of the side, and its number: the work
    of a usual loader, with only zlib and NumPy. Equal items have equal bytes in every process.
    """

    def __init__(self, count: int, side: int) -> None:
        rng = np.random.default_rng(count)
        coarse = rng.integers(0, 256, (16, side // 8 + 1, side // 8 + 1, 3), np.uint8)
        large = coarse.repeat(8, axis=1).repeat(8, axis=2)[:, :side, :side]
        self._packed = [zlib.compress(np.ascontiguousarray(one).tobytes()) for one in large]
        self._count, self._side = count, side

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        if not 0 <= index < self._count:
            raise IndexError(index)
        side = self._side
        packed = self._packed[index % len(self._packed)]
        picture = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(side, side, 3)
        crop, most = side - side // 8, side // 8
        top, left = index * 7 % (most + 1), index * 3 % (most + 1)
        part = picture[top : top + crop, left : left + crop]
        if index % 2:
            part = part[:, ::-1]
        normal = (part.astype(np.float32) - 127.5) / 64
        return np.ascontiguousarray(normal.transpose(2, 0, 1)), index


def loaders(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each number of workers, from pageable memory and, where there is a GPU, from pinned."""
    pins = (False, True) if bench.torch_device == "cuda" else (False,)
    return [
        Point(
            {"workers": workers, "pin_memory": pin, "batch": BATCH},
            lambda w=workers, p=pin: _work(bench, w, p, sizes.training),
        )
        for workers in sizes.training.workers
        for pin in pins
    ]


def _work(bench: GpuBench, workers: int, pin: bool, sizes: TrainingSizes) -> PreparedPoint:
    if bench.torch is None:
        raise NotHereError("there is no PyTorch that sees the GPU")
    pictures = Pictures(sizes.pictures, sizes.side)
    loader = bench.torch.utils.data.DataLoader(
        pictures,
        batch_size=BATCH,
        num_workers=workers,
        pin_memory=pin,
        persistent_workers=workers > 0,
        timeout=_PATIENCE_S if workers else 0,
    )
    seen: list[tuple[Any, Any]] = []

    def run() -> None:
        seen.clear()
        for batch, numbers in loader:
            there = batch.to(bench.torch_device, non_blocking=pin)
            seen.append((there.sum(dtype=bench.torch.float64), numbers))

    batches = -(-sizes.pictures // BATCH)
    return PreparedPoint(
        run,
        lambda: loading_fault(pictures, seen),
        by_host=True,
        times=1,
        fields={"batches": batches, "pictures": sizes.pictures},
    )


def loading_fault(pictures: Pictures, seen: Sequence[tuple[Any, Any]]) -> str:
    """What is wrong with a pass: missing or duplicate numbers, or a batch with different bytes."""
    numbers = [int(n) for _, batch in seen for n in batch]
    if numbers != list(range(len(pictures))):
        return f"{len(numbers)} pictures came, not each of {len(pictures)} once and in order"
    for place in (0, len(seen) - 1):
        total, batch = seen[place]
        expected = sum(float(pictures[int(n)][0].sum(dtype=np.float64)) for n in batch)
        if not abs(float(total) - expected) <= 1e-6 * max(1.0, abs(expected)):
            return f"batch {place} sums to {float(total)}, and should sum to {expected}"
    return ""


SERIES = (
    Series(
        "data-loading",
        "training.json",
        "s",
        "One pass of PyTorch's DataLoader over compressed pictures (zlib, crop, flip, normalize, "
        "by NumPy), each batch copied to the device, by the host's clock; workers are started "
        "before.",
        loaders,
        2.0,
    ),
)
