from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.arguments import bind, prepare
from gpuedu.simt.machine.views import View, contiguous
from gpuedu.simt.program import ArraySlot, ArrayType
from gpuedu.trace import Space

LAW = settings(derandomize=True, deadline=None, database=None, max_examples=200)


def view_of(array: np.ndarray) -> View:
    """A host array as a kernel is given it."""
    slot = ArraySlot("a_1", ArrayType(array.dtype, array.ndim, Space.GLOBAL))
    (view,) = bind([slot], prepare([array]))
    return view


def elements(view: View) -> np.ndarray:
    """What a view shows, element by element."""
    shape = tuple(int(n) for n in view.shape)
    made = np.empty(shape, view.dtype)
    for index in np.ndindex(*shape):
        at = int(view.offset) + sum(i * s for i, s in zip(index, view.strides, strict=True))
        made[index] = view.flat.data[at]
    return made


def wrapped(parts: tuple) -> tuple:
    """Parts with the scalars that generated code passes."""
    return tuple(
        slice(*(None if b is None else np.int64(b) for b in (p.start, p.stop, p.step)))
        if isinstance(p, slice)
        else np.int64(p)
        for p in parts
    )


def slices() -> st.SearchStrategy:
    bound = st.one_of(st.none(), st.integers(-7, 7))
    return st.builds(slice, bound, bound, st.sampled_from([None, 1, 2, 3, -1, -2]))


@st.composite
def host_arrays(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    dtype = draw(st.sampled_from([np.int8, np.float32, np.complex64]))
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    if draw(st.booleans()):
        array = array.T
    if draw(st.booleans()):
        array = array[tuple(draw(slices()) for _ in array.shape)]
    return array


@LAW
@given(host_arrays())
def test_a_host_array_of_any_layout_is_seen_whole(array):
    view = view_of(array)
    np.testing.assert_array_equal(elements(view), array)
    assert [int(view.extent(axis)) for axis in range(array.ndim)] == list(array.shape)
    assert int(view.extent(-1)) == array.size
    if array.size > 1:
        for axis, extent in enumerate(array.shape):
            assert extent == 1 or int(view.stride(axis)) == array.strides[axis]


@LAW
@given(host_arrays(), st.data())
def test_parts_are_numpys(array, data):
    parts = tuple(
        data.draw(st.one_of(slices(), st.integers(-n, n - 1)) if n else slices())
        for n in array.shape[: data.draw(st.integers(1, array.ndim))]
    )
    part = view_of(array).part(wrapped(parts))
    expected = array[parts]
    np.testing.assert_array_equal(elements(part), expected)
    assert part.dtype == array.dtype


@LAW
@given(host_arrays(), st.data())
def test_parts_of_parts_and_transposes(array, data):
    view = view_of(array).transposed()
    expected = array.T
    for _ in range(2):
        parts = tuple(data.draw(slices()) for _ in expected.shape)
        view, expected = view.part(wrapped(parts)), expected[parts]
    np.testing.assert_array_equal(elements(view), expected)


@LAW
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_reshape_keeps_the_order(x, y, z, inferred):
    array = np.arange(x * y * z).reshape(x * y, z)
    shape = (np.int64(x), np.int64(-1 if inferred else y * z))
    view = view_of(array).reshaped(shape)
    np.testing.assert_array_equal(elements(view), array.reshape(x, y * z))


def test_fields_of_records():
    dtype = np.dtype([("x", np.int8), ("y", np.float64), ("v", np.int32, (2, 3))], align=True)
    array = np.zeros((2, 4), dtype)
    array["x"] = np.arange(8).reshape(2, 4)
    array["y"] = array["x"] / 2
    array["v"] = np.arange(48).reshape(2, 4, 2, 3)
    view = view_of(array)
    for name in dtype.names:
        np.testing.assert_array_equal(elements(view.field(name)), array[name])
    row = view.part((np.int64(1), slice(np.int64(1), None, None)))
    np.testing.assert_array_equal(elements(row.field("v")), array[1, 1:]["v"])


def test_parts_of_complex_numbers():
    array = (np.arange(6) + 1j * np.arange(6)[::-1]).astype(np.complex64)
    view = view_of(array[::2])
    np.testing.assert_array_equal(elements(view.field("real")), array[::2].real)
    np.testing.assert_array_equal(elements(view.field("imag")), array[::2].imag)


def test_an_integer_of_each_thread_gives_each_its_row():
    array = np.arange(12).reshape(4, 3)
    rows = np.array([[0, 3, -1, 2]])
    part = view_of(array).part((rows,))
    assert part.offset.tolist() == [[0, 9, 9, 6]]
    assert (part.shape, part.strides) == ((3,), (1,))


def test_bounds_of_each_thread_give_each_its_length():
    begin = np.array([[0, 2, -1, 9]])
    part = view_of(np.arange(5)).part((slice(begin, None, None),))
    assert part.shape[0].tolist() == [[5, 3, 1, 0]]
    assert part.offset.tolist()[0][:3] == [0, 2, 4]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (2, 0, 3)])
def test_contiguous_strides_are_numpys(shape):
    array = np.zeros(shape, np.int8)
    expected = array.strides if array.size else contiguous(shape)
    assert contiguous(shape) == expected
