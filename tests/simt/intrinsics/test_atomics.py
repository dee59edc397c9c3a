from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.simt.intrinsics import atomics

SPECIAL = {
    "float32": [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 1.0, 0.1],
    "float64": [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, 0.1],
    "int32": [0, -1, 1, 2**31 - 1, -(2**31), 7],
    "int64": [0, -1, 1, 2**63 - 1, -(2**63), 7],
    "uint32": [0, 1, 2, 2**32 - 1, 2**31, 7],
    "uint64": [0, 1, 2, 2**64 - 1, 2**63, 7],
}
CASES = [(op, dtype) for op, dtypes in atomics.DTYPES.items() for dtype in sorted(dtypes)]


def one_lane(op, old, value, new=None):
    """What the CUDA documentation and Numba's generated code say of one lane, on NumPy scalars."""
    zero = type(old)(0)
    match op:
        case "add":
            return old + value
        case "sub":
            return old - value
        case "and_":
            return old & value
        case "or_":
            return old | value
        case "xor":
            return old ^ value
        case "exch":
            return value
        case "max":
            return value if old < value else old
        case "min":
            return value if old > value else old
        case "nanmax":
            return value if value == value and not old >= value else old
        case "nanmin":
            return value if value == value and not old <= value else old
        case "inc":
            return zero if old >= value else old + type(old)(1)
        case "dec":
            return value if old == 0 or old > value else old - type(old)(1)
        case "cas" | "compare_and_swap":
            return new if old == value else old


def lane_after_lane(op, data, index, operands):
    old = np.empty(index.size, data.dtype)
    with np.errstate(all="ignore"):
        for lane, address in enumerate(index):
            old[lane] = data[address]
            data[address] = one_lane(op, data[address], *(v[lane] for v in operands))
    return old


