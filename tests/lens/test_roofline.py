"""Work, traffic, intensities and bounds of three kernels, worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.hardware.roofline import Roofs, roofs_of
from gpuedu.lens import lens
from gpuedu.lens.roofline import RooflinePoint, roofline_point
from gpuedu.simt.launch import simulate
from tests.trace import samples

M, N, K = 64, 96, 128
TILE = 32
ROUND = Roofs("round", flop_per_s=64.0, memory_bytes_per_s=4.0, l1_bytes_per_s=32.0)
# The data sheets, by hand: peak, device memory, L1 (bytes a clock x SMs x clock).
SHEETS = {
    "t4": (8.1e12, 320e9, 64 * 40 * 1.59e9),
    "h200-sxm": (67e12, 4.8e12, 128 * 132 * 1.98e9),
}


def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def naive(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


def tiled(a, b, c):
    of_a = cuda.shared.array((TILE, TILE), float32)
    of_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        of_a[y, x] = a[row, start + x]
        of_b[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += of_a[y, k] * of_b[k, x]
        cuda.syncthreads()
    c[row, column] = total


@dataclass(frozen=True)
class ByHand:
    """What one launch does, as formulas give it; ``share`` is of the peak, by device."""

    flop: int
    sectors: int
    wavefronts: int
    passes: int
    touched_bytes: int
    l1_intensity: float
    memory_intensity: float
    share: dict[str, float]
    limit: dict[str, str]


def shares(l1, memory):
    return {
        key: min(1.0, l1 * l1_rate / peak, memory * rate / peak)
        for key, (peak, rate, l1_rate) in SHEETS.items()
    }


def floats(*shape):
    return np.random.default_rng(11).random(shape, np.float32)


def run_saxpy():
    """Two operations for 12 bytes, and each byte is used once."""
    n = 4096
    trace = simulate(saxpy, n // 128, 128, np.float32(2.5), floats(n), floats(n))
    both = {"t4": "device memory", "h200-sxm": "device memory"}
    sectors = 3 * n // 8
    return trace, ByHand(
        2 * n, sectors, 0, sectors // 4, 12 * n, 1 / 6, 1 / 6, shares(1 / 6, 1 / 6), both
    )


def run_naive():
    """A warp is 32 neighbors of a row: in a step of k, 1 sector of a and 4 of b, a pass for each."""
    trace = simulate(naive, (N // 32, M // 8), (32, 8), floats(M, K), floats(K, N), floats(M, N))
    warps = M * N // 32
    l1 = 2 * 32 * K / (128 * (2 * K + 1))
    memory = 2 * M * N * K / (4 * (M * K + K * N + M * N))
    found = ByHand(
        2 * M * N * K,
        warps * (5 * K + 4),
        0,
        warps * (2 * K + 1),
        4 * (M * K + K * N + M * N),
        l1,
        memory,
        shares(l1, memory),
        {"t4": "L1", "h200-sxm": "L1"},
    )
    return trace, found


def run_tiled():
    """In a tile, a warp loads and stores two rows, and reads shared memory twice in a step."""
    grid = (N // TILE, M // TILE)
    trace = simulate(tiled, grid, (TILE, TILE), floats(M, K), floats(K, N), floats(M, N))
    warps, tiles = M * N // 32, K // TILE
    sectors, wavefronts = warps * (8 * tiles + 4), warps * tiles * (2 + 2 * TILE)
    l1 = 2 * M * N * K / (32 * sectors + 128 * wavefronts)  # four sectors fill a pass
    memory = 2 * M * N * K / (4 * (M * K + K * N + M * N))
    found = ByHand(
        2 * M * N * K,
        sectors,
        wavefronts,
        sectors // 4 + wavefronts,
        4 * (M * K + K * N + M * N),
        l1,
        memory,
        shares(l1, memory),
        {"t4": "L1", "h200-sxm": "L1"},
    )
    return trace, found


RUNS = {"saxpy": run_saxpy, "naive": run_naive, "tiled": run_tiled}


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    trace, by_hand = RUNS[request.param]()
    return lens(trace), by_hand


def test_work_and_traffic_are_the_formulas(run):
    report, by_hand = run
    assert report.totals.sectors == by_hand.sectors
    assert report.totals.wavefronts == by_hand.wavefronts
    point = roofline_point(report)
    assert point.flop == by_hand.flop
    assert point.memory_bytes == by_hand.touched_bytes
    assert point.l1_bytes == 128 * by_hand.passes
    assert point.requested_bytes == 32 * by_hand.sectors


def test_intensities_are_the_formulas(run):
    report, by_hand = run
    point = roofline_point(report)
    assert point.l1_intensity == pytest.approx(by_hand.l1_intensity, rel=1e-12)
    assert point.memory_intensity == pytest.approx(by_hand.memory_intensity, rel=1e-12)


@pytest.mark.parametrize("key", SHEETS)
def test_the_attainable_share_is_that_of_the_lowest_roof(run, key):
    report, by_hand = run
    point, roofs = roofline_point(report), roofs_of(key)
    assert point.attainable_share(roofs) == pytest.approx(by_hand.share[key])
    assert point.attainable_flop_per_s(roofs) == pytest.approx(by_hand.share[key] * SHEETS[key][0])
    assert point.limit(roofs) == by_hand.limit[key]


def test_the_numbers_that_a_learner_will_meet():
    """On the H200, by hand to three digits: saxpy, then naive, then tiled."""
    roofs = roofs_of("h200-sxm")
    found = [
        round(100 * roofline_point(lens(make()[0])).attainable_share(roofs), 1)
        for make in RUNS.values()
    ]
    assert found == [1.2, 12.4, 11.7]


def test_tiles_save_requests_and_not_l1_traffic():
    """What the tile spares is device memory where no cache helps: 8 sectors for 32 steps, not 160.

    The L1 data path serves the tile, too, so that its roof is no higher.
    """
    roofs = roofs_of("h200-sxm")
    plain, blocked = (roofline_point(lens(make()[0])) for make in (run_naive, run_tiled))
    assert blocked.requested_bytes / plain.requested_bytes == pytest.approx(36 / 644)
    assert blocked.uncached_share(roofs) > 3 * plain.uncached_share(roofs)
    assert blocked.attainable_share(roofs) < plain.attainable_share(roofs)


def test_it_is_called_as_its_function_or_as_one_says():
    report = lens(run_saxpy()[0])
    assert roofline_point(report).name == "saxpy"
    assert roofline_point(report, "y = a x + y").name == "y = a x + y"


def test_atomics_and_float64_are_in_the_counts():
    report = lens(samples.strided(8))
    point = roofline_point(report)
    assert (point.flop, point.l1_bytes, point.memory_bytes) == (64, 72 * 32, 64 * 36)


def test_without_traffic_there_is_no_intensity_and_without_work_none_is_attained():
    silent = RooflinePoint("silent", flop=10, l1_bytes=0, memory_bytes=0)
    assert silent.l1_intensity is silent.memory_intensity is silent.uncached_intensity is None
    assert (silent.attainable_share(ROUND), silent.limit(ROUND)) == (1.0, "arithmetic")
    copy = RooflinePoint("copy", flop=0, l1_bytes=64, memory_bytes=64)
    assert (copy.l1_intensity, copy.attainable_flop_per_s(ROUND)) == (0.0, 0.0)


def test_without_caches_it_is_never_faster():
    point = RooflinePoint("p", flop=100, l1_bytes=50, memory_bytes=10, requested_bytes=100)
    assert point.attainable_share(ROUND) == 40 / 64  # device memory: 10 x 4
    assert point.uncached_share(ROUND) == 4 / 64
    assert RooflinePoint("p", 100, 50, 10).uncached_share(ROUND) is None
    assert RooflinePoint("p", 100, 50, 10, 1).uncached_share(ROUND) == 40 / 64
