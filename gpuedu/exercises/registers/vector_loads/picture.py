"""vector-loads: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.registers.pictures import draw_banks, product
from gpuedu.exercises.registers.products import run_product
from gpuedu.trace import Operation


def draw_vector_loads(matmul: Any) -> Any:
    """The costliest request to shared memory of the kernel in CUDA C; of equals, a store."""
    inputs = product(64, 64, 8)
    trace = run_product(matmul, 64, inputs, *(np.int32(n) for n in (64, 64, 8)))
    return draw_banks(trace, Operation.STORE)


PICTURE = draw_vector_loads
