from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp


@pytest.fixture
def array():
    return cp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(
    "call",
    [
        np.exp,
        np.sum,
        np.linalg.norm,
        np.fft.fft,
        lambda a: np.add(a, 1),
        lambda a: np.float32(2) * a,
        lambda a: np.concatenate([a, a]),
        lambda a: np.where(a > 1, a, 0),
        np.ones_like,
        np.median,
    ],
)
def test_numpys_functions_become_cupys(array, call):
    found = call(array)
    assert isinstance(found, cp.ndarray)
    np.testing.assert_allclose(found.get(), call(array.get()), rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        np.spacing,
        np.isnat,
        lambda a: np.nanpercentile(a, 3),
        lambda a: np.add.reduce(a),
        lambda a: np.insert(a, 0, 1),
        lambda a: np.geomspace(a, a),
        lambda a: np.vectorize(abs)(a),
    ],
)
def test_what_cupy_lacks_is_a_type_error(array, call):
    with pytest.raises(TypeError):
        call(array)


def test_host_arrays_may_not_be_mixed_in(array):
    for call in (np.allclose, np.dot, np.add, lambda a, b: np.concatenate([a, b])):
        with pytest.raises(TypeError, match="Unsupported type"):
            call(array, np.ones((2, 3), np.float32))
    with pytest.raises(TypeError, match="Unsupported type"):
        np.copyto(np.ones((2, 3), np.float32), array)
    with pytest.raises(TypeError, match="Unsupported type"):
        np.add(array, 1, out=np.ones((2, 3)))


def test_out_may_be_a_device_array(array):
    assert np.add(array, 1, out=array) is array
    assert float(array[1, 2]) == 6


def test_comparisons_alone_take_a_host_number_without_axes(array):
    three = np.array(3.0)
    for found in (np.greater(three, array), three > array, array < three):
        assert found.get().tolist() == [[True] * 3, [False] * 3]
    for wrong in (lambda: array + three, lambda: three + array, lambda: np.maximum(array, three)):
        with pytest.raises(TypeError, match="Unsupported type"):
            wrong()


def test_an_operand_may_want_to_do_the_operation_itself(array):
    class Proud:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

    class Ranked:
        __array_priority__ = 200

        def __rmul__(self, other):
            return "mine, too"

    assert (array + Proud(), array * Ranked()) == ("mine", "mine, too")


def test_a_stranger_beside_an_array_is_left_to_numpy(array):
    class Stranger:
        pass

    with pytest.raises(TypeError):
        np.add(array, Stranger())
