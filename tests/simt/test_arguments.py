from __future__ import annotations

from collections import namedtuple
from itertools import pairwise

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.arguments import bind, describe, flatten, kind_of_argument, prepare, unit_of
from gpuedu.simt.host import cuda
from gpuedu.simt.program import ArraySlot, ArrayType
from gpuedu.trace import Argument, Space

Point = namedtuple("Point", "x y")


def bound(*arrays: np.ndarray) -> list:
    slots = [
        ArraySlot(f"a{n}_1", ArrayType(a.dtype, a.ndim, Space.GLOBAL)) for n, a in enumerate(arrays)
    ]
    return bind(slots, prepare(arrays))


@pytest.mark.parametrize(
    "value, dtype",
    [
        (True, "bool"),
        (3, "int64"),
        (-(1 << 63), "int64"),
        (1 << 63, "uint64"),
        (0.5, "float64"),
        (1j, "complex128"),
        (np.int16(3), "int16"),
        (np.float32(3), "float32"),
    ],
)
def test_numbers_become_numpy_scalars_of_numbas_types(value, dtype):
    (made,) = prepare([value])
    assert (made.dtype.name, made) == (dtype, value)
    assert kind_of_argument(made) == ("scalar", np.dtype(dtype))


def test_tuples_keep_their_names():
    (made,) = prepare([Point(1, 2.5)])
    assert made == Point(1, 2.5)
    kind = kind_of_argument(made)
    assert kind[0] == "tuple" and kind[2] == ("x", "y")
    assert flatten([made, (np.int8(1), (made,))]) == [1, 2.5, 1, 1, 2.5]


@pytest.mark.parametrize("wrong", [None, "text", [1, 2], {1: 2}, object(), np.array([object()])])
def test_what_no_kernel_takes_is_refused_with_a_remedy(wrong):
    with pytest.raises(GpueduError, match="cannot take") as caught:
        prepare([wrong])
    assert caught.value.remedy


def test_an_array_that_cannot_be_written_is_readonly():
    a = np.zeros(3)
    a.setflags(write=False)
    assert kind_of_argument(prepare([a])[0])[-1] is True
    assert kind_of_argument(prepare([np.zeros(3)])[0])[-1] is False


def test_views_of_one_host_array_share_an_allocation():
    whole = np.zeros((8, 4))
    first, second, other = bound(whole[2:], whole.T[1:, ::2], np.zeros(4))
    assert first.flat.allocation is second.flat.allocation
    assert first.flat.allocation.size_bytes == 256
    assert other.flat.allocation is not first.flat.allocation


def test_allocations_do_not_overlap_and_begin_at_512_bytes():
    views = bound(np.zeros(1, np.int8), np.zeros(1000), np.zeros(0), np.zeros(77))
    spans = sorted(
        (v.flat.allocation.address, v.flat.allocation.address + v.flat.allocation.size_bytes)
        for v in views
    )
    assert all(begin % 512 == 0 for begin, _ in spans)
    assert all(end < begin for (_, end), (begin, _) in pairwise(spans))


@pytest.mark.parametrize(
    "arrays, unit",
    [
        ((np.zeros(4, np.float64),), 8),
        ((np.zeros(4, np.complex128),), 8),
        ((np.zeros(4, [("x", np.float32), ("y", np.float64)]),), 4),
        ((np.zeros(4, [("x", np.int8), ("y", np.int8)]),), 1),
    ],
)
def test_hazards_are_tracked_in_the_smallest_unit(arrays, unit):
    assert bound(*arrays)[0].flat.allocation.unit == unit
    assert unit_of(arrays[0].dtype) == unit


def test_two_types_of_one_memory_are_tracked_in_the_smaller():
    whole = np.zeros(8, np.float64)
    one, other = bound(whole, whole.view(np.int16))
    assert one.flat.allocation is other.flat.allocation
    assert one.flat.allocation.unit == 2


def test_a_race_between_two_types_of_one_memory_is_found():
    def two_types(wide, narrow):
        t = cuda.threadIdx.x
        if t < 16:
            wide[t] = 1
        else:
            narrow[4 * (t - 16) + 3] = 2

    whole = np.zeros(16)
    trace = simulate(two_types, 1, 32, whole, whole.view(np.int16))
    assert {f.kind for f in trace.hazards} == {"data-race"}


def test_arguments_are_described_by_name():
    def kernel(a, n, pair, z):
        if a[0] > n:
            a[0] = pair[0]

    trace = simulate(kernel, 1, 1, np.zeros(2, np.float32), 5, (1, 2.5), True)
    assert trace.launch.arguments == (
        Argument("a", "array", "float32", (2,)),
        Argument("n", "scalar", "int64", (), 5.0),
        Argument("pair", "scalar", "int64", (), 1.0),
        Argument("pair", "scalar", "float64", (), 2.5),
        Argument("z", "scalar", "bool", (), 1.0),
    )
    assert describe(["a"], prepare([np.zeros((2, 3))])) == (
        Argument("a", "array", "float64", (2, 3)),
    )


def test_named_tuples_are_read_by_field():
    def kernel(p, out):
        out[0] = p.x + p.y * 10 + p[1]

    out = np.zeros(1)
    simulate(kernel, 1, 1, Point(1, 2.5), out)
    assert out[0] == 28.5


def test_a_tuple_of_arrays_is_indexed_by_number():
    def kernel(pair, out):
        i = cuda.grid(1)
        out[i] = pair[0][i] + pair[1][i, 1]

    a, b, out = np.arange(32), np.arange(64).reshape(32, 2), np.zeros(32)
    trace = simulate(kernel, 1, 32, (a, b), out)
    assert trace.findings == ()
    np.testing.assert_array_equal(out, a + b[:, 1])


def test_a_readonly_array_may_be_read_only():
    def kernel(a, out):
        out[0] = a[0]

    def writes(a):
        a[0] = 1

    a = np.ones(3)
    a.setflags(write=False)
    out = np.zeros(1)
    simulate(kernel, 1, 1, a, out)
    assert out[0] == 1
    with pytest.raises(GpueduError):
        simulate(writes, 1, 1, a)
