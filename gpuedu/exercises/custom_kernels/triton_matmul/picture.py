"""triton-matmul: its picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.custom_kernels.moved_pictures import normal
from gpuedu.exercises.kernels.launching import writers
from gpuedu.exercises.kernels.programs import run_program
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.figures.caption import Caption
from gpuedu.figures.tile_orders import TileOrder, plot_tile_orders
from gpuedu.trace import Trace

_ROWS, _COLUMNS, _SIDE, _GROUP, _AT_ONCE = 8, 16, 16, 4, 16
"""Tiles of ``c``, down and across; elements of a tile's side; programs that run together."""
_ITEMSIZE = 2
_THREADS = 128


def draw_order(matmul: Any) -> Any:
    """The tiles of ``c`` row by row, and in the learner's order, with what a wave reads."""
    m, n, k = _ROWS * _SIDE, _COLUMNS * _SIDE, _SIDE
    a, b = normal(m, k, dtype=np.float16), normal(k, n, dtype=np.float16)
    c = np.zeros((m, n), np.float16)
    arguments = (a, b, c, m, n, k, _SIDE, _SIDE, _SIDE, _GROUP)
    programs = _ROWS * _COLUMNS
    trace = run_program(matmul, programs, _THREADS, *arguments, watch=range(programs))
    orders = (_row_by_row(), _order_of(trace, m, n, k))
    caption = Caption(
        title=f"Tiles of c, and what the first {_AT_ONCE} programs read for theirs",
        source=f"Blue: the first {_AT_ONCE} programs, in their order; orange: stripes that they "
        f"load; each further block of gray: the next "
        f"{_AT_ONCE} programs.\nCounted in Triton's interpreter, for "
        f"GROUP = {_GROUP} and {k} columns of a.",
        alt="; ".join(f"{one.name}: {one.told}" for one in orders) + ".",
    )
    return plot_tile_orders(orders, caption=caption)


def _row_by_row() -> TileOrder:
    program = np.arange(_ROWS * _COLUMNS).reshape(_ROWS, _COLUMNS)
    rows, columns = (
        tuple(sorted({int(one) for one in found})) for found in np.nonzero(program < _AT_ONCE)
    )
    size_bytes = _ITEMSIZE * _SIDE * _SIDE * (len(rows) + len(columns))
    return TileOrder(
        "row by row", program, _AT_ONCE, rows, columns, _told(len(rows) + len(columns), size_bytes)
    )


def _order_of(trace: Trace, m: int, n: int, k: int) -> TileOrder:
    stored = writers(trace, 2, m * n)["first"].reshape(m, n)[::_SIDE, ::_SIDE]
    program = np.where(stored < 0, -1, stored // _THREADS)
    of_a, of_b = (
        loads_by_block(trace, position, size)[:_AT_ONCE].any(axis=0)
        for position, size in ((0, m * k), (1, k * n))
    )
    rows = np.flatnonzero(of_a.reshape(_ROWS, -1).any(axis=1))
    columns = np.flatnonzero(of_b.reshape(k, _COLUMNS, _SIDE).any(axis=(0, 2)))
    size_bytes = _ITEMSIZE * int(of_a.sum() + of_b.sum())
    told = _told(len(rows) + len(columns), size_bytes)
    return TileOrder(
        "your kernel", program, _AT_ONCE, tuple(map(int, rows)), tuple(map(int, columns)), told
    )


def _told(stripes: int, size_bytes: int) -> str:
    return f"{stripes} stripe{'' if stripes == 1 else 's'}: {size_bytes:,} bytes from memory"


PICTURE = draw_order
