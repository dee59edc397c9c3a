"""What an entry in the table of kernels says, and the inputs that entries share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Prediction:
    """A counter that the compiler is known to change: what the GPU should count, and why.

    ``counter`` is a key of ``counters.COUNTERS``, ``value`` the count for the whole launch.
    """

    counter: str
    value: int
    reason: str


@dataclass(frozen=True)
class CudaCSource:
    """A kernel in CUDA C: on a GPU CuPy's RawKernel, on the machine the front end for CUDA C."""

    code: str
    name: str

    @property
    def __name__(self) -> str:  # what kernels in Python have
        return self.name


@dataclass(frozen=True)
class Case:
    """One correct kernel and its launch.

    ``arguments`` makes new host arguments at each call; ``oracle`` takes the same arguments and
    changes them in place as the kernel must, in plain NumPy. ``tolerance`` is relative to the
    largest number of an array; 0 asks for equal bits. Where ``counted`` is False, the compiler
    changes the accesses in ways that nobody predicted, and counters are not compared.
    """

    name: str
    kernel: Callable[..., None] | CudaCSource
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    arguments: Callable[[], tuple[object, ...]]
    oracle: Callable[..., None]
    dynamic_shared_bytes: int = 0
    tolerance: float = 0.0
    predictions: tuple[Prediction, ...] = ()
    counted: bool = True


def floats(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Numbers from -1 to 1, neither sorted nor symmetric."""
    rng = np.random.default_rng(17 + sum(shape))
    return (2 * rng.random(shape) - 1).astype(dtype)


def integers(*shape: int, high: int, dtype: type = np.int32) -> np.ndarray:
    """Integers from 0 up to ``high``, which is left out."""
    return np.random.default_rng(29 + sum(shape)).integers(0, high, shape).astype(dtype)


def blank(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Zeros to write to."""
    return np.zeros(shape, dtype)


def worst_difference(got: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference of two arrays, in units of the largest expected number.

    Equal bits give 0; other integers, another type or shape, and a NaN or infinity give infinity.
    Records are compared field by field.

    >>> worst_difference(np.array([2.0, 4.0]), np.array([2.0, 5.0]))
    0.2
    """
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return float("inf")
    if got.dtype.names:
        return max(worst_difference(got[name], expected[name]) for name in got.dtype.names)
    if np.array_equal(got, expected):
        return 0.0
    if got.dtype.kind not in "fc":
        return float("inf")
    apart, largest = float(np.abs(got - expected).max()), float(np.abs(expected).max())
    return apart / largest if np.isfinite(apart) and largest else float("inf")
