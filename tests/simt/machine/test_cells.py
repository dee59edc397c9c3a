from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.machine.cells import Cells, garbage

THREADS = (2, 4)
FLOAT = np.dtype(np.float64)


@st.composite
def operations(draw: st.DrawFn) -> list:
    steps = []
    for number in range(draw(st.integers(1, 8))):
        shape = draw(st.sampled_from([(1, 1), (1, 4), (2, 1), (2, 4)]))
        uniform = draw(st.booleans())
        size = shape[0] * shape[1]
        at = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
        bits = draw(st.lists(st.booleans(), min_size=8, max_size=8))
        mask = np.array(bits).reshape(THREADS)
        mask = None if not mask.any() or draw(st.booleans()) else mask
        index = np.int64(at[0]) if uniform else np.array(at).reshape(shape)
        value = np.float64(number) if draw(st.booleans()) else np.arange(8.0).reshape(2, 4) + 10
        steps.append((draw(st.booleans()), index, value, mask))
    return steps


@settings(derandomize=True, deadline=None, database=None, max_examples=200)
@given(operations())
def test_cells_are_an_array_of_each_thread(steps):
    cells = Cells(3, FLOAT, THREADS)
    plain = np.full((3, *THREADS), np.nan)
    rows, threads = np.indices(THREADS)
    for is_write, at, value, mask in steps:
        where = np.broadcast_to(at, THREADS)
        active = np.ones(THREADS, bool) if mask is None else mask
        if is_write:
            cells.write(at, value, mask)
            chosen = where[active], rows[active], threads[active]
            plain[chosen] = np.broadcast_to(value, THREADS)[active]
            continue
        read, missing = cells.read(at, mask)
        expected = plain[where, rows, threads]
        np.testing.assert_array_equal(np.broadcast_to(read, THREADS)[active], expected[active])
        never = np.broadcast_to(True if missing is None else missing, THREADS) & active
        np.testing.assert_array_equal(never, np.isnan(expected) & active)


def test_an_index_that_all_share_keeps_the_value_itself():
    cells, value = Cells(2, FLOAT, THREADS), np.arange(8.0).reshape(THREADS)
    cells.write(np.int64(1), value, None)
    assert cells.read(np.int64(1), None)[0] is value


def test_later_writes_do_not_change_what_was_read():
    cells = Cells(1, FLOAT, THREADS)
    at = np.zeros((1, 4), np.int64)
    cells.write(at, np.float64(1), None)
    first, _ = cells.read(at, None)
    cells.write(at, np.float64(2), None)
    assert (first == 1).all()


@pytest.mark.parametrize("name", ["float16", "float64", "complex64"])
def test_garbage_of_floats_is_nan(name):
    assert np.isnan(garbage(np.dtype(name)))


@pytest.mark.parametrize("name", ["int8", "uint16", "int32", "uint64"])
def test_garbage_of_integers_is_conspicuous(name):
    dtype = np.dtype(name)
    assert garbage(dtype).tobytes() == b"\xcd" * dtype.itemsize
    assert garbage(dtype).dtype == dtype
