"""Every rung computes the product, on whole and ragged shapes, and costs what its idea says."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.ladder import LadderError, rung, rungs
from gpuedu.lens import lens
from gpuedu.simt.host.cuda import to_device
from gpuedu.trace import Space
from tests.sampled import sampled

NAMES = [own.name for own in rungs()]
RAGGED = [(70, 130, 19), (1, 5, 1), (129, 31, 8)]
WHOLE = (256, 256, 16)
VARIANTS = [
    pytest.param(own, id=f"{own.name}-{own.variant}")
    for first in rungs()
    for own in first.variants[1:]
]


def product(m, n, k):
    """Rows and columns of very different size, and c full of NaN."""
    rng = np.random.default_rng((m, n, k))
    a = rng.normal(0, 1, (m, k)) * 10.0 ** rng.integers(-3, 4, (m, 1))
    b = rng.normal(0, 1, (k, n)) * 10.0 ** rng.integers(-3, 4, (1, n))
    return a.astype(np.float32), b.astype(np.float32), np.full((m, n), np.nan, np.float32)


def require_product(a, b, c):
    """Within the error bound of k additions in float32, element by element."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    bound = (a.shape[1] + 1) * 2.0**-24 * (abs(a) @ abs(b))
    apart = abs(c - a @ b)
    assert (apart <= bound).all(), f"{apart.max()} at {np.unravel_index(apart.argmax(), c.shape)}"


@pytest.mark.parametrize("shape", [WHOLE, *RAGGED], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_it_is_right_and_safe(name, shape):
    a, b, c = product(*shape)
    before = a.copy(), b.copy()
    trace = rung(name).simulate(a, b, c, watch=())
    require_product(a, b, c)
    assert trace.complete and trace.hazards == ()
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])


@pytest.mark.parametrize("own", sampled(VARIANTS, every=3))
def test_each_blocking_is_right_and_safe(own):
    for shape in (WHOLE, (129, 61, 9)):
        a, b, c = product(*shape)
        trace = own.simulate(a, b, c, watch=())
        require_product(a, b, c)
        assert trace.complete and trace.hazards == ()


@pytest.mark.parametrize("name", ["by-columns", "tiled", "double-buffer", "c-warp-tile"])
def test_blocks_may_run_in_any_order(name):
    a, b, c = product(140, 150, 11)
    rung(name).simulate(a, b, c, order="reversed", watch=())
    require_product(a, b, c)


def counted(name, m, n, k):
    a, b, c = product(m, n, k)
    return lens(rung(name).simulate(a, b, c, watch=()))


@pytest.mark.parametrize("name", ["naive", "c-naive"])
def test_a_step_of_the_naive_kernel_asks_for_five_sectors(name):
    m, n, k = 64, 96, 40
    warps = m * n // 32
    assert counted(name, m, n, k).totals.sectors == warps * (5 * k + 4)


def test_by_columns_it_asks_for_33():
    m, n, k = 64, 96, 40
    warps = m * n // 32
    assert counted("by-columns", m, n, k).totals.sectors == warps * (33 * k + 32)


@pytest.mark.parametrize("name", [name for name in NAMES if rung(name).tile])
def test_each_tile_comes_once_in_whole_sectors_and_without_conflicts(name):
    m, n, k = 256, 128, 32
    rows, columns, _ = rung(name).tile
    report = counted(name, m, n, k)
    words = m * k * (n // columns) + k * n * (m // rows)
    loads = [s for s in report.sites if s.site.space is Space.GLOBAL and s.site.array != "c"]
    assert sum(site.counts.sectors for site in loads) == words * 4 // 32
    assert report.totals.conflicts == 0
    assert report.flop == {"float32": 2 * m * n * k}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tiled", 2),
        ("c-tiled", 2),
        ("register-tile", 8 / 16),
        ("c-register-tile", 8 / 16),
        ("wide-register-tile", 16 / 64),
        ("c-wide-register-tile", 16 / 64),
    ],
)
def test_words_of_shared_memory_for_a_multiply_add(name, words):
    m, n, k = 128, 128, 32
    shared = [
        site
        for site in counted(name, m, n, k).sites
        if site.site.space is Space.SHARED and site.site.operation == "load"
    ]
    assert sum(int(site.site.lanes.sum()) for site in shared) == words * m * n * k


def test_the_second_buffer_spares_every_second_barrier():
    a, b, c = product(128, 128, 32)
    arrivals = {
        name: sum(int(sum(one.arrivals)) for one in rung(name).simulate(a, b, c, watch=()).barriers)
        for name in ("vector-loads", "double-buffer", "c-vector-loads", "c-warp-tile")
    }
    steps = 32 // 8
    assert arrivals == {
        "vector-loads": 2 * steps,
        "double-buffer": steps + 1,
        "c-vector-loads": 2 * steps - 1,
        "c-warp-tile": steps,
    }


@pytest.mark.parametrize("name", ["tiled", "double-buffer", "c-tiled", "c-warp-tile"])
def test_it_is_launched_through_the_host_api(name):
    from gpuedu.arrays import cupy as cp

    a, b, c = product(40, 50, 20)
    give = cp.asarray if rung(name).language == "CUDA C" else to_device
    on_device = [give(array) for array in (a, b, c)]
    launch = rung(name).bind(*on_device)
    launch()
    launch()
    got = on_device[2].get() if rung(name).language == "CUDA C" else on_device[2].copy_to_host()
    require_product(a, b, got)


@pytest.mark.parametrize("name", ["naive", "c-naive"])
@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3), (4, 5), (2, 5)), r"\(2, 3\) times \(4, 5\) does not give \(2, 5\)"),
        (((2, 3), (3, 5), (5, 2)), r"does not give \(5, 2\)"),
        (((6,), (3, 5), (2, 5)), r"`a` should be a float32 matrix, got float32 of shape \(6,\)"),
        (((2, 0), (0, 5), (2, 5)), r"`a` has no element"),
    ],
)
def test_what_is_no_product_is_refused(name, shapes, message):
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(LadderError, match=message):
        rung(name).simulate(*arrays)


def test_other_types_and_views_are_refused():
    a, b, c = product(4, 4, 4)
    with pytest.raises(LadderError, match="`b` should be a float32 matrix, got float64"):
        rung("tiled").simulate(a, b.astype(np.float64), c)
    with pytest.raises(LadderError, match="`a` is not stored row by row"):
        rung("tiled").simulate(a.T, b, c)


def test_an_unknown_rung_is_told_with_the_nearest():
    with pytest.raises(UnknownNameError, match="double-buffer"):
        rung("double-bufer")
