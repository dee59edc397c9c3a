from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import operations
from gpuedu.simt.host.transfers import transfers

HOST = np.arange(60, dtype=np.int32).reshape(3, 4, 5) * 7 % 23


@settings(max_examples=200, deadline=None)
@given(st_numpy.basic_indices(HOST.shape, allow_newaxis=True, max_dims=5))
def test_slices_give_numpys_views(index):
    array = cp.asarray(HOST)
    ours, theirs = array[index], HOST[index]
    assert ours.base is array
    np.testing.assert_array_equal(ours.get(), theirs)
    if ours.size:
        assert ours.strides == np.asarray(theirs).strides or ours.size == 1


@settings(max_examples=100, deadline=None)
@given(st_numpy.integer_array_indices(HOST.shape), st.integers(-9, 9))
def test_integer_arrays_give_numpys_copies_and_writes(index, value):
    array, host = cp.asarray(HOST), HOST.copy()
    on_device = tuple(map(cp.asarray, index))
    ours = array[on_device]
    assert ours.base is None
    np.testing.assert_array_equal(ours.get(), host[index])
    array[on_device] = value
    host[index] = value
    np.testing.assert_array_equal(array.get(), host)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-40, 40), min_size=1), st.integers(0, 2))
def test_indices_outside_wrap_around(places, axis):
    array = cp.asarray(HOST)
    index = (slice(None),) * axis + (cp.array(places),)
    expected = np.take(HOST, places, axis, mode="wrap")
    np.testing.assert_array_equal(array[index].get(), expected)
    np.testing.assert_array_equal(array.take(cp.array(places), axis).get(), expected)
    array[index] = -1
    host = HOST.copy()
    host[(slice(None),) * axis + (np.mod(places, HOST.shape[axis]),)] = -1
    np.testing.assert_array_equal(array.get(), host)


@pytest.mark.parametrize(
    "index",
    [3, -4, (0, 4), (0, 0, 0, 0), (..., ...), 1.5, "x", [0.5], (slice(None), [[1.0]])],
)
def test_indices_that_make_no_sense_are_refused(index):
    array = cp.asarray(HOST)
    with pytest.raises(IndexError):
        _ = array[index]
    with pytest.raises(IndexError):
        array[index] = 0


def test_a_mask_must_fit():
    with pytest.raises(IndexError, match="boolean index did not match"):
        _ = cp.asarray(HOST)[cp.ones((3, 5), bool)]


def test_indices_from_the_host_are_hidden_copies():
    array = cp.asarray(HOST)
    before = len(transfers())
    for index in ([0, 2], np.array([0, 2])):
        np.testing.assert_array_equal(array[index].get(), HOST[[0, 2]])
    told = [t for t in transfers()[before:] if t.implicit]
    assert [t.size_bytes for t in told] == [16, 16]
    assert told[0].what == "an index from the host"


def test_a_mask_makes_the_host_wait():
    array = cp.asarray(HOST)
    mask = array > 11
    before = len(transfers())
    np.testing.assert_array_equal(array[mask].get(), HOST[HOST > 11])
    assert [(t.size_bytes, t.implicit) for t in transfers()[before:-1]] == [(4, True)]
    array[mask] = 0
    np.testing.assert_array_equal(array.get(), np.where(HOST > 11, 0, HOST))


@pytest.mark.parametrize("value", [np.arange(5), [1, 2, 3, 4, 5]])
def test_host_data_is_written_through_index_arrays_only(value):
    array = cp.asarray(HOST)
    with pytest.raises(
        (TypeError, ValueError), match=r"Unsupported type|non-scalar numpy\.ndarray"
    ):
        array[0, 0] = value
    index = cp.array([0]), cp.array([1])
    before = len(transfers())
    array[index] = value
    assert transfers()[before].implicit and transfers()[before].what.startswith("a value")
    np.testing.assert_array_equal(array[0, 1].get(), value)


def test_a_value_is_cast_and_broadcast():
    array = cp.zeros((2, 3), np.int32)
    array[...] = cp.array([[[1.9, -2.9, 3.0]]])
    np.testing.assert_array_equal(array.get(), [[1, -2, 3]] * 2)
    array[1] = np.float64(7.5)
    array[0, 0] = cp.array(9)
    np.testing.assert_array_equal(array.get(), [[9, -2, 3], [7, 7, 7]])
    with pytest.raises(ValueError, match="broadcast"):
        array[:] = cp.ones(4)


def test_views_are_free_and_copies_are_counted():
    array = cp.asarray(HOST)
    _ = array[1:, ::2], array.T, array[None], array.reshape(-1), array.ravel(), array.real
    assert not operations()
    _ = array[cp.asarray([0, 2])]
    (operation,) = operations()
    assert (operation.name, operation.read_bytes) == ("getitem", 16 + 160)
    assert operation.written_bytes == 160


def test_a_place_named_twice_keeps_one_and_scatter_adds_both():
    array = cp.zeros(3)
    places = cp.array([0, 0, 5])
    array[places] = cp.array([1.0, 1.0, 4.0])
    np.testing.assert_array_equal(array.get(), [1, 0, 4])
    array.scatter_add(places, cp.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(array.get(), [4, 0, 7])
    array.scatter_max(places, 5)
    array.scatter_min((slice(None),), 6)
    np.testing.assert_array_equal(array.get(), [5, 0, 6])
