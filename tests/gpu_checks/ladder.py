"""Every rung of the ladder against float64: ``python3 -m tests.gpu_checks.ladder``, on a GPU.

Each rung in each of its blockings computes products of whole and of ragged shapes, with rows and
columns of very different size, into a c full of NaN; each element has to lie within the error bound
of its sum. Triton's rung and the library's product in bfloat16 follow. Exit status: 0 if all are
right, 1 if one is not, 3 where there is no GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gpuedu.backend import cp, cuda, has_gpu
from gpuedu.ladder import Rung, rungs

WRONG, NO_GPU = 1, 3
TIME_S = 300.0
SHAPES = (
    (256, 256, 64),
    (512, 1024, 256),
    (70, 130, 19),
    (1, 5, 1),
    (129, 31, 35),
    (1000, 333, 257),
    (257, 1025, 2049),
)
FLOAT32, BFLOAT16 = 2.0**-24, 2.0**-8
Shape = tuple[int, int, int]


def main() -> int:
    """Check all; print a line for each rung."""
    if not has_gpu():
        print("the ladder was not checked: there is no GPU that Numba can use")
        return NO_GPU
    deadline_s, wrong = time.monotonic() + TIME_S, 0
    for own in [variant for first in rungs() for variant in first.variants]:
        if time.monotonic() > deadline_s:
            print("out of time; the rest was not checked")
            return WRONG
        faults = list(faults_of(own, SHAPES))
        print(f"{own.name} {own.variant}: {'; '.join(faults) or 'right'}", flush=True)
        wrong += bool(faults)
    for line in tensor_core_lines(SHAPES):
        print(line, flush=True)
        wrong += not line.endswith(("right", "not here"))
    return WRONG if wrong else 0


def faults_of(own: Rung, shapes: Sequence[Shape]) -> Iterator[str]:
    """What is wrong with a rung, a sentence for each shape at which something is."""
    is_c = own.language == "CUDA C"
    give = cp.asarray if is_c else cuda.to_device
    for shape in shapes:
        a, b, c = operands(shape)
        try:
            on_device = [give(array) for array in (a, b, c)]
            own.launch(*on_device)
            cuda.synchronize()
            got = on_device[2].get() if is_c else on_device[2].copy_to_host()
        except Exception as fault:
            yield f"{shape}: {type(fault).__name__}: {' '.join(str(fault).split())[:200]}"
            continue
        told = difference(a, b, got, FLOAT32)
        if told:
            yield f"{shape}: {told}"


def operands(shape: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """a (M, K) and b (K, N) with scales from 0.001 to 1000, and c (M, N) of NaN, float32."""
    m, n, k = shape
    rng = np.random.default_rng(shape)
    a = rng.normal(0, 1, (m, k)) * 10.0 ** rng.integers(-3, 4, (m, 1))
    b = rng.normal(0, 1, (k, n)) * 10.0 ** rng.integers(-3, 4, (1, n))
    return a.astype(np.float32), b.astype(np.float32), np.full((m, n), np.nan, np.float32)


def difference(a: np.ndarray, b: np.ndarray, c: np.ndarray, rounding: float) -> str:
    """Where c is no product of a and b; empty where it is.

    Args:
        a: (M, K).
        b: (K, N).
        c: (M, N), summed in float32.
        rounding: Of a stored result, relative.

    >>> a, b, c = operands((2, 3, 4))
    >>> difference(a, b, a @ b, FLOAT32), difference(a, b, c, FLOAT32)[:26]
    ('', 'element (0, 0) is nan, and')
    """
    a, b = a.astype(np.float64), b.astype(np.float64)
    exact, size = a @ b, np.abs(a) @ np.abs(b)
    limit = (a.shape[1] + 1) * FLOAT32 * size + rounding * np.abs(exact)
    wrong = ~(np.abs(c - exact) <= limit)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.unravel_index(wrong.argmax(), wrong.shape))
    return f"element {at} is {c[at]}, and should be {exact[at]}; {wrong.sum()} are wrong"


def tensor_core_lines(shapes: Sequence[Shape]) -> Iterator[str]:
    """A line for Triton's rung and one for the library, in bfloat16."""
    try:
        import torch

        is_here = torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    except ImportError:
        is_here = False
    if not is_here:
        yield "bfloat16: not here"
        return
    from gpuedu.ladder.library import bind_library

    yield _tensor_core_line("library bfloat16", bind_library, torch, shapes)
    try:
        from gpuedu.ladder.triton_bf16 import bind_triton
    except ImportError:
        yield "Triton: not here"
        return
    yield _tensor_core_line("Triton bfloat16", bind_triton, torch, shapes)


def _tensor_core_line(
    name: str, bind: Callable[..., Any], torch: Any, shapes: Sequence[Shape]
) -> str:
    faults = []
    for shape in shapes:
        a, b, c = (torch.from_numpy(x).to("cuda", torch.bfloat16) for x in operands(shape))
        bind(a, b, c)()
        told = difference(*(x.float().cpu().numpy() for x in (a, b, c)), BFLOAT16)
        if told:
            faults.append(f"{shape}: {told}")
    return f"{name}: {'; '.join(faults) or 'right'}"


if __name__ == "__main__":
    sys.exit(main())
