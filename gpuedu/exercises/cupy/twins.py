"""What the lesson's pictures run beside the learner's own code."""

from __future__ import annotations

from functools import cache
from typing import Any


def squared_distances_large(xp: Any, queries: Any, points: Any) -> Any:
    """(m, n) squared distances, by way of an array of shape (m, n, d)."""
    differences = queries[:, None] - points
    return (differences**2).sum(axis=2)


def gelu_chain(cp: Any, x: Any) -> Any:
    """GELU as a chain of eight array operations."""
    return 0.5 * x * (1 + cp.tanh(0.79788456 * (x + 0.044715 * x**3)))


@cache
def logsumexp_naive() -> Any:
    """The logarithm of the sum of exponentials as the formula has it, for the machine."""
    from gpuedu.arrays.kernels import ReductionKernel

    return ReductionKernel(
        "float32 x", "float32 y", "expf(x)", "a + b", "y = logf(a)", "0.0f", "logsumexp_naive"
    )
