from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.machine.chunk import Chunk
from gpuedu.trace import Thread


def every_thread(grid, block):
    """(linear block, linear thread, block index, thread index), x fastest, by plain loops."""
    made, b = [], 0
    for bz in range(grid[2]):
        for by in range(grid[1]):
            for bx in range(grid[0]):
                t = 0
                for tz in range(block[2]):
                    for ty in range(block[1]):
                        for tx in range(block[0]):
                            made.append((b, t, (bx, by, bz), (tx, ty, tz)))
                            t += 1
                b += 1
    return made


@pytest.mark.parametrize(
    "grid, block",
    [
        ((1, 1, 1), (1, 1, 1)),
        ((5, 1, 1), (32, 1, 1)),
        ((3, 1, 1), (40, 1, 1)),
        ((2, 3, 1), (5, 7, 1)),
        ((2, 1, 3), (3, 2, 11)),
        ((1, 2, 2), (1, 33, 2)),
    ],
)
def test_indices_are_those_of_nested_loops(grid, block):
    blocks = np.arange(grid[0] * grid[1] * grid[2])
    chunk = Chunk(grid, block, blocks)

    def at(value, b, t):
        return int(np.broadcast_to(value, chunk.shape)[b, t])

    for b, t, block_index, thread_index in every_thread(grid, block):
        for axis, who, where, size in zip("xyz", thread_index, block_index, block, strict=True):
            assert at(getattr(chunk, f"t{axis}"), b, t) == who
            assert at(getattr(chunk, f"b{axis}"), b, t) == where
            assert at(getattr(chunk, f"grid_{axis}"), b, t) == where * size + who
        assert at(chunk.lane, b, t) == t % 32
        assert chunk.who(b, t) == Thread(block_index, thread_index)
    assert [int(chunk.nx), int(chunk.ny), int(chunk.nz)] == list(block)
    assert [int(chunk.gx), int(chunk.gy), int(chunk.gz)] == list(grid)
    sizes = [chunk.gridsize_x, chunk.gridsize_y, chunk.gridsize_z]
    assert [int(n) for n in sizes] == [g * n for g, n in zip(grid, block, strict=True)]


@pytest.mark.parametrize("size, warps", [(1, 1), (31, 1), (33, 2), (40, 2), (1023, 32)])
def test_lanes_past_the_block_are_never_among_everybody(size, warps):
    chunk = Chunk((2, 1, 1), (size, 1, 1), np.arange(2))
    assert chunk.shape == (2, 32 * warps)
    everybody = np.broadcast_to(chunk.everybody, chunk.shape)
    assert everybody[:, :size].all() and not everybody[:, size:].any()


def test_whole_warps_need_no_mask():
    assert Chunk((1, 1, 1), (64, 2, 1), np.arange(1)).everybody is None


def test_a_chunk_may_hold_any_blocks():
    chunk = Chunk((4, 2, 1), (32, 1, 1), np.array([6, 1]))
    assert chunk.bx.tolist() == [[2], [1]]
    assert chunk.by.tolist() == [[1], [0]]
    assert chunk.who(0, 5) == Thread((2, 1, 0), (5, 0, 0))


def test_types_are_numbas():
    chunk = Chunk((4, 2, 1), (32, 1, 1), np.arange(8))
    assert {np.dtype(v.dtype).name for v in (chunk.tx, chunk.bz, chunk.nx, chunk.lane)} == {"int32"}
    assert {np.dtype(v.dtype).name for v in (chunk.grid_x, chunk.gridsize_y)} == {"int64"}
