from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import wrap
from gpuedu.simt.host import cuda


def test_results_in_an_operands_memory_are_views():
    array, other = cp.arange(6).reshape(2, 3), cp.arange(6)
    parts = wrap.call("pair", lambda a, b: (a[1:], b + 1, (b[2:],)), (array, other), {})
    assert parts[0].base is array.base and parts[1].base is None and parts[2][0].base is other
    assert parts[0].data.ptr == array.data.ptr + 24


def test_named_tuples_stay_what_they_are():
    found = cp.unique_counts(cp.array([3, 3, 1]))
    assert found.values.get().tolist() == [1, 3] and found.counts.get().tolist() == [1, 2]


def test_operands_are_lowered_in_sequences_and_from_interfaces():
    operands = wrap.Operands()
    array = cp.ones(2)
    lowered = operands.lower([array, (array, 3, "text"), cuda.to_device(np.zeros(2))])
    assert lowered[0] is not array and isinstance(lowered[1][0], np.ndarray)
    assert lowered[1][1:] == (3, "text") and lowered[2].tolist() == [0, 0]
    assert len(operands.arrays) == 2
    with pytest.raises(TypeError, match="Unsupported type"):
        operands.lower([1, [np.ones(1)]])


@pytest.mark.parametrize("dtype", ["S2", "O", "M8[s]", "V4", np.longdouble, ">i4"])
def test_dtypes_that_cupy_has_not(dtype):
    with pytest.raises(ValueError, match="Unsupported dtype"):
        wrap.require_dtype(np.dtype(dtype))


def test_dtypes_that_only_cupy_has():
    for dtype in (np.dtype([("x", "f4")]), np.dtype(pytest.importorskip("ml_dtypes").bfloat16)):
        with pytest.raises(NotImplementedError, match="CuPy on a GPU has them"):
            cp.zeros(3, dtype)


def test_repeated_elements_are_touched_once():
    array = cp.ones((4, 1), np.float32)
    assert wrap.touched_bytes(cp.broadcast_to(array, (4, 100))) == 16
    assert wrap.touched_bytes(array[::2]) == 8


def test_the_remedy_is_to_copy():
    assert "cp.asarray" in str(wrap.unsupported([1])) and "Try" not in str(wrap.unsupported(None))
