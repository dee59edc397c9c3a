from __future__ import annotations

import copy
import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.simt.host.transfers import Direction, transfers

HOST = np.array([[1.5, -2.0, 3.0], [0.25, 4.0, 5.0]], np.float32)
HOST_ARRAY = r"Unsupported type <class 'numpy\.ndarray'>"
IMPLICIT = r"Implicit conversion to a NumPy array is not allowed\. Please use `\.get\(\)`"


@pytest.fixture
def array():
    return cp.asarray(HOST)


@pytest.mark.parametrize("take", [np.asarray, np.array, np.float64, np.fromiter, range])
def test_an_array_is_never_taken_for_a_host_array(array, take):
    with pytest.raises(TypeError):
        take(array)


def test_the_refusal_says_what_to_do(array):
    with pytest.raises(TypeError, match=IMPLICIT):
        np.asarray(array)
    with pytest.raises(TypeError, match=IMPLICIT):
        np.array([array, array])


@pytest.mark.parametrize("other", [HOST, HOST[0], HOST.tolist(), None, "text", np.str_("x")])
@pytest.mark.parametrize("name", ["__add__", "__rsub__", "__iadd__", "__lt__", "__matmul__"])
def test_operands_that_are_not_on_the_device_are_refused(array, name, other):
    with pytest.raises(TypeError, match="Unsupported type <class"):
        getattr(array, name)(other)


@pytest.mark.parametrize("operation", [np.add, np.matmul, np.less, np.divmod])
def test_a_host_array_on_the_left_is_refused_too(array, operation):
    with pytest.raises(TypeError, match=HOST_ARRAY):
        operation(HOST.T, array)
    with pytest.raises(TypeError, match=HOST_ARRAY):
        _ = HOST + array


def test_numbers_of_python_do_not_widen_and_numbers_of_numpy_do(array):
    assert (array + 1).dtype == (array * 2.5).dtype == np.float32
    assert (array + np.float64(1)).dtype == (np.float64(1) + array).dtype == np.float64
    assert (cp.arange(3, dtype=np.int8) + np.int32(1)).dtype == np.int32
    assert (cp.arange(3, dtype=np.int8) * 1.0).dtype == np.float64


def test_results_without_axes_stay_on_the_device(array):
    for result in (array.sum(), array[0, 1], array.max(), cp.dot(array[0], array[1]), array.mean()):
        assert isinstance(result, cp.ndarray) and result.shape == ()
    assert len(transfers()) == 1
    assert isinstance(array[0, 0] + array[0, 1], cp.ndarray)


@pytest.mark.parametrize(
    ("read", "size_bytes"),
    [
        (float, 4),
        (int, 4),
        (bool, 4),
        (complex, 4),
        (lambda a: a.item(), 4),
        (lambda a: f"{a:.2f}", 4),
        (math.sqrt, 4),
        (repr, 4),
        (lambda a: a.tolist(), 4),
    ],
)
def test_reading_an_element_is_a_hidden_copy(array, read, size_bytes):
    element = array[1, 1]
    read(element)
    (copied,) = transfers()[1:]
    assert copied.implicit and copied.size_bytes == size_bytes
    assert copied.direction is Direction.DEVICE_TO_HOST
    assert not transfers()[0].implicit


def test_get_and_set_are_copies_that_were_asked_for(array):
    np.testing.assert_array_equal(array.get(), HOST)
    array.set(HOST * 2)
    np.testing.assert_array_equal(cp.asnumpy(array), HOST * 2)
    told = [(t.direction, t.size_bytes, t.implicit) for t in transfers()]
    up, down = Direction.HOST_TO_DEVICE, Direction.DEVICE_TO_HOST
    assert told == [(up, 24, False), (down, 24, False), (up, 24, False), (down, 24, False)]


def test_what_get_gives_is_no_view(array):
    host = array.get()
    host[0, 0] = 99
    assert float(array[0, 0]) == 1.5
    out = np.zeros((2, 3), np.float32)
    assert array.get(out=out) is out and out[1, 2] == 5


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([1, 2], TypeError),
        (HOST.astype(np.float64), TypeError),
        (HOST.T, ValueError),
    ],
)
def test_set_and_get_ask_for_the_same_form(array, given, error):
    with pytest.raises(error):
        array.set(given)
    with pytest.raises(error):
        array.get(out=given)
    with pytest.raises(RuntimeError, match="non-contiguous"):
        array[:, ::2].set(HOST[:, ::2])


