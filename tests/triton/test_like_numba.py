"""The same access pattern in Triton and in Numba: the same requests, lanes and sectors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from gpuedu import simulate as simulate_threads
from gpuedu.backend import cuda
from gpuedu.triton import simulate

COLUMNS = 100


@triton.jit
def copy_blocks(x, out, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at * STEP, tl.load(x + at * STEP, mask=at < n), mask=at < n)


def copy_threads(x, out, n, step):
    i = cuda.grid(1)
    if i < n:
        out[i * step] = x[i * step]


@triton.jit
def copy_tiles(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr, IS_TURNED: tl.constexpr):
    i = tl.program_id(1) * M + tl.arange(0, M)[:, None]
    j = tl.program_id(0) * N + tl.arange(0, N)[None, :]
    mask = (i < rows) & (j < columns)
    values = tl.load(x + i * columns + j, mask=mask)
    if IS_TURNED:
        tl.store(out + j * rows + i, values, mask=mask)
    else:
        tl.store(out + i * columns + j, values, mask=mask)


def copy_rows_of_tiles(x, out, rows, columns):
    j, i = cuda.grid(2)
    if i < rows and j < columns:
        out[i * columns + j] = x[i * columns + j]


@triton.jit
def count_values(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, mask=at < n), 1, mask=at < n)


def count_by_threads(x, counts, n):
    i = cuda.grid(1)
    if i < n:
        cuda.atomic.add(counts, x[i], 1)


def sums(trace):
    names = ("requests", "lanes", "sectors", "ideal_sectors", "same_address_lanes")
    found = {}
    for site in trace.sites:
        entry = found.setdefault((site.array, site.operation), dict.fromkeys(names, 0))
        for name in names:
            entry[name] += int(getattr(site, name).sum())
    return found


def by_warp(trace):
    return [(one.array, one.sectors.tolist()) for one in trace.sites]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "float16"])
@pytest.mark.parametrize("step", [1, 2, 3, 32])
@pytest.mark.parametrize(("n", "block"), [(1000, 128), (96, 32), (1024, 256)])
def test_a_copy_with_a_step(n, block, step, dtype):
    x = (np.arange(n * step) % 100).astype(dtype)
    programs = -(-n // block)
    ours = simulate(copy_blocks, programs, block, x, x.copy(), n, STEP=step, BLOCK=block)
    theirs = simulate_threads(copy_threads, programs, block, x, x.copy(), n, step)
    assert sums(ours) == sums(theirs)
    assert by_warp(ours) == by_warp(theirs)
    touched = [(one.array, one.read_bytes, one.written_bytes) for one in ours.arrays]
    assert touched == [(one.array, one.read_bytes, one.written_bytes) for one in theirs.arrays]


@pytest.mark.parametrize(("rows", "columns"), [(64, 128), (30, 100)])
def test_tiles_of_rows(rows, columns):
    x, out = np.ones(rows * columns, np.float32), np.zeros(rows * columns, np.float32)
    sizes = {"M": 8, "N": 32, "IS_TURNED": False}
    grid = -(-columns // 32), -(-rows // 8)
    ours = simulate(copy_tiles, grid, 256, x, out, rows, columns, **sizes)
    theirs = simulate_threads(copy_rows_of_tiles, grid, (32, 8), x, out, rows, columns)
    assert sums(ours) == sums(theirs)


def test_a_block_is_dealt_out_along_the_axis_that_is_contiguous():
    x, out = np.ones(64 * 64, np.float32), np.zeros(64 * 64, np.float32)
    sizes = {"M": 32, "N": 32, "IS_TURNED": True}
    ours = simulate(copy_tiles, (2, 2), 128, x, out, 64, 64, **sizes)
    assert all((one.sectors == one.ideal_sectors).all() for one in ours.sites)


def test_atomics():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 7, 1000).astype(np.int32)
    ours_counts, their_counts = np.zeros(7, np.int32), np.zeros(7, np.int32)
    ours = simulate(count_values, 8, 128, x, ours_counts, 1000, BLOCK=128)
    theirs = simulate_threads(count_by_threads, 8, 128, x, their_counts, 1000)
    assert sums(ours) == sums(theirs)
    assert ours_counts.tolist() == their_counts.tolist()


def test_elements_of_the_watched_programs():
    x, out = torch.arange(256.0), torch.empty(256)
    trace = simulate(copy_blocks, 2, 128, x, out, 256, watch=(1,), STEP=1, BLOCK=128)
    events = trace.events
    assert set(events.block.tolist()) == {1}
    assert events.element[0].tolist() == list(range(128, 160))
    assert events.warp.tolist() == [0, 1, 2, 3] * 2
