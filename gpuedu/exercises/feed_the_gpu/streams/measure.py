"""The learner's pipeline on the streams of a real GPU, timed by events of that GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import Kernel, Timeline
from gpuedu.clock.engines import COMPUTE, TO_DEVICE, TO_HOST
from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.streams.pipelines import run_in_turn
from gpuedu.units import MS

CHUNKS, NUMBERS = 8, 4 * 2**20
"""Chunks of 16 MiB."""
_ROUNDS = 24


def measure_pipeline(
    pipeline: Callable[..., Any],
    make_device: Callable[[], Any] | None = None,
    numbers: int = NUMBERS,
) -> dict[str, float]:
    """Time the pipeline on the GPU beside the same work one after the other; compare the results.

    Args:
        pipeline: the learner's.
        make_device: gives a device with streams and a ``timeline``; the machine's GPU by default.
        numbers: float32 numbers in a chunk.

    Returns:
        ``in_turn_ms``, ``yours_ms``, and ``busiest_engine_ms``: how long the busiest engine works
        when nothing overlaps, below which no pipeline comes.

    Raises:
        AnswerError: without a GPU, or where results differ.
    """
    make_device = make_device or _make_gpu()
    run_on(make_device(), run_in_turn, numbers)  # to warm up
    expected, in_turn = run_on(make_device(), run_in_turn, numbers)
    got, own = run_on(make_device(), pipeline, numbers)
    for i, (one, other) in enumerate(zip(got, expected, strict=True)):
        if one is None or not np.array_equal(one, other):
            raise AnswerError(
                f"on this GPU, result {i} of {CHUNKS} came out wrong",
                remedy='Is there a race? `see("streams", pipeline)` shows it.',
            )
    busiest_s = max(in_turn.busy_s(lane) for lane in (TO_DEVICE, COMPUTE, TO_HOST))
    return {
        "in_turn_ms": round(in_turn.end_s / MS, 3),
        "yours_ms": round(own.end_s / MS, 3),
        "busiest_engine_ms": round(busiest_s / MS, 3),
    }


def run_on(device: Any, pipeline: Callable[..., Any], numbers: int) -> tuple[list[Any], Timeline]:
    """Results and timeline of a run; the chunks are the same each time."""
    rng = np.random.default_rng(0)
    kernel = Kernel("kernel", 1e-3, _compute)
    chunks = [
        device.host_buffer(4 * numbers, f"chunk {i}", values=rng.random(numbers, np.float32))
        for i in range(CHUNKS)
    ]
    results = [device.host_buffer(4 * numbers, f"result {i}") for i in range(CHUNKS)]
    device.synchronize()
    pipeline(device, list(chunks), list(results), kernel)
    device.synchronize()
    return [result.read() for result in results], device.timeline


def _compute(x: Any) -> Any:
    """A kernel after the other, so that computing takes about as long as copying."""
    for _ in range(_ROUNDS):
        x = x * 1.0625
    return x


def _make_gpu() -> Callable[[], Any]:
    import torch

    if not torch.cuda.is_available():
        raise AnswerError(
            "there is no GPU here, so nothing is timed",
            remedy="The simulated timeline holds without one.",
        )
    from gpuedu.clock.cuda_streams import CudaStreamDevice

    return CudaStreamDevice


MEASURE = measure_pipeline
