from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import operations

HOST = np.array([[1.5, -2.0, 300.0], [0.25, 4.0, 5.0]], np.float32)


@pytest.fixture
def array():
    return cp.asarray(HOST)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_copies_keep_numpys_orders(array, order):
    for ours, theirs in ((array, HOST), (array.T, HOST.T)):
        for made, expected in (
            (ours.copy(order), theirs.copy(order)),
            (ours.astype(np.float64, order=order), theirs.astype(np.float64, order=order)),
        ):
            assert made.strides == expected.strides and made.base is None
            np.testing.assert_array_equal(made.get(), expected)


def test_astype_copies_only_if_it_must(array):
    assert array.astype(np.float32, copy=False) is array
    assert array.astype(np.float32) is not array
    assert array.T.astype(np.float32, order="C", copy=False).flags.c_contiguous
    with pytest.raises(TypeError, match="rule 'safe'"):
        array.astype(np.int8, casting="safe")
    with pytest.raises(ValueError, match="Unsupported dtype"):
        array.astype("S3")


def test_views_read_the_same_bytes(array):
    bits = array.view(np.uint32)
    assert bits.base is array and int(bits[0, 0]) == 0x3FC00000
    assert array.view(np.uint8).shape == (2, 12) and array.view().base is array
    with pytest.raises(ValueError, match="last axis"):
        array.T.view(np.uint8)


def test_reshape_is_a_view_where_it_can_be(array):
    assert array.reshape(3, 2).base is array and array.reshape((6,)).base is array
    copied = array.T.reshape(-1)
    assert copied.base is None and operations()[-1].name == "reshape"
    np.testing.assert_array_equal(copied.get(), HOST.T.reshape(-1))
    assert array.reshape(-1, copy=True).base is None
    with pytest.raises(ValueError, match="avoid creating a copy"):
        array.T.reshape(-1, copy=False)
    with pytest.raises(ValueError, match="cannot reshape"):
        array.reshape(4)
    assert array[:0].reshape(3, 0).shape == (3, 0)


def test_fill_takes_numbers(array):
    array.fill(np.array(2.5))
    array[0].fill(cp.array(1))
    assert array.get().tolist() == [[1] * 3, [2.5] * 3]
    with pytest.raises(ValueError, match="non-scalar"):
        array.fill(np.ones(3))
    with pytest.raises(TypeError, match="Unsupported type"):
        array.fill([1])


def test_parts_of_complex_numbers():
    array = cp.array([1 + 2j, 3 - 4j])
    array.real = cp.array([7, 8])
    array.imag *= 2
    assert array.get().tolist() == [7 + 4j, 8 - 8j] and array.real.base is array
    real = cp.ones(2)
    assert real.imag.get().tolist() == [0, 0] and real.conj() is real
    assert array.conj().get().tolist() == [7 - 4j, 8 + 8j]
    with pytest.raises(TypeError, match="real array"):
        real.imag = 3


def test_sorting_in_place(array):
    array.sort()
    np.testing.assert_array_equal(array.get(), np.sort(HOST))
    array.sort(axis=0)
    assert [operation.name for operation in operations()][-2:] == ["sort", "sort"]
    flat = array.ravel()
    flat.partition(2)
    assert set(flat[:2].get()) == set(np.sort(HOST.ravel())[:2])


def test_transposes(array):
    cube = array.reshape(1, 2, 3)
    for axes in ((), (2, 0, 1), ((1, 0, 2),), (None,)):
        expected = HOST.reshape(1, 2, 3).transpose(*axes)
        assert cube.transpose(*axes).strides == expected.strides
    assert cube.mT.shape == (1, 3, 2)
    with pytest.raises(ValueError, match="axes"):
        cube.transpose(0, 1)
