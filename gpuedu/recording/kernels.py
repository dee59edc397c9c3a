"""The lessons' kernels in their reference form, undecorated: what ``gpuedu record`` times.

They stay as they are, whatever happens to a lesson's text, so that records from two dates are of
the same code. ``cuda`` is the backend's, so that each of them also runs on gpuedu's own machine.
"""

from __future__ import annotations

from numba import float32, int32

from gpuedu.backend import cuda

TILE, PADDED = 32, 33
THREADS = 256


def empty() -> None:
    """Launch: any. Writes nothing."""


def copy_blocked(src, dst, per_thread):
    """Launch: a thread for each ``per_thread`` elements; each writes its own range."""
    start = cuda.grid(1) * per_thread
    for i in range(start, min(start + per_thread, src.size)):
        dst[i] = src[i]


def copy_striped(src, dst):
    """Launch: any number of threads; neighboring threads write neighbors, each element once."""
    for i in range(cuda.grid(1), src.size, cuda.gridsize(1)):
        dst[i] = src[i]


def speed_squared_of_rows(table, out):
    """Launch: a thread for each row of ``table`` (n, 6); each writes its own element."""
    i = cuda.grid(1)
    if i < out.size:
        vx, vy, vz = table[i, 3], table[i, 4], table[i, 5]
        out[i] = vx * vx + vy * vy + vz * vz


def speed_squared_of_fields(fields, out):
    """Launch: a thread for each column of ``fields`` (6, n); each writes its own element."""
    i = cuda.grid(1)
    if i < out.size:
        vx, vy, vz = fields[3, i], fields[4, i], fields[5, i]
        out[i] = vx * vx + vy * vy + vz * vz


def transpose_naive(m, out):
    """Launch: 32x32 blocks over ``m``; each thread writes its own element of ``out``."""
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = m[row, column]


def transpose_tiled(m, out):
    """Launch: 32x32 blocks over ``m``; a barrier between writing the tile and reading it."""
    tile = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = TILE * cuda.blockIdx.x + y, TILE * cuda.blockIdx.y + x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]


def transpose_padded(m, out):
    """As ``transpose_tiled``, with one more column in the tile, so no two lanes share a bank."""
    tile = cuda.shared.array((TILE, PADDED), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    row, column = TILE * cuda.blockIdx.x + y, TILE * cuda.blockIdx.y + x
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = tile[x, y]


def sum_pairs(x, sums):
    """Launch: blocks of 256; a barrier after each round; writes one sum per block."""
    part = cuda.shared.array(THREADS, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    step = 1
    while step < cuda.blockDim.x:
        if t % (2 * step) == 0:
            part[t] += part[t + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def sum_tree(x, sums):
    """As ``sum_pairs``, with neighbors adding: the threads that work stay together."""
    part = cuda.shared.array(THREADS, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    part[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    half = cuda.blockDim.x
    while half > 1:
        half //= 2
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def sum_shuffled(x, sums):
    """Launch: blocks of 256; lanes hand over values, one barrier; writes one sum per block."""
    part = cuda.shared.array(32, float32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    total = x[i] if i < x.size else float32(0)
    for d in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, d)
    if t % 32 == 0:
        part[t // 32] = total
    cuda.syncthreads()
    if t < 32:
        total = part[t] if t < cuda.blockDim.x // 32 else float32(0)
        for d in (16, 8, 4, 2, 1):
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, d)
        if t == 0:
            sums[cuda.blockIdx.x] = total


def count_atomic(values, hist):
    """Launch: any number of threads; atomics on ``hist`` itself order all updates."""
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)


def count_private(values, hist):
    """Launch: any number of blocks; each counts in its own copy, with barriers around."""
    part = cuda.shared.array(256, int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])
