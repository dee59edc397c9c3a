from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import DeviceArrayValueError
from gpuedu.arrays.kernels.elements import common_shape, element, from_lowest, is_reachable


def walked(array, shape, groups):
    """The elements in the order of the indices, found by the expressions."""
    text = element(array, shape, groups).replace("LL", "").replace("/", "//")
    lowest = from_lowest(array)
    memory = np.lib.stride_tricks.as_strided(
        lowest.elements(), (10_000,), (array.itemsize,), writeable=False
    )
    counts = [range(int(np.prod([shape[at] for at in axes]))) for _, axes in groups]
    names = [name for name, _ in groups]
    return [
        memory[eval(text, dict(zip(names, at, strict=True)))] for at in itertools.product(*counts)
    ]


@st.composite
def views(draw):
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    steps = [draw(st.sampled_from((1, 2, -1, -2))) for _ in shape]
    whole = tuple(n * abs(step) for n, step in zip(shape, steps, strict=True))
    base = cp.arange(int(np.prod(whole)), dtype=cp.int32).reshape(whole)
    part = base[tuple(slice(None, None, step) for step in steps)]
    repeated = tuple(draw(st.sampled_from((n, 3))) if n == 1 else n for n in shape)
    order = draw(st.permutations(range(len(shape))))
    return part.transpose(order), (2, *(repeated[at] for at in order))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(views(), st.data())
def test_every_element_is_found(drawn, data):
    array, shape = drawn
    expected = np.broadcast_to(array.elements(), shape)
    found = walked(array, shape, [("i", range(len(shape)))])
    np.testing.assert_array_equal(found, expected.ravel())
    axes = sorted(data.draw(st.sets(st.integers(0, len(shape) - 1))))
    kept = [at for at in range(len(shape)) if at not in axes]
    found = walked(array, shape, [("_i", kept), ("_J", axes)])
    np.testing.assert_array_equal(found, expected.transpose(kept + axes).ravel())


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ((), "i"),
        ((slice(None), slice(None, None, -1)), "4 + (i / 5LL) * 5LL + (i % 5LL) * -1LL"),
        ((slice(None, None, -1),), "15 + (i / 5LL) * -5LL + (i % 5LL)"),
        ((slice(None, None, 2),), "(i / 5LL) * 10LL + (i % 5LL)"),
    ],
)
def test_divisions_are_saved_where_axes_can_be_joined(part, expected):
    array = cp.zeros((4, 5))[part]
    assert element(array, array.shape, [("i", (0, 1))]) == expected


def test_steps_that_are_no_elements_are_seen():
    memory = cp.zeros(16, cp.uint8)
    odd = cp.ndarray((2,), cp.float32, memory.data, strides=(6,))
    one = cp.ndarray((1,), cp.float32, memory.data, strides=(6,))
    assert not is_reachable(odd) and is_reachable(one) and is_reachable(cp.zeros((2, 3)).T)


def test_shapes_are_broadcast_or_refused():
    assert common_shape([cp.zeros((3, 1)), cp.zeros(4)]) == (3, 4)
    with pytest.raises(DeviceArrayValueError, match=r"with shapes \(3,\) \(2,4\)"):
        common_shape([cp.zeros(3), cp.zeros((2, 4))])