def test_the_form_is_numpys(array):
    for ours, theirs in ((array, HOST), (array.T, HOST.T), (array[:, ::-2], HOST[:, ::-2])):
        for name in ("shape", "dtype", "ndim", "size", "nbytes", "itemsize", "strides"):
            assert getattr(ours, name) == getattr(theirs, name)
        for name in ("c_contiguous", "f_contiguous", "forc", "fnc"):
            assert getattr(ours.flags, name) == getattr(theirs.flags, name)
    assert array.flags.owndata and not array.T.flags["OWNDATA"]
    assert array.base is None and array.T.base is array and array.T[0].base is array


def test_views_share_memory(array):
    view = array.T[1:]
    view += 10
    np.testing.assert_array_equal(array.get(), HOST + np.float32([0, 10, 10]))
    assert view.data.ptr == array.data.ptr + 4
    assert array.data.device == cp.cuda.Device(0) == array.device


def test_the_shape_can_be_set(array):
    array.shape = (3, 2)
    np.testing.assert_array_equal(array.get(), HOST.reshape(3, 2))
    with pytest.raises(AttributeError, match="incompatible shape"):
        array.T.shape = 6


def test_truth_needs_one_element(array):
    with pytest.raises(ValueError, match="more than one element"):
        bool(array)
    with pytest.raises(ValueError, match="empty"):
        bool(array[:0])
    assert bool(array[:1, :1])


def test_an_array_cannot_be_a_key_or_an_index(array):
    with pytest.raises(TypeError):
        hash(array)
    with pytest.raises(TypeError):
        range(array[0, 2].astype(np.int64))


def test_item_is_for_one_element(array):
    assert array[0, 1].item() == -2
    with pytest.raises(ValueError, match="size 1"):
        array.item()


def test_iteration_gives_views(array):
    rows = list(array)
    assert all(row.base is array for row in rows) and len(array) == 2
    for wrong in (iter, len):
        with pytest.raises(TypeError):
            wrong(array[0, 0])


def test_copies_are_copies(array):
    for other in (copy.copy(array), copy.deepcopy(array), pickle.loads(pickle.dumps(array))):
        other += 1
        np.testing.assert_array_equal(array.get(), HOST)
        np.testing.assert_array_equal(other.get(), HOST + 1)


def test_an_array_can_be_made_on_given_memory(array):
    again = cp.ndarray((3,), np.float32, memptr=array.data + 12)
    np.testing.assert_array_equal(again.get(), HOST[1])
    steps = cp.ndarray((2, 2), np.float32, memptr=array.data, strides=(12, 8))
    np.testing.assert_array_equal(steps.get(), HOST[:, ::2])


def test_other_names_are_refused_by_name(array):
    with pytest.raises(NotImplementedError, match=r"cupy\.ndarray\.toDlpack is not in gpuedu"):
        array.toDlpack()
    with pytest.raises(AttributeError, match="no_such"):
        _ = array.no_such


@pytest.mark.parametrize("dtype", [object, "O", [("a", "f4"), ("b", object)], "U4", "M8[s]"])
def test_memory_is_not_read_as_objects(dtype):
    place = cp.asarray([1, 2, 3, 4]).data
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cp.ndarray(1, dtype, place)


BESIDE = {
    "no memory": (64, 0, 0, None),
    "no memory, by strides": (64, 0, 0, (1,)),
    "too many": (64, 16, 0, None),
    "behind it": (1, 16, 16, None),
    "before it": (4, 16, 0, (-1,)),
    "a distance that overflows": (2**32 + 1, 16, 0, (2**32,)),
    "two that do": ((2, 2), 16, 0, (2**63 - 1, 2**63 - 1)),
}


@pytest.mark.parametrize("name", BESIDE)
def test_elements_lie_inside_of_their_memory(name):
    shape, size_bytes, offset, strides = BESIDE[name]
    with pytest.raises(ValueError, match="bytes"):
        cp.ndarray(shape, np.uint8, cp.cuda.alloc(size_bytes) + offset, strides).tobytes()


def test_what_has_the_names_of_memory_is_none():
    buffer = SimpleNamespace(data=SimpleNamespace(data=b"", nbytes=64), size_bytes=64, address=1)
    memory = SimpleNamespace(buffer=buffer, size=64)
    with pytest.raises(TypeError, match="not device memory"):
        cp.cuda.MemoryPointer(memory, 0)
    with pytest.raises(TypeError, match="not device memory"):
        cp.ndarray(64, np.uint8, SimpleNamespace(mem=memory, offset=0))
