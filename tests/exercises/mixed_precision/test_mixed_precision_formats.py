"""The reference of float-anatomy against PyTorch's own dtypes, over every pattern."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.mixed_precision.formats import BF16, E4M3, E5M2, FP16, FP32, TF32
from gpuedu.exercises.mixed_precision.judge.rounding import decode, encode, nearest

PATTERNS = {
    FP16: (np.uint16, torch.int16, torch.float16),
    BF16: (np.uint16, torch.int16, torch.bfloat16),
    E5M2: (np.uint8, torch.uint8, torch.float8_e5m2),
    E4M3: (np.uint8, torch.uint8, torch.float8_e4m3fn),
}
SATURATES = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 13)


def by_torch(codes, form):
    """Numbers of patterns as PyTorch reads them."""
    unsigned, kept, dtype = PATTERNS[form]
    signed = np.int16 if unsigned is np.uint16 else np.uint8
    tensor = torch.from_numpy(codes.astype(unsigned).view(signed)).view(kept).view(dtype)
    return tensor.double().numpy()


def codes_by_torch(values, form):
    """Patterns of float32 numbers as PyTorch converts them."""
    _, kept, dtype = PATTERNS[form]
    bits = torch.from_numpy(values).to(dtype).view(kept).numpy().astype(np.int64)
    return bits & (2**form.bits - 1)


def everywhere(form):
    """Every number of a format, every half way between two, and the float32 numbers beside."""
    finite = decode(np.arange(2**form.bits), form)
    finite = np.unique(finite[np.isfinite(finite)])
    step = form.largest - finite[-2]
    ends = form.largest + step * np.array([0.25, 0.5, 0.75])
    values = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2, ends, -ends])
    values = values.astype(np.float32)
    up, down = (np.nextafter(values, np.float32(side)) for side in (np.inf, -np.inf))
    return np.concatenate([values, up, down, np.float32([0.0, -0.0])])


@pytest.mark.parametrize("form", PATTERNS, ids=lambda form: form.name)
def test_every_pattern_is_decoded_as_by_torch(form):
    codes = np.arange(2**form.bits)
    got, theirs = decode(codes, form), by_torch(codes, form)
    assert np.array_equal(got, theirs, equal_nan=True)
    numbers = ~np.isnan(theirs)
    assert np.array_equal(np.signbit(got[numbers]), np.signbit(theirs[numbers]))


@pytest.mark.parametrize("form", PATTERNS, ids=lambda form: form.name)
def test_every_number_half_and_neighbor_is_encoded_as_by_torch(form):
    values = everywhere(form)
    if form is E4M3 and not SATURATES:
        values = values[np.abs(values) <= 464]
    assert np.array_equal(encode(values, form), codes_by_torch(values, form))


@pytest.mark.parametrize("form", (FP16, BF16, E5M2), ids=lambda form: form.name)
def test_infinity_and_nan_as_by_torch(form):
    values = np.array([np.inf, -np.inf, 3e38, -3e38], np.float32)
    assert np.array_equal(encode(values, form), codes_by_torch(values, form))
    assert np.isnan(nearest(np.array([np.nan]), form)).all()


def test_e4m3_saturates_infinity_included_and_keeps_nan():
    values = np.array([464.0, 464.01, 1e30, np.inf, -np.inf, np.nan])
    assert nearest(values, E4M3).tolist()[:5] == [448, 448, 448, 448, -448]
    assert encode(values, E4M3)[5] == 0x7F
    if SATURATES:
        assert np.array_equal(
            encode(values[:5], E4M3), codes_by_torch(values[:5].astype(np.float32), E4M3)
        )


@pytest.mark.parametrize("form", (TF32, BF16), ids=lambda form: form.name)
def test_formats_of_eight_exponent_bits_are_float32_with_bits_rounded_away(form):
    rng = np.random.default_rng(0)
    patterns = rng.integers(0, 0x7F000000, 100_000).astype(np.uint32)
    patterns[:3000] = rng.integers(0, 0x00800000, 3000)  # subnormal
    gone = 23 - form.mantissa_bits
    patterns[3000:6000] = patterns[3000:6000] >> gone << gone | 1 << (gone - 1)  # ties
    values = patterns.view(np.float32)
    odd = patterns >> gone & 1
    expected = (patterns + ((1 << (gone - 1)) - 1 + odd)) >> gone
    assert np.array_equal(encode(values, form), expected)
    assert np.array_equal(decode(expected, form), (expected << gone).view(np.float32))


def test_float16_and_bfloat16_have_the_limits_that_torch_tells():
    dtypes = ((FP32, torch.float32), (FP16, torch.float16), (BF16, torch.bfloat16))
    dtypes += ((E5M2, torch.float8_e5m2), (E4M3, torch.float8_e4m3fn))
    for form, dtype in dtypes:
        info = torch.finfo(dtype)
        assert (form.largest, form.smallest_normal) == (info.max, info.smallest_normal)
        assert form.epsilon == info.eps
        assert form.bits == info.bits
