from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import count_operations
from gpuedu.simt.host.transfers import transfers


@pytest.mark.parametrize(
    ("given", "size_bytes"),
    [
        ([1.0, 2.0], 16),
        (np.ones((3, 2), np.int8), 6),
        ([np.arange(3), np.arange(3)], 48),
        ((1, 2), 16),
    ],
)
def test_host_data_is_one_copy_that_was_asked_for(given, size_bytes):
    found = cp.array(given)
    np.testing.assert_array_equal(found.get(), np.array(given))
    assert [(t.size_bytes, t.implicit) for t in transfers()[:-1]] == [(size_bytes, False)]


def test_a_number_is_written_by_a_kernel_and_not_copied():
    with count_operations() as count:
        assert cp.array(3.5).shape == ()
    assert not transfers() and count.written_bytes == 8


def test_foreign_byte_orders_are_turned():
    found = cp.array(np.array([1, 2], ">f4"))
    assert found.dtype == np.float32 and found.get().tolist() == [1, 2]


def test_asarray_copies_only_if_it_must():
    array = cp.arange(4)
    assert cp.asarray(array) is array and cp.asanyarray(array, dtype=np.int64) is array
    other = cp.asarray(array, dtype=np.float32)
    assert other.base is None and other.dtype == np.float32
    assert cp.array(array) is not array and cp.asarray(array, copy=True) is not array
    assert not transfers()


@pytest.mark.parametrize(
    "given",
    [
        "text",
        [object()],
        np.array(["a"]),
        np.array([1], "datetime64[s]"),
        np.ones(2, np.longdouble),
    ],
)
def test_what_is_no_number_is_refused(given):
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.array(given)


def test_lists_of_device_arrays_are_stacked_on_the_device():
    rows = [[cp.arange(3), cp.ones(3, np.float32)], [cp.zeros(3), cp.full(3, 2)]]
    found = cp.array(rows)
    assert found.shape == (2, 2, 3) and found.dtype == np.float64 and not transfers()
    np.testing.assert_array_equal(found[0].get(), [[0, 1, 2], [1, 1, 1]])
    assert cp.array([cp.float32(1), cp.array(2)][1:]).shape == (1,)
    for wrong in ([cp.ones(2), cp.ones(3)], [cp.ones(2), [1, 2]], [cp.array(1), 2]):
        with pytest.raises(TypeError):
            cp.array(wrong)


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_are_kept(order):
    host = np.asarray(np.arange(12).reshape(3, 4), order=order)
    for array in (cp.array(host), cp.asarray(host).copy("K"), cp.zeros_like(cp.array(host))):
        assert array.flags[f"{order}_CONTIGUOUS"]
    assert cp.zeros((3, 4), order=order).flags[f"{order}_CONTIGUOUS"]
    assert cp.array(host).get(order=order).flags[f"{order}_CONTIGUOUS"]
    assert cp.asfortranarray(cp.array(host)).flags.f_contiguous
    assert (cp.array(host) + 1).flags.c_contiguous  # results are in C order, as CuPy's


def test_undefined_elements_show_themselves():
    assert np.isnan(cp.empty(5, np.float32).get()).all()
    assert np.isnan(cp.empty_like(cp.ones(3, np.complex64)).get()).all()
    assert cp.empty(4, np.int32).get().all()


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "copy"])
def test_likes_ask_for_device_arrays(name):
    with pytest.raises(TypeError, match="Unsupported type"):
        getattr(cp, name)(np.ones(3))


def test_full_takes_its_dtype_from_the_value():
    assert cp.full(2, 3).dtype == np.int64 and cp.full(2, 3.0).dtype == np.float64
    assert cp.full(2, cp.float32(1)).dtype == np.float32 and cp.full(2, True).dtype == bool
    assert cp.full_like(cp.ones(3), 2, dtype=np.int8, shape=(2, 2)).shape == (2, 2)


@pytest.mark.parametrize("shape", [cp.array(3), 2.5, (2, "x"), [None]])
def test_a_shape_is_made_of_integers(shape):
    with pytest.raises(TypeError):
        cp.zeros(shape)


def test_asnumpy_takes_anything():
    assert cp.asnumpy([1, 2]).tolist() == [1, 2]
    host = np.ones(3)
    assert cp.asnumpy(host) is host and not transfers()
    assert cp.asnumpy(cp.ones(3), out=host) is host


def test_the_module_of_arguments():
    assert cp.get_array_module(np.ones(2), cp.ones(2)) is cp
    assert cp.get_array_module(np.ones(2), 3) is np
