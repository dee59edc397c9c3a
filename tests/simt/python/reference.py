"""Two checks for kernels: Python's own answer thread by thread, and equal answers in every mode."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numpy as np
import pytest

from gpuedu.simt import launch, simulate
from gpuedu.trace import Trace

Dim = int | tuple[int, ...]


def run_by_python(kernel: Callable[..., None], grid: Dim, block: Dim, *arguments: object) -> None:
    """Call the kernel's function once for each thread; for kernels whose threads never meet."""
    grid3, block3 = _three(grid), _three(block)
    for at in itertools.product(*map(range, (*grid3[::-1], *block3[::-1]))):
        bz, by, bx, tz, ty, tx = at
        _for_thread(kernel, _fake_cuda((bx, by, bz), (tx, ty, tz), grid3, block3))(*arguments)


def in_every_mode(
    kernel: Callable[..., None], grid: Dim, block: Dim, *arguments: object, **options: object
) -> Trace:
    """Traced, untraced, in small and large chunks, backwards: equal results and no hazard.

    The arguments are left with the results; the traced run's account is given back.
    """
    before = copy.deepcopy(arguments)
    trace = simulate(kernel, grid, block, *arguments, **options)
    assert trace.findings == ()
    with pytest.MonkeyPatch.context() as patch:
        for threads in (64, 1 << 16):
            patch.setattr(launch, "CHUNK_THREADS", threads)
            for more in ({}, {"trace": False}, {"order": "reversed"}):
                again = copy.deepcopy(before)
                assert simulate(kernel, grid, block, *again, **options, **more).findings == ()
                _require_equal(again, arguments, f"{threads} threads a chunk, {more}")
    return trace


def as_python(
    kernel: Callable[..., None], grid: Dim, block: Dim, *arguments: object, **options: object
) -> Trace:
    """Equal in every mode, and to what Python itself gives for each thread."""
    expected = copy.deepcopy(arguments)
    run_by_python(kernel, grid, block, *expected)
    trace = in_every_mode(kernel, grid, block, *arguments, **options)
    _require_equal(arguments, expected, "Python")
    return trace


def line_of(kernel: Callable[..., None], text: str) -> int:
    """The line of the file on which a kernel's source holds a text."""
    code = kernel.__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if n > code.co_firstlineno and text in line)


def _require_equal(mine: tuple, other: tuple, mode: str) -> None:
    for one, two in zip(mine, other, strict=True):
        np.testing.assert_array_equal(one, two, err_msg=mode)


def _three(size: Dim) -> tuple[int, ...]:
    size = size if isinstance(size, tuple) else (size,)
    return (*size, *(1,) * (3 - len(size)))


def _for_thread(function: Callable, cuda: SimpleNamespace) -> Callable:
    """The function with this thread's ``cuda``, and so every device function that it calls."""
    python = getattr(function, "py_func", function)
    names = {**python.__globals__, "cuda": cuda}
    for name in python.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = _for_thread(names[name], cuda)
    return FunctionType(
        python.__code__, names, python.__name__, python.__defaults__, python.__closure__
    )


def _fake_cuda(block: tuple, thread: tuple, grid3: tuple, block3: tuple) -> SimpleNamespace:
    def index(values: tuple) -> SimpleNamespace:
        return SimpleNamespace(**dict(zip("xyz", values, strict=True)))

    where = [b * n + t for b, n, t in zip(block, block3, thread, strict=True)]
    size = [g * n for g, n in zip(grid3, block3, strict=True)]
    return SimpleNamespace(
        grid=lambda ndim: where[0] if ndim == 1 else tuple(where[:ndim]),
        gridsize=lambda ndim: size[0] if ndim == 1 else tuple(size[:ndim]),
        threadIdx=index(thread),
        blockIdx=index(block),
        blockDim=index(block3),
        gridDim=index(grid3),
        local=SimpleNamespace(array=lambda shape, dtype: np.zeros(shape, np.dtype(str(dtype)))),
        const=SimpleNamespace(array_like=lambda array: array),
    )