def bits(array):
    """The bits of an array; all NaN alike, since additions may choose any of them."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.view(f"u{array.dtype.itemsize}")


def assert_as_serial(op, data, index, operands):
    expected = data.copy()
    expected_old = lane_after_lane(op, expected, index, operands)
    for want_old in (True, False):
        left = data.copy()
        old = atomics.apply(op, left, index, operands, want_old=want_old)
        np.testing.assert_array_equal(bits(left), bits(expected))
        if want_old:
            assert old.dtype == data.dtype
            np.testing.assert_array_equal(bits(old), bits(expected_old))
        else:
            assert old is None


def draw_values(rng, dtype, n, wild):
    pool = np.array(SPECIAL[dtype], dtype)
    if np.dtype(dtype).kind == "f":
        ordinary = (rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)).astype(dtype)
    else:
        ordinary = rng.integers(0, 10, n).astype(dtype)
    return np.where(rng.random(n) < wild, rng.choice(pool, n), ordinary).astype(dtype)


def second_operand(op, rng, dtype, n, wild):
    return [draw_values(rng, dtype, n, wild)] if op in ("cas", "compare_and_swap") else []


@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.parametrize("addresses", [1, 2, 7, 40, 4000])
@pytest.mark.parametrize("wild", [0.0, 0.4])
def test_equals_lanes_one_after_the_other(op, dtype, addresses, wild):
    rng = np.random.default_rng([CASES.index((op, dtype)), addresses, int(wild * 10)])
    n = 300
    data = draw_values(rng, dtype, addresses, wild)
    index = rng.integers(0, addresses, n)
    operands = [draw_values(rng, dtype, n, wild), *second_operand(op, rng, dtype, n, wild)]
    assert_as_serial(op, data, index, operands)


@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.parametrize("value", range(6))
def test_one_operand_for_all_lanes(op, dtype, value):
    rng = np.random.default_rng([CASES.index((op, dtype)), value])
    data = draw_values(rng, dtype, 5, 0.5)
    index = rng.integers(0, 5, 64)
    operand = np.array(SPECIAL[dtype][value], dtype)
    others = second_operand(op, rng, dtype, 64, 0.5)
    expected = data.copy()
    old = atomics.apply(op, data, index, [operand, *others], want_old=True)
    expected_old = lane_after_lane(op, expected, index, [np.full(64, operand), *others])
    np.testing.assert_array_equal(bits(old), bits(expected_old))
    np.testing.assert_array_equal(bits(data), bits(expected))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_pattern_of_addresses(data):
    op, dtype = data.draw(st.sampled_from(CASES))
    size = data.draw(st.integers(1, 8))
    index = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=60)), np.int64)
    values = st.sampled_from(SPECIAL[dtype]) | st.integers(0, 5)

    def draw_array(count):
        return np.array(data.draw(st.lists(values, min_size=count, max_size=count)), dtype)

    count = 2 if op in ("cas", "compare_and_swap") else 1
    operands = [draw_array(index.size) for _ in range(count)]
    memory = draw_array(size)
    assert_as_serial(op, memory, index, operands)


@pytest.mark.parametrize("op", ["add", "inc", "cas", "max", "and_", "exch"])
def test_skewed_addresses(op):
    rng = np.random.default_rng(5)
    n = 3000
    index = np.where(rng.random(n) < 0.5, 3, rng.integers(0, 1000, n))
    dtype = "float32" if op in ("add", "max") else "uint32"
    operands = [draw_values(rng, dtype, n, 0.1), *second_operand(op, rng, dtype, n, 0.1)]
    assert_as_serial(op, draw_values(rng, dtype, 1000, 0.1), index, operands)


def test_addresses_beyond_the_radix_sort():
    rng = np.random.default_rng(6)
    index = rng.choice(rng.integers(0, 1 << 20, 50), 500)
    data = np.zeros(1 << 20, np.float32)
    assert_as_serial("add", data, index, [rng.standard_normal(500).astype(np.float32)])


def test_float_sums_are_rounded_in_lane_order():
    data = np.zeros(1, np.float32)
    lanes = np.array([1e8, 1.0, 1.0, -1e8], np.float32)
    old = atomics.apply("add", data, np.zeros(4, np.int64), [lanes], want_old=True)
    assert data[0] == 0.0
    assert old.tolist() == [0.0, 1e8, 1e8, 1e8]


@pytest.mark.parametrize("limit", [0, 1, 6, 2**32 - 1])
@pytest.mark.parametrize("start", [0, 1, 6, 7, 2**32 - 1])
@pytest.mark.parametrize("op", ["inc", "dec"])
def test_wheel_of_one_limit(op, limit, start):
    data = np.array([start], np.uint32)
    operands = [np.full(40, limit, np.uint32)]
    assert_as_serial(op, data, np.zeros(40, np.int64), operands)


@pytest.mark.parametrize(
    ("op", "dtype"),
    [
        ("add", "float16"),
        ("add", "complex64"),
        ("add", "int16"),
        ("max", "int8"),
        ("and_", "float32"),
        ("exch", "float64"),
        ("cas", "float64"),
        ("compare_and_swap", "bool"),
        ("inc", "int32"),
        ("dec", "int64"),
    ],
)
def test_refuses_what_numba_refuses(op, dtype):
    data = np.zeros(4, dtype)
    with pytest.raises(atomics.AtomicTypeError) as refusal:
        atomics.apply(op, data, np.array([0]), [data[:1], data[:1]], want_old=False)
    assert dtype in str(refusal.value)
    assert refusal.value.remedy


def test_no_lanes():
    data = np.arange(3, dtype=np.int32)
    nobody = np.empty(0, np.int64)
    old = atomics.apply("add", data, nobody, [np.empty(0, np.int32)], want_old=True)
    assert old.shape == (0,)
    assert data.tolist() == [0, 1, 2]


def test_cuda_c_exchanges_floats():
    data = np.array([1, 2], np.float32)
    old = atomics.apply(
        "exch", data, np.array([1, 1]), [np.array([5, 6], np.float32)], want_old=True
    )
    assert old.tolist() == [2, 5] and data.tolist() == [1, 6]
