"""Whole kernels: device functions, arguments, a launch, and a body without races.

A thread writes global memory at its own index only, or by integer atomics whose result it does not
use; shared memory is written at the thread's own place and read by others after a barrier.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.simt.kernels_generated.choices import Choices, chance, pick
from tests.simt.kernels_generated.expressions import EXTENT, LOCAL, Scope, condition, real, whole
from tests.simt.kernels_generated.statements import INDENT, Writer, body

BLOCKS = ((7,), (1,), (32,), (33,), (64,), (8, 5), (3, 2, 4), (32, 2), (40,), (5,))
GRIDS = ((1,), (2,), (3,), (2, 2), (1, 2, 2), (17,))
INT_DTYPES = ("int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64")
HEADER = """import math

from numba import (
    cuda, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
)

BLOCK = {block}
"""


@dataclass(frozen=True)
class GeneratedKernel:
    """A module's text with ``kernel`` in it, its launch and what it is called with."""

    source: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    arguments: Callable[[], tuple[object, ...]]


def generate(c: Choices) -> GeneratedKernel:
    """A random kernel."""
    block = pick(c, BLOCKS)
    grid = pick(c, GRIDS)
    if math.prod(block) * math.prod(grid) > 200:
        grid = (1,)
    int_dtype = pick(c, INT_DTYPES)
    functions = _device_functions(c)
    lines = _kernel(c, math.prod(block))
    source = HEADER.format(block=math.prod(block)) + "\n".join(functions + lines) + "\n"
    threads = math.prod(block) * math.prod(grid)
    return GeneratedKernel(source, grid, block, lambda: _arguments(int_dtype, threads))


def _arguments(int_dtype: str, threads: int) -> tuple[object, ...]:
    rng = np.random.default_rng(41)
    low = 0 if int_dtype.startswith("u") else -60
    return (
        rng.normal(0, 4, EXTENT).astype(np.float32),
        rng.normal(0, 4, EXTENT),
        rng.integers(-50, 50, EXTENT).astype(np.int32),
        rng.integers(low, 100, EXTENT).astype(int_dtype),
        np.zeros(threads, np.int64),
        np.zeros(threads, np.int32),
        np.zeros(threads),
        np.zeros(threads, np.float32),
        np.zeros(threads),
        np.zeros(8, np.int64),
        np.full(8, -1000, np.int32),
        np.full(8, 1000, np.int64),
        np.zeros(8, np.int64),
        7,
        np.float32(1.5),
    )


ARGUMENTS = "a, d, b, e, out_l, out_i, out_d, out_f, rough, sums, tops, lows, bits, n, x"
ROUGH = 8


def _device_functions(c: Choices) -> list[str]:
    lines = []
    for name in ("real_of", "whole_of", "pair_of"):
        scope = Scope(varying=["p", "q"], ints=["u7"], floats=["f7"])
        (scope.floats if name == "real_of" else scope.ints).append("p")
        (scope.floats if name == "pair_of" else scope.ints).append("q")
        scope.float_functions += ["real_of"] if name != "real_of" else []
        w = Writer(c, scope, loops=20)
        w.add(f"u7 = {'1' if name == 'pair_of' else 'q'}")
        w.add(f"f7 = {pick(c, ('0.5', 'float32(2.0)', '1.0 * p'))}")
        body(w, 3)
        result = {"real_of": real, "whole_of": whole, "pair_of": _pair}[name]
        if chance(c, 2) and name != "pair_of":
            w.add(f"if {condition(c, scope, 1)}:")
            w.add(INDENT + f"return {result(c, scope, 1)}")
        w.add(f"return {result(c, scope, 2)}")
        lines += ["", "@cuda.jit(device=True)", f"def {name}(p, q):", *w.lines]
    return lines


def _pair(c: Choices, scope: Scope, depth: int) -> str:
    return f"{whole(c, scope, depth)}, {real(c, scope, depth)}"


