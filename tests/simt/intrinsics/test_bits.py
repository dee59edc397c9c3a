from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.intrinsics import bits

WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def draw(dtype, n=1000):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(info.bits)
    wide = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    shifted = wide >> rng.integers(0, info.bits, n).astype(dtype)
    ones = [(1 << k) - 1 for k in range(info.bits)]
    return np.concatenate([wide, shifted, np.array([*ones, info.min, info.max], dtype)])


def text(x):
    """The bits of an integer scalar, highest first."""
    return np.binary_repr(int(x) % (1 << (8 * x.itemsize)), 8 * x.itemsize)


@pytest.mark.parametrize("dtype", WIDTHS)
def test_counts_and_positions(dtype):
    x = draw(dtype)
    assert bits.popc(x).dtype == bits.clz(x).dtype == dtype
    assert bits.ffs(x).dtype == np.uint32
    assert bits.popc(x).tolist() == [text(v).count("1") for v in x]
    assert bits.clz(x).tolist() == [len(text(v)) - len(text(v).lstrip("0")) for v in x]
    assert bits.ffs(x).tolist() == [text(v)[::-1].find("1") + 1 for v in x]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_brev(dtype):
    x = draw(dtype)
    result = bits.brev(x)
    assert result.dtype == dtype
    assert [text(v) for v in result] == [text(v)[::-1] for v in x]


@pytest.mark.parametrize("function", [bits.popc, bits.clz, bits.ffs, bits.brev])
def test_shapes(function):
    grid = np.arange(12, dtype=np.uint32).reshape(3, 4)
    assert function(grid).shape == (3, 4)
    np.testing.assert_array_equal(function(grid[:, ::2]), function(grid)[:, ::2])
    assert isinstance(function(np.uint32(6)), np.generic)
    assert function(np.uint32(6)) == function(grid)[1, 2]


def test_selp():
    chosen = bits.selp(np.array([True, False]), np.float32(1), np.float32(2))
    assert chosen.tolist() == [1, 2]
    assert chosen.dtype == np.float32
    assert bits.selp(np.int32(7), np.int64(1), np.int64(2)) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_roots_and_saturation(dtype):
    x = np.array([4.0, 0.25, 0.0, -1.0, np.inf, np.nan], dtype)
    assert bits.rsqrt(x).dtype == dtype
    np.testing.assert_array_equal(bits.rsqrt(x), [0.5, 2, np.inf, np.nan, 0, np.nan])
    saturated = bits.saturate(np.array([-1, -0.0, 0.5, 2, np.inf, -np.inf, np.nan], dtype))
    assert saturated.dtype == dtype
    assert saturated.tolist() == [0, 0, 0.5, 1, 1, 0, 0]
    assert not np.signbit(saturated).any()
    np.testing.assert_allclose(bits.FUNCTIONS["cbrt"](dtype(-27)), -3, rtol=2e-7)


def test_byte_perm_takes_any_bytes():
    rng = np.random.default_rng(3)
    x, y, selector = rng.integers(0, 2**32, (3, 200), dtype=np.uint64).astype(np.uint32)
    result = bits.byte_perm(x.view(np.int32), y.view(np.int32), selector)
    assert result.dtype == np.int32
    for low, high, choice, value in zip(x, y, selector, result.view(np.uint32), strict=True):
        source = int(low).to_bytes(4, "little") + int(high).to_bytes(4, "little")
        expected = bytes(source[int(choice) >> 4 * place & 7] for place in range(4))
        assert int(value) == int.from_bytes(expected, "little")
