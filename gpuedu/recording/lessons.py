"""The lessons' kernels: coalescing, layouts, transposes, sums, histograms, softmax."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.recording import kernels
from gpuedu.recording.bandwidth import PERIOD, numbers, place_of
from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes
from gpuedu.recording.sources import ROW_SOFTMAX

_THREADS, _TILE, _PER_THREAD = kernels.THREADS, kernels.TILE, 8
_FIELDS = 6
_BINS, _HOT = 64, 7
_HOT_SHARES = (0.1, 0.5, 0.95)
_VALUES_A_THREAD = 64


def _numba_work(
    bench: GpuBench,
    kernel: Callable[..., None],
    launch: tuple[Any, Any],
    inputs: Sequence[Any],
    blank: np.ndarray,
    check: Callable[[np.ndarray], str],
) -> PreparedPoint:
    """A kernel that is given ``inputs`` and writes one array; ``blank`` is that before the run.

    ``inputs`` after the first, which is an array, come behind the result, as they are.
    """
    source, out = bench.cuda.to_device(inputs[0]), bench.cuda.to_device(blank)
    compiled = bench.cuda.jit(kernel)
    return PreparedPoint(
        lambda: compiled[launch](source, out, *inputs[1:]), lambda: check(out.copy_to_host())
    )


def _row(bench: GpuBench, moved_bytes: float, **parameters: Any) -> Mapping[str, Any]:
    place = place_of(moved_bytes, bench.l2_bytes)
    return {**parameters, "moved_bytes": moved_bytes, "from": place}


def coalescing(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """The same copy, with a range per thread, or neighboring threads at neighboring elements."""
    n = sizes.array_bytes // 4
    blocks = -(-n // (_THREADS * _PER_THREAD))

    def work(kernel: Callable[..., None], *more: int) -> PreparedPoint:
        host = numbers(n)
        blank, check = np.zeros_like(host), lambda out: difference(out, host)
        return _numba_work(bench, kernel, (blocks, _THREADS), (host, *more), blank, check)

    return [
        Point(
            _row(bench, 8 * n, kernel="blocked", n=n),
            lambda: work(kernels.copy_blocked, _PER_THREAD),
        ),
        Point(_row(bench, 8 * n, kernel="striped", n=n), lambda: work(kernels.copy_striped)),
    ]


def layouts(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """The squared speed of particles, from an array of structs and from a struct of arrays."""
    n = sizes.array_bytes // (4 * _FIELDS)
    grid = -(-n // _THREADS)

    def work(kernel: Callable[..., None], *, by_field: bool) -> PreparedPoint:
        table = numbers(_FIELDS * n).reshape(n, _FIELDS)
        expected = (table[:, 3:].astype(np.float64) ** 2).sum(axis=1)
        given = np.ascontiguousarray(table.T) if by_field else table
        blank, check = np.zeros(n, np.float32), lambda out: difference(out, expected, 1e-4)
        return _numba_work(bench, kernel, (grid, _THREADS), (given,), blank, check)

    # Of a table every sector holds something that is wanted; of the fields, three arrays of six.
    return [
        Point(
            _row(bench, 4 * (_FIELDS + 1) * n, kernel="array of structs", n=n),
            lambda: work(kernels.speed_squared_of_rows, by_field=False),
        ),
        Point(
            _row(bench, 4 * (3 + 1) * n, kernel="struct of arrays", n=n),
            lambda: work(kernels.speed_squared_of_fields, by_field=True),
        ),
    ]


def transposes(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Naive, through a tile, and through a padded tile; twice as many rows as columns or so."""
    count = sizes.array_bytes // 4
    columns = 2 ** ((count.bit_length() - 1) // 2)
    rows = count // columns

    def work(kernel: Callable[..., None]) -> PreparedPoint:
        m = numbers(rows * columns).reshape(rows, columns)
        launch = ((-(-columns // _TILE), -(-rows // _TILE)), (_TILE, _TILE))
        blank, check = np.zeros((columns, rows), np.float32), lambda out: difference(out, m.T)
        return _numba_work(bench, kernel, launch, (m,), blank, check)

    ways = {
        "naive": kernels.transpose_naive,
        "tiled": kernels.transpose_tiled,
        "padded": kernels.transpose_padded,
    }
    return [
        Point(
            _row(bench, 8 * rows * columns, kernel=name, rows=rows, columns=columns),
            lambda kernel=kernel: work(kernel),
        )
        for name, kernel in ways.items()
    ]


def block_sums(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """The sum of each 256 elements: pairs, a tree, and shuffles."""
    n = sizes.array_bytes // 4
    blocks = -(-n // _THREADS)

    def work(kernel: Callable[..., None]) -> PreparedPoint:
        x = numbers(n)
        expected = np.add.reduceat(x, np.arange(0, n, _THREADS), dtype=np.float64)
        blank, check = np.zeros(blocks, np.float32), lambda out: difference(out, expected, 1e-3)
        return _numba_work(bench, kernel, (blocks, _THREADS), (x,), blank, check)

    ways = {"pairs": kernels.sum_pairs, "tree": kernels.sum_tree, "shuffles": kernels.sum_shuffled}
    return [
        Point(_row(bench, 4 * (n + blocks), kernel=name, n=n), lambda kernel=kernel: work(kernel))
        for name, kernel in ways.items()
    ]


def histograms(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """64 bins, a share of the values in one of them: atomics in global memory, private copies."""
    n = sizes.array_bytes // 4
    blocks = -(-n // (_THREADS * _VALUES_A_THREAD))

    def work(kernel: Callable[..., None], share: float) -> PreparedPoint:
        rng, some = np.random.default_rng(5), min(n, PERIOD)
        others = rng.integers(0, _BINS, some, np.int32)
        hot = rng.random(some, np.float32) < share
        values = np.resize(np.where(hot, np.int32(_HOT), others), n)
        bins = np.bincount(values, None, _BINS)
        blank, check = np.zeros(_BINS, np.int32), lambda out: difference(out, bins)
        return _numba_work(bench, kernel, (blocks, _THREADS), (values,), blank, check)

    return [
        Point(
            _row(bench, 4 * n, kernel=name, n=n, bins=_BINS, share=share),
            lambda kernel=kernel, share=share: work(kernel, share),
        )
        for name, kernel in (("atomic", kernels.count_atomic), ("private", kernels.count_private))
        for share in _HOT_SHARES
    ]


def softmax(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """A row-wise softmax in CUDA C, a block a row."""
    columns = sizes.softmax_columns
    rows = sizes.array_bytes // (4 * columns)

    def work() -> PreparedPoint:
        cp, x = bench.cp, 20 * numbers(rows * columns).reshape(rows, columns)
        given, out = cp.asarray(x), cp.zeros((rows, columns), cp.float32)
        kernel = cp.RawKernel(ROW_SOFTMAX, "row_softmax")
        return PreparedPoint(
            lambda: kernel((rows,), (_THREADS,), (given, out, np.int32(columns))),
            lambda: difference(out.get(), softmax_of(x), 1e-4),
        )

    row = _row(bench, 8 * rows * columns, kernel="row-softmax", rows=rows, columns=columns)
    return [Point(row, work)]


def softmax_of(x: np.ndarray) -> np.ndarray:
    """The softmax of each row of a matrix, in float64."""
    exponentials = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


_COLD = " The arrays are larger than the L2 cache; `from` tells by how much."
_FILE, _UNIT = "kernels.json", "s"
SERIES = (
    Series("coalescing", _FILE, _UNIT, "A copy: 8 elements a thread." + _COLD, coalescing),
    Series(
        "layouts", _FILE, _UNIT, "The squared speed of particles of 6 float32." + _COLD, layouts
    ),
    Series("transposes", _FILE, _UNIT, "A transpose of a float32 matrix." + _COLD, transposes, 2.0),
    Series("block-sums", _FILE, _UNIT, "The sums of each 256 float32." + _COLD, block_sums),
    Series(
        "histograms",
        _FILE,
        _UNIT,
        "A histogram of int32 values, of which a share lies in one bin." + _COLD,
        histograms,
        2.0,
    ),
    Series("softmax", _FILE, _UNIT, "A softmax of each row of a matrix." + _COLD, softmax),
)
