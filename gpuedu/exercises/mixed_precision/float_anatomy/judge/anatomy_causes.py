"""float-anatomy: whose mistake a wrong number or a wrong pattern looks like."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpuedu.exercises.mixed_precision.formats import Format
from gpuedu.exercises.mixed_precision.judge import rounding

_SIGN = "The sign is lost. It is the first bit, of zeros and subnormal numbers, too."


def pattern(code: int, form: Format) -> str:
    """A pattern as the lesson writes it: in as many hexadecimal digits as it needs."""
    return f"0x{code:0{-(-form.bits // 4)}x}"


def of_decode(form: Format, code: int, got: float, expected: float) -> str:
    """A likely cause of a wrong number."""
    top = 2**form.exponent_bits - 1
    field, mantissa = code >> form.mantissa_bits & top, code & (2**form.mantissa_bits - 1)
    if math.isfinite(got) and abs(got) == _with_the_sign(form, code):
        return "The sign bit is still in that exponent field. Which bits does `& last` keep?"
    if field == top and (math.isnan(expected) or math.isinf(expected)):
        return _of_special(got, expected)
    if got == -expected:
        return _SIGN
    if field == top and not math.isfinite(got):
        return (
            "e4m3 has no infinity, and just one NaN (of each sign): the rest of this exponent "
            "are numbers, up to 448."
        )
    if field == 0 and mantissa and got == 0:
        return "With an exponent field of 0 the mantissa still counts: those numbers are subnormal."
    for known, says in _DECODINGS:
        if abs(got) == known(form, field, mantissa):
            return says
    return ""


def _of_special(got: float, expected: float) -> str:
    if math.isnan(expected):
        return (
            "This pattern is no number. Which mantissas go with infinity, which with NaN? (In "
            "e4m3, only all ones are NaN.)"
        )
    if math.isfinite(got):
        return "In this format the largest exponent field is infinity (mantissa 0) or NaN."
    return _SIGN if math.isinf(got) else "With mantissa 0 it is infinity; NaN has another mantissa."


def _with_the_sign(form: Format, code: int) -> float:
    """The number where the exponent field has the sign bit on its left; NaN without a sign."""
    field = code >> form.mantissa_bits
    if not field >> form.exponent_bits:
        return math.nan
    steps = code % 2**form.mantissa_bits + 2**form.mantissa_bits
    return _of(field - form.bias - form.mantissa_bits, steps)


def _of(exponent: int, steps: float) -> float:
    return math.ldexp(steps, exponent) if abs(exponent) < 900 else math.nan


_DECODINGS: tuple[tuple[Callable[[Format, int, int], float], str], ...] = (
    (
        lambda form, field, m: (
            math.nan if field else _of(-form.bias - form.mantissa_bits, m + 2**form.mantissa_bits)
        ),
        "That has a hidden 1 in front of the mantissa. With an exponent field of 0 there is none.",
    ),
    (
        lambda form, field, m: math.nan if field else _of(-form.bias - form.mantissa_bits, m),
        "That is half of it. The exponent of field 0 is that of field 1: `1 - bias`.",
    ),
    (
        lambda form, field, m: _of(field - form.bias - form.mantissa_bits, m) if field else -1.0,
        "That is without the hidden 1 in front of the mantissa.",
    ),
    (
        lambda form, field, m: _of(
            field - form.bias - 1 - form.mantissa_bits, m + 2**form.mantissa_bits
        ),
        "That fits a bias of `2 ** (E - 1)`. The bias is one less.",
    ),
    (
        lambda form, field, m: _of(field - form.bias, 1 + m),
        "That takes the mantissa as a whole number. It counts steps of `2 ** -M`.",
    ),
    (
        lambda form, field, m: _of(field - form.mantissa_bits, m + 2**form.mantissa_bits),
        "That is without the bias: the exponent field counts from `1 - bias` on.",
    ),
)


def of_encode(form: Format, value: float, got: int, expected: int) -> str:
    """A likely cause of a wrong pattern."""
    sign = 1 << (form.bits - 1)
    if math.isnan(value):
        return "NaN is neither above nor below anything. Is it asked for before it is compared?"
    if got == expected & ~sign and expected & sign:
        return _SIGN + " (`value < 0` is false for -0.0; `math.copysign(1, value)` tells it.)"
    if value == 0:
        return "`math.frexp(0.0)` gives the exponent 0, though 0 is below every other number."
    if abs(value) < form.smallest_normal and _is_one_too_low(form, value, got):
        return (
            "Below the normal numbers steps are as long as those of field 1: the exponent goes no "
            "further down than `1 - bias`. Is it `-bias`, or a field of 0, there?"
        )
    if abs(value) > form.largest:
        return _of_overflow(form, got & ~sign, expected & ~sign)
    if not 0 <= got < 2**form.bits:
        return ""
    if abs(value) < form.smallest_normal and not got & ~sign and expected & ~sign:
        return "Below the normal numbers there are subnormal ones: the steps stay as long as there."
    if got == _without_carry(form, value) and got != expected:
        return (
            "Rounding up from a mantissa of all ones gives the next power of 2: the exponent grows "
            "by 1. Is that carry lost?"
        )
    if _is_tie(form, value):
        return (
            "This lies half way between two numbers. IEEE 754 takes the one whose last bit is 0: "
            "sometimes the smaller, sometimes the larger."
        )
    for mode, says in _MODES:
        if got == rounding.encode([value], form, rounding=mode)[0]:
            return says
    if abs(value) < form.smallest_normal:
        return "Below the normal numbers the exponent goes no further down than `1 - bias`."
    return ""


_MODES = (
    (
        "down",
        "That is cut off: the next number towards 0. The *nearest* one is asked for.",
    ),
    ("up", "That is the next number away from 0. The *nearest* one is asked for."),
)


def _is_tie(form: Format, value: float) -> bool:
    codes = [rounding.encode([value], form, rounding=mode)[0] for mode in ("down", "up")]
    low, high = rounding.decode(codes, form)
    return low != high and low + high == 2 * value


def _is_one_too_low(form: Format, value: float, got: int) -> bool:
    """Whether the subnormal steps were counted half as long as they are."""
    steps = round(2 * abs(value) / form.smallest)
    sign = math.copysign(1, value) < 0
    hidden = 2**form.mantissa_bits
    known = (steps, steps - hidden)
    if got in (code | sign << (form.bits - 1) for code in known):
        return int(rounding.encode([value], form)[0]) != got
    return got in (code + (sign << (form.bits - 1)) for code in known)


def _of_overflow(form: Format, got: int, expected: int) -> str:
    """``value`` is past the largest number; it may still round to it."""
    if form.has_infinity and expected == form.largest_code and got == form.largest_code + 1:
        return (
            "It is past the largest number by less than half a step, so that is the nearest. Round "
            "first, then ask whether it is too large."
        )
    if form.has_infinity and got == form.largest_code:
        return "Half a step past the largest number, and from there on, it is infinity."
    if not form.has_infinity and got == form.largest_code + 1:
        return (
            "NaN is what conversions without saturation give (OFP8 allows both). Here e4m3 "
            "saturates: what is too large becomes 448."
        )
    if not form.has_infinity and got == (2**form.exponent_bits - 1) << form.mantissa_bits:
        return "In e4m3 that pattern is 256: there is no infinity, too large becomes 448."
    if not form.has_infinity and got == ((2**form.exponent_bits - 1) << form.mantissa_bits) - 1:
        return "That is 240. In e4m3 the largest exponent field holds numbers, too, up to 448."
    return "Is what is too large caught, after rounding and before the fields are put together?"


def _without_carry(form: Format, value: float) -> int:
    """The pattern where the rounded mantissa's carry is cut off."""
    down = int(rounding.encode([value], form, rounding="down")[0])
    up = int(rounding.encode([value], form)[0])
    last = 2**form.mantissa_bits - 1
    return down & ~last if down & last == last and up != down else -1
