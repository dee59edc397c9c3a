"""double-buffer: its picture, the steps of a warp as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.registers.double_buffer.access_order import order_of_accesses
from gpuedu.exercises.registers.products import run_product
from gpuedu.exercises.registers.tables import write_table


def steps_of_a_warp(matmul: Any) -> str:
    """In which order the first warp of block 0 asks, uses and stores, step by step."""
    shapes = {"a": (64, 32), "b": (32, 64), "c": (64, 64)}
    inputs = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
    trace = run_product(matmul, 64, inputs)
    found = order_of_accesses(trace)
    if not found["used"]:
        raise AnswerError(f"`{trace.launch.kernel}` does not read shared memory yet")
    names = {"asked": "asks global memory", "used": "reads tiles", "stored": "stores to a tile"}
    rows: list[Sequence[str]] = []
    for step in range(len(found["used"])):
        order = sorted((found[key][step], says) for key, says in names.items())
        told = ", then ".join(says for at, says in order if at >= 0)
        rows.append((f"step {step}", told))
    barriers = int(sum(site.arrivals[0] for site in trace.barriers))
    return (
        f"{write_table(rows)}\n\nWarp 0 of block 0, between barriers where it reads shared memory; "
        f"K = 32.\nThe block comes to {barriers} barriers and has {trace.launch.shared_bytes:,} "
        "bytes of shared memory."
    )


PICTURE = steps_of_a_warp