def _kernel(c: Choices, threads: int) -> list[str]:
    scope = Scope(
        varying=["t", "i", "j", "n"],
        ints=["u1", "v2", "t", "i", "j", "n"],
        floats=["f1", "g2", "x"],
        bools=["p1"],
        int_arrays=["b", "e"],
        float_arrays=["a", "d"],
        int_functions=["whole_of"],
        float_functions=["real_of"],
        pair_functions=["pair_of"],
    )
    outputs = (
        ("out_l[i]", "int"),
        ("out_i[i]", "int"),
        ("out_d[i]", "float"),
        ("out_f[i]", "float"),
    )
    w = Writer(c, scope, outputs, ("sums", "tops", "lows", "bits"))
    for line in _indices():
        w.add(line)
    w.add(f"u1 = {pick(c, ('0', 't', 'j', 'b[i % 16]', 'e[t % 16]', 'e[j % 16]'))}")
    w.add(f"v2 = {whole(c, Scope(['i'], ints=['i', 't', 'n']), 1)}")
    w.add(f"f1 = {pick(c, ('float32(0.0)', '0.0', 'a[t % 16]', 'd[j % 16]', 'x'))}")
    w.add(f"g2 = {real(c, Scope(['i'], floats=['f1', 'x'], ints=['i']), 1)}")
    w.add(f"p1 = {pick(c, ('t > 3', 'j > 0', 'i % 2 == 0', 'n < i'))}")
    if chance(c, 2):
        _declare_local(w)
    body(w, 3)
    for k in range(c.number(0, 2)):
        _exchange(w, k, threads)
    w.may_return = True
    body(w, 4)
    _finish(w)
    return ["", f"def kernel({ARGUMENTS}):", *w.lines]


def _indices() -> list[str]:
    return [
        "t = cuda.threadIdx.x + cuda.blockDim.x * "
        "(cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)",
        "j = cuda.blockIdx.x + cuda.gridDim.x * "
        "(cuda.blockIdx.y + cuda.gridDim.y * cuda.blockIdx.z)",
        "i = t + BLOCK * j",
    ]


def _declare_local(w: Writer) -> None:
    kind = pick(w.choices, ("float32", "float64", "int32", "int64"))
    w.add(f"own = cuda.local.array({LOCAL}, {kind})")
    w.add(f"for k in range({LOCAL}):")
    w.add(INDENT + "own[k] = k + t")
    names = w.scope.local_floats if kind.startswith("float") else w.scope.local_ints
    names.append("own")


def _exchange(w: Writer, number: int, threads: int) -> None:
    """Hand a value of every thread to another one: through shared memory, or in a warp."""
    c, s = w.choices, w.scope
    if threads % 32 == 0 and chance(c, 3):
        _exchange_in_warp(w)
        return
    tile = f"tile{number}"
    kind = pick(c, ("float32", "float64", "int32", "int64"))
    is_real = kind.startswith("float")
    shape = "BLOCK" if chance(c, 2) else "(2, BLOCK)"
    row = "" if shape == "BLOCK" else f"{c.number(0, 1)}, "
    w.add(f"{tile} = cuda.shared.array({shape}, {kind})")
    rounds = c.number(1, 3)
    w.add(f"for r in range({rounds}):")
    w.depth += 1
    w.add(f"{tile}[{row}t] = {(real if is_real else whole)(c, s, 2)}")
    w.add("cuda.syncthreads()")
    step = c.number(1, 9)
    target = pick(c, ("f1", "g2") if is_real else ("u1", "v2"))
    w.add(f"{target} {pick(c, ('=', '+='))} {tile}[{row}(t + {step} + r) % BLOCK]")
    if chance(c, 3):
        w.add(f"u1 += cuda.syncthreads_count(int32({condition(c, s, 1)}))")
    w.add("cuda.syncthreads()")
    w.depth -= 1


def _exchange_in_warp(w: Writer) -> None:
    c = w.choices
    kind = c.number(0, 4)
    if kind == 0:
        w.add(f"g2 += cuda.shfl_xor_sync(0xFFFFFFFF, float32(g2), {c.number(0, 31)})")
    elif kind == 1:
        w.add(f"v2 += cuda.shfl_down_sync(0xFFFFFFFF, int32(t), {c.number(0, 31)})")
    elif kind == 2:
        w.add(f"v2 -= cuda.shfl_up_sync(0xFFFFFFFF, int64(v2), {c.number(0, 31)})")
    elif kind == 3:
        w.add(f"v2 ^= cuda.ballot_sync(0xFFFFFFFF, bool({condition(c, w.scope, 1)}))")
    else:
        w.add(f"p1 = cuda.any_sync(0xFFFFFFFF, bool({condition(c, w.scope, 1)}))")


def _finish(w: Writer) -> None:
    """Store every variable, and one value whose last bits functions may differ in."""
    w.add("out_l[i] += u1 + v2")
    w.add("out_d[i] += f1 + 2 * g2")
    w.add("out_i[i] ^= int32(p1)")
    function = pick(
        w.choices,
        ("math.sin(f1)", "math.exp(min(g2, 5.0))", "f1 ** 2", "g2 ** 3", "abs(f1) ** 0.5"),
    )
    w.add(f"rough[i] = {function}")
