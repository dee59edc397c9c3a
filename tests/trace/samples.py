"""Small launches with known counts, as a lesson would show them."""

from __future__ import annotations

import numpy as np

from gpuedu.trace import Argument, Finding, Level, Place, Thread, Trace
from tests.trace.building import Builder

ARRAYS = (
    Argument("a", "array", "float32", (4096,)),
    Argument("out", "array", "float32", (4096,)),
)

STRIDED = """@cuda.jit
def strided(a, out, stride):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i * stride] * 2.0
"""

TRANSPOSE = """@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]
"""

REDUCE = """@cuda.jit
def block_sum(a, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    s = 32
    while s > 0:
        cuda.syncthreads()
        if t < s:
            part[t] = part[t] + part[t + s]
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]
"""

HISTOGRAM = """@cuda.jit
def histogram(a, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, a[i], 1)
"""

BRANCHES = """@cuda.jit
def branches(a, out):
    i = cuda.grid(1)
    if i % 2 == 0:
        out[i] = a[i] + float32(1)
    else:
        out[i] = a[i] - float32(1)
"""

NEIGHBOR = """@cuda.jit
def neighbor(a, out):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    out[t] = s[t + 1]
"""


def strided(stride: int = 1, offset: int = 0, n: int = 64, blocks: int = 1) -> Trace:
    """``out[i] = a[i * stride + offset] * 2.0`` for 64 threads a block."""
    made = Builder(STRIDED, (blocks, 1, 1), (64, 1, 1), "strided", arguments=ARRAYS, shared_bytes=0)
    i = made.thread_index()
    on = i < n
    made.step(3)
    made.step(4)
    made.branch(4, "i < out.size", on)
    made.step(5, on, {"float64": 1})
    text = "a[i * stride]"
    made.access(5, text, np.where(on, i * stride + offset, -1), shape=(64 * 64,))
    made.access(5, "out[i]", np.where(on, i, -1), operation="store", shape=(n,))
    return made.build()


def transpose(pitch: int = 32) -> Trace:
    """A 32x32 tile through shared memory whose rows are ``pitch`` elements apart."""
    source = TRANSPOSE.replace("(32, 32)", f"(32, {pitch})")
    made = Builder(
        source, (1, 1, 1), (32, 32, 1), "transpose", arguments=ARRAYS, shared_bytes=128 * pitch
    )
    t = made.thread_index()
    x, y = t % 32, t // 32
    tile = {"space": "shared", "shape": (32, pitch)}
    made.step(4)
    made.step(5)
    made.access(5, "a[y, x]", y * 32 + x, shape=(32, 32))
    made.access(5, "tile[y, x]", y * pitch + x, operation="store", **tile)
    made.step(6)
    made.barrier(6)
    made.step(7)
    made.access(7, "tile[x, y]", x * pitch + y, **tile)
    made.access(7, "out[y, x]", y * 32 + x, operation="store", shape=(32, 32))
    return made.build()


def block_sum(blocks: int = 2) -> Trace:
    """A tree in shared memory: 64 threads a block, halved at each step."""
    made = Builder(REDUCE, (blocks, 1, 1), (64, 1, 1), "block_sum", shared_bytes=256)
    i = made.thread_index()
    t = i % 64
    part = {"space": "shared", "shape": (64,)}
    made.step(4)
    made.step(5)
    made.access(5, "a[cuda.grid(1)]", i, shape=(64 * blocks,))
    made.access(5, "part[t]", t, operation="store", **part)
    for s in (32, 16, 8, 4, 2, 1):
        made.step(8)
        made.barrier(8)
        made.step(9)
        made.branch(9, "t < s", t < s)
        made.step(10, t < s, {"float32": 1})
        made.access(10, "part[t]", np.where(t < s, t, -1), **part)
        made.access(10, "part[t + s]", np.where(t < s, t + s, -1), **part)
        made.access(10, "part[t]", np.where(t < s, t, -1), operation="store", **part)
    made.step(12)
    made.branch(12, "t == 0", t == 0)
    made.step(13, t == 0)
    made.access(13, "part[0]", np.where(t == 0, 0, -1), **part)
    out = {"operation": "store", "shape": (blocks,)}
    made.access(13, "out[cuda.blockIdx.x]", np.where(t == 0, i // 64, -1), **out)
    return made.build()


def histogram(bins: int = 4) -> Trace:
    """64 threads add to ``bins`` counters in turn."""
    made = Builder(HISTOGRAM, block=(64, 1, 1), kernel="histogram")
    i = made.thread_index()
    made.step(3)
    made.step(4)
    made.access(4, "a[i]", i, dtype="int32", shape=(64,))
    made.access(4, "bins[a[i]]", i % bins, operation="atomic", dtype="int32", shape=(bins,))
    return made.build()


def branches(block: int = 64) -> Trace:
    """Even and odd lanes take different sides."""
    made = Builder(BRANCHES, block=(block, 1, 1), kernel="branches", arguments=ARRAYS)
    i = made.thread_index()
    even = i % 2 == 0
    made.step(3)
    made.step(4)
    made.branch(4, "i % 2 == 0", even)
    for line, side in ((5, even), (7, ~even)):
        made.step(line, side, {"float32": 1})
        here = np.where(side, i, -1)
        made.access(line, "a[i]", here, shape=(block,))
        made.access(line, "out[i]", here, operation="store", shape=(block,))
    return made.build()


def racing() -> Trace:
    """A neighbor's element is read without a barrier: thread 31's is written by another warp."""
    found = Finding(
        Level.HAZARD,
        "data-race",
        "thread 31 reads s[32] while thread 32 writes it, with no barrier between them",
        "put `cuda.syncthreads()` between line 5 and line 6",
        Place("neighbor", 6),
        Thread((0, 0, 0), (31, 0, 0)),
        "s",
        (32,),
        Place("neighbor", 5),
        Thread((0, 0, 0), (32, 0, 0)),
        63,
    )
    beyond = Finding(
        Level.HAZARD,
        "out-of-bounds",
        "s[64] is read, but s has 64 elements: 0 to 63",
        "let the last thread of the block do something else: `if t + 1 < 64`",
        Place("neighbor", 6),
        Thread((0, 0, 0), (63, 0, 0)),
        "s",
        (64,),
    )
    made = Builder(
        NEIGHBOR, block=(64, 1, 1), kernel="neighbor", findings=(found, beyond), shared_bytes=256
    )
    t = made.thread_index()
    made.step(4)
    made.step(5)
    made.access(5, "a[t]", t, shape=(64,))
    made.access(5, "s[t]", t, operation="store", space="shared", shape=(64,))
    made.step(6)
    made.access(6, "s[t + 1]", np.where(t < 63, t + 1, -1), space="shared", shape=(64,))
    made.access(6, "out[t]", t, operation="store", shape=(64,))
    return made.build()
