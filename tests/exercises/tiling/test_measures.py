"""Times are taken on a GPU only; the launches are those of the lesson."""

from __future__ import annotations

from gpuedu.exercises.tiling.measures import time_matmuls
from gpuedu.simt.host import cuda


def blocks_for(rows, columns):
    return -(-columns // 32), -(-rows // 32)


@cuda.jit
def ones(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = 1


def test_nothing_is_timed_without_a_gpu(monkeypatch):
    monkeypatch.setattr("gpuedu.backend.has_gpu", lambda: False)
    assert time_matmuls(blocks_for, ones, ones) == {}


def test_both_kernels_are_launched_with_their_grids(monkeypatch):
    monkeypatch.setattr("gpuedu.backend.has_gpu", lambda: True)
    monkeypatch.setattr("gpuedu.backend.cuda", cuda, raising=False)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    asked = []

    def grid(rows, columns):
        asked.append((rows, columns))
        return blocks_for(rows, columns)

    times = time_matmuls(grid, ones, ones, side=64)
    assert set(asked) == {(64, 64)}
    assert times.keys() == {"naive", "tiled", "m", "n", "k", "device"}
    assert min(times["naive"], times["tiled"]) > 0
    assert isinstance(times["device"], str)
    assert times["m"] == 64
