from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import count_operations


def test_nothing_warns():
    zeros = cp.zeros(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [1 / zeros, cp.log(-1 + zeros), cp.exp(zeros + 1e9), zeros // 0, cp.sqrt(zeros - 1)]
        integers = cp.ones(3, np.int32)
        assert (integers // 0).get().tolist() == [0, 0, 0]
        assert (integers % 0).get().tolist() == [0, 0, 0]
        (zeros + np.nan).astype(np.int32)
        assert np.isnan(zeros[:0].mean().get()) and np.isnan(cp.nanmax(zeros * np.nan).get())
    assert not np.isfinite(found[0].get()).any()


def test_out_is_written_and_returned():
    out = cp.zeros(3, np.float32)
    assert cp.add(cp.ones(3), 2, out=out) is out is cp.add(cp.ones(3), 2, out)
    assert out.get().tolist() == [3, 3, 3]
    first, second = cp.zeros(3), cp.zeros(3)
    cp.divmod(cp.arange(3.0), 2, first, second)
    assert second.get().tolist() == [0, 1, 0]
    for wrong in (np.zeros(3), [0, 0, 0]):
        with pytest.raises(TypeError, match="Unsupported type"):
            cp.add(out, 1, out=wrong)


def test_an_operation_in_place_keeps_the_dtype():
    array = cp.arange(3, dtype=np.int32)
    array += 2
    assert array.dtype == np.int32 and array.get().tolist() == [2, 3, 4]
    with pytest.raises(TypeError, match="Cannot cast"):
        array += 0.5
    with pytest.raises(TypeError, match="Cannot cast"):
        array /= 2


def test_overlapping_operands_are_read_before_they_are_written():
    array = cp.arange(6)
    array[1:] += array[:-1]
    assert array.get().tolist() == [0, 1, 3, 5, 7, 9]


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2, 3, 4)])
def test_the_number_of_operands_is_checked(arguments):
    with pytest.raises(TypeError):
        cp.add(*arguments)


def test_keywords():
    array = cp.arange(4)
    assert cp.add(array, 1, dtype=np.float32).dtype == np.float32
    kept = cp.zeros(4, np.int64)
    cp.negative(array, out=kept, where=array > 1)
    assert kept.get().tolist() == [0, 0, -2, -3]
    with pytest.raises(TypeError, match="axis"):
        cp.add(array, 1, axis=0)


def test_at_counts_each_place():
    array = cp.zeros(3, np.int32)
    cp.add.at(array, cp.array([0, 0, 4]), 2)
    cp.maximum.at(array, 2, 7)
    assert array.get().tolist() == [4, 2, 7]
    with pytest.raises(NotImplementedError, match=r"cupy\.exp\.at"):
        cp.exp.at(array, 0)
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.add.at(np.zeros(3), 0, 1)


def test_reductions_of_functions():
    array = cp.arange(6).reshape(2, 3)
    assert cp.add.reduce(array).get().tolist() == [3, 5, 7]
    assert cp.maximum.reduce(array, axis=1, keepdims=True).get().tolist() == [[2], [5]]
    assert int(cp.add.reduce(array, axis=None)) == 15
    assert cp.add.reduceat(array[1], cp.array([0, 2])).get().tolist() == [7, 5]
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.add.reduce(np.arange(3))


def test_numbers_alone_give_arrays():
    assert isinstance(cp.exp(1.0), cp.ndarray) and float(cp.add(1, 2)) == 3
    with count_operations() as count:
        cp.add(1, 2)
    assert count.launches == 1


def test_a_function_tells_about_itself():
    assert repr(cp.add) == "<ufunc 'cupy_add'>" and (cp.add.nin, cp.add.nout, cp.add.nargs) == (
        2,
        1,
        3,
    )
    assert cp.divmod.nout == 2 and "numpy.exp" in cp.exp.__doc__ and cp.abs is cp.absolute


def test_where_takes_both_or_none():
    with pytest.raises(ValueError, match="neither"):
        cp.where(cp.ones(2), 1)
    with pytest.raises(TypeError, match="Unsupported type"):
        cp.where(np.ones(2), 1, 2)


def test_complex_numbers_have_no_logic():
    with pytest.raises(TypeError, match="complex"):
        cp.logical_and(cp.ones(2, np.complex64), 1)


def test_integers_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError):
        cp.ones(2, np.uint8) + 300


@settings(max_examples=150, deadline=None)
@given(
    st_numpy.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4),
    st.sampled_from("?bhilBHILefd"),
    st.sampled_from("?bhilBHILefd"),
    st.sampled_from(["add", "multiply", "divide", "maximum", "less", "power", "remainder"]),
    st.integers(0, 2**32 - 1),
)
def test_operands_of_any_shape_and_dtype_broadcast_as_numpys(shapes, left, right, name, seed):
    rng = np.random.default_rng(seed)
    hosts = [
        rng.integers(1, 5, shape).astype(dtype)
        for shape, dtype in zip(shapes.input_shapes, (left, right), strict=True)
    ]
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*hosts)
    found = getattr(cp, name)(*map(cp.asarray, hosts))
    assert (found.shape, found.dtype) == (np.shape(expected), expected.dtype)
    np.testing.assert_array_equal(found.get(), expected)
