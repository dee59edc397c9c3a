"""CUDA C on both sides: the twins' sources as raw kernels, and kernels made around expressions.

The twins' oracle is the kernel in Python, on the machine. What is made around expressions is held
against NumPy.
"""

from __future__ import annotations

import importlib
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from tests.gpu.case import Case, CudaCSource

SEED = 7
ROUNDING = 1e-5  # contraction, other functions, and sums in another order
READERS = ("tree_sitter", "tree_sitter_cuda", "pcpp")

COUNTED = frozenset(
    f"{name} in C"
    for name in (
        *("vector_add", "strided", "block_sum", "warp_sum", "histogram", "stencil"),
        *("mandelbrot", "collatz", "votes"),
    )
)
"""Kernels whose loads and stores are as many in the compiler's PTX as in their source."""


@cache
def why_no_cuda_c() -> str:
    """What is missing to read CUDA C or to run it through CuPy; empty where nothing is."""
    for name in READERS:
        try:
            importlib.import_module(name)
        except ImportError as fault:
            return f"{name} cannot be imported ({fault})"
    try:
        from gpuedu.backend import cp

        cp.RawKernel  # noqa: B018 - CuPy is imported now
    except Exception as fault:  # CuPy's own faults of installation are of many classes
        return f"CuPy cannot be used ({fault})"
    return ""


@cache
def c_cases() -> tuple[Case, ...]:
    """The twins' kernels in C as cases; none where CUDA C cannot be run."""
    if why_no_cuda_c():
        return ()
    from tests.simt.cuda_c.twins import PAIRS

    seen: Counter[str] = Counter()
    made = []
    for pair in PAIRS:
        seen[pair.name] += 1
        again = f", {seen[pair.name]}" if seen[pair.name] > 1 else ""
        made.append(_case(pair, f"{pair.name} in C{again}"))
    return tuple(made)


def _case(pair: Any, name: str) -> Case:
    kernel = pair.code.partition("__global__ void ")[2].partition("(")[0]
    return Case(
        name,
        CudaCSource(pair.code, kernel),
        pair.grid,
        pair.block,
        lambda: (*pair.arguments(np.random.default_rng(SEED)), *pair.numbers),
        lambda *arguments: _run_twin(pair, arguments),
        pair.dynamic_shared_bytes,
        ROUNDING,
        counted=name in COUNTED,
    )


def _run_twin(pair: Any, arguments: tuple[Any, ...]) -> None:
    """The kernel in Python, which the machine reads by its other front end."""
    from gpuedu.simt import simulate

    given = arguments[: len(arguments) - len(pair.numbers)]
    simulate(
        pair.python, pair.grid, pair.block, *given, dynamic_shared_bytes=pair.dynamic_shared_bytes
    )


def as_extents(value: int | tuple[int, ...]) -> tuple[int, ...]:
    """A grid or block as CuPy takes it."""
    return value if isinstance(value, tuple) else (value,)


def launch_raw(case: Case, arguments: tuple[Any, ...]) -> list[Any]:
    """Launch a case by CuPy, or by its stand-in where there is no GPU, and wait."""
    from gpuedu.backend import cp

    kernel = cp.RawKernel(case.kernel.code, case.kernel.name)
    given = [_Uploaded(value) if isinstance(value, np.ndarray) else value for value in arguments]
    passed = [value.pointer if isinstance(value, _Uploaded) else value for value in given]
    grid, block = as_extents(case.grid), as_extents(case.block)
    kernel(grid, block, tuple(passed), shared_mem=case.dynamic_shared_bytes)
    cp.cuda.runtime.deviceSynchronize()
    return given


class _Uploaded:
    """A host array on the device; CuPy has no records, so theirs go as bytes."""

    def __init__(self, host: np.ndarray) -> None:
        from gpuedu.backend import cp

        self._host = host
        self._memory = cp.asarray(host if not host.dtype.names else host.view(np.uint8))
        self.pointer = self._memory
        if host.dtype.names:
            try:
                self.pointer = cp.ndarray(host.shape, host.dtype, self._memory.data)
            except Exception:  # CuPy before 14: bytes do as well, its pointers have no type
                self.pointer = self._memory

    def copy_to_host(self) -> np.ndarray:
        """The array as it is now on the device."""
        return self._memory.get().view(self._host.dtype).reshape(self._host.shape)
