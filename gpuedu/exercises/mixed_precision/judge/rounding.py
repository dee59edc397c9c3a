"""The reference: patterns to numbers and numbers to patterns, for any format of the lesson.

Held bit for bit against PyTorch's own dtypes in the tests, over all patterns of fp16, bf16 and both
8-bit formats. PyTorch converts to float32 first; so does what is asked here: values are float32.
"""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.mixed_precision.formats import Format


def decode(codes: np.ndarray, form: Format) -> np.ndarray:
    """Numbers (float64) of patterns (int64)."""
    codes = np.asarray(codes, np.int64)
    mantissa_bits = form.mantissa_bits
    top = 2**form.exponent_bits - 1
    field, mantissa = codes >> mantissa_bits & top, codes & (2**mantissa_bits - 1)
    steps = np.where(field > 0, mantissa + 2**mantissa_bits, mantissa).astype(np.float64)
    size = np.ldexp(steps, np.maximum(field, 1) - form.bias - mantissa_bits)
    if form.has_infinity:
        size = np.where(field == top, np.where(mantissa == 0, np.inf, np.nan), size)
    else:
        ones = (field == top) & (mantissa == 2**mantissa_bits - 1)
        size = np.where(ones, np.nan, size)
    return np.where(codes >> (form.bits - 1) & 1, -size, size)


def encode(values: np.ndarray, form: Format, *, rounding: str = "even") -> np.ndarray:
    """Patterns (int64) of numbers (float64): nearest, ties to even.

    Past the largest number stands infinity, or the largest itself in a format without infinity (the
    saturating conversion of OFP8, which PyTorch 2.13 has, too). ``rounding`` may be ``"down"``
    (towards 0) or ``"up"`` (away from 0), for neighbors.
    """
    values = np.asarray(values, np.float64)
    size = np.where(np.isfinite(values), np.abs(values), 0.0)
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, 1 - form.bias)
    exponent = np.maximum(exponent, 1 - form.bias).astype(np.int64)
    steps = _whole(np.ldexp(size, form.mantissa_bits - exponent), rounding)
    codes = steps.astype(np.int64) + (exponent + form.bias - 1 << form.mantissa_bits)
    beyond = form.largest_code + form.has_infinity
    codes = np.where(np.isinf(values), beyond, np.minimum(codes, beyond))
    codes = np.where(np.isnan(values), 2 ** (form.bits - 1) - 1, codes)
    return codes | np.signbit(values).astype(np.int64) << (form.bits - 1)


def nearest(values: np.ndarray, form: Format) -> np.ndarray:
    """The numbers of a format that are nearest to these values."""
    return decode(encode(values, form), form)


def _whole(steps: np.ndarray, rounding: str) -> np.ndarray:
    if rounding == "even":
        return np.rint(steps)
    return {"down": np.floor(steps), "up": np.ceil(steps)}[rounding]
