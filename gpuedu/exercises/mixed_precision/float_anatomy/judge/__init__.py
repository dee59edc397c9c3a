"""float-anatomy: patterns to numbers, and numbers to the nearest pattern, for any format."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.formats import ROUNDED_TO, Format
from gpuedu.exercises.mixed_precision.judge import rounding

_SIGNS = (1.0, -1.0)
_FLOAT32_MAX = float(np.finfo(np.float32).max)


def cases(rng: np.random.Generator) -> list[Case]:
    """Every format, and two that no library has; of each, all kinds of patterns and rounding."""
    drawn, made_up = [], _made_up(rng)
    for form in (*ROUNDED_TO, *made_up):
        drawn += [
            _patterns(form, "normal", "values", _normal_codes(form, rng)),
            _patterns(form, "with an exponent field of 0", "subnormals", _low_codes(form, rng)),
            _patterns(form, "with the largest exponent field", "specials", _top_codes(form, rng)),
            _values(form, "to be rounded", "nearest", _around_codes(form, rng)),
            _values(form, "below the normal numbers", "small", _small_values(form, rng)),
        ]
    # A learner who has NaN for too large should hear first that e4m3 allows both.
    for form in sorted(ROUNDED_TO, key=lambda form: form.has_infinity):
        drawn.append(_values(form, "near the largest and past it", "overflow", _large_values(form)))
    for form in (*ROUNDED_TO, *made_up):
        drawn.append(_values(form, "around the largest", "overflow", _around_largest(form, rng)))
    return drawn


def _made_up(rng: np.random.Generator) -> list[Format]:
    """Formats with infinity, and with as many bits for the exponent as no dtype of PyTorch has."""
    exponents, mantissas = rng.permutation([4, 6, 7])[:2], rng.choice(np.arange(4, 9), 2)
    sizes = zip(exponents.tolist(), mantissas.tolist(), strict=True)
    return [Format(f"e{one}m{other}", one, other) for one, other in sizes]


def _patterns(form: Format, kind: str, prop: str, codes: Sequence[int]) -> Case:
    inputs = {"ask": "decode", "format": form.name, "spec": form.spec}
    return Case(f"{form.name}, patterns {kind}", {**inputs, "given": list(codes)}, (prop,))


def _values(form: Format, kind: str, prop: str, values: Sequence[float]) -> Case:
    inputs = {"ask": "encode", "format": form.name, "spec": form.spec}
    return Case(f"{form.name}, numbers {kind}", {**inputs, "given": list(values)}, (prop,))


def _with_signs(codes: Iterable[int], form: Format) -> list[int]:
    codes = [int(code) for code in codes]
    return codes + [code | 1 << (form.bits - 1) for code in codes]


def _normal_codes(form: Format, rng: np.random.Generator) -> list[int]:
    """The same fields for each exponent would hide a slip: some at random, and the ends."""
    mantissas = 2**form.mantissa_bits
    fields = rng.integers(1, 2**form.exponent_bits - 1, 60)
    codes = fields * mantissas + rng.integers(0, mantissas, 60)
    one = form.bias * mantissas
    return _with_signs([one, one + 1, mantissas, *codes], form)


def _low_codes(form: Format, rng: np.random.Generator) -> list[int]:
    mantissas = 2**form.mantissa_bits
    some = np.unique(rng.integers(0, mantissas, 30))
    return _with_signs([1, 0, mantissas - 1, *some], form)


def _top_codes(form: Format, rng: np.random.Generator) -> list[int]:
    mantissas = 2**form.mantissa_bits
    first = (2**form.exponent_bits - 1) * mantissas
    some = np.unique(rng.integers(1, mantissas - 1, 10))
    return _with_signs([first, first + mantissas - 1, *(first + some)], form)


def _around_codes(form: Format, rng: np.random.Generator) -> list[float]:
    """Numbers of the format, halves between neighbors, what lies beside those, and anything."""
    mantissas = 2**form.mantissa_bits
    fields = rng.integers(1, 2**form.exponent_bits - 2, 24)
    codes = fields * mantissas + rng.integers(0, mantissas, 24)
    codes[:2] = form.bias * mantissas + np.array([0, 1])  # a tie that goes down, one that goes up
    codes[2:5] = (fields[2:5] + 1) * mantissas - 1  # ties that carry into the exponent
    codes[5:8] = mantissas + codes[5:8] % mantissas  # the first normal numbers
    low, high = rounding.decode(codes, form), rounding.decode(codes + 1, form)
    between = low + (high - low) * rng.uniform(0.05, 0.95, 24)
    return _in_float32(low, between, _beside((low + high) / 2))


def _small_values(form: Format, rng: np.random.Generator) -> list[float]:
    """Zero, subnormal numbers and halves, what rounds to the first normal one, what vanishes."""
    mantissas = 2**form.mantissa_bits
    codes = np.unique([0, 1, 2, mantissas - 1, *rng.integers(0, mantissas, 10)])
    low, high = rounding.decode(codes, form), rounding.decode(codes + 1, form)
    between = low + (high - low) * rng.uniform(0.6, 0.9, low.size)
    return _in_float32(low, between, _beside((low + high) / 2), [form.smallest * 0.125])


def _large_values(form: Format) -> list[float]:
    """The largest, a half step past it and what lies beside that, further on, infinity, NaN."""
    step = form.largest - rounding.decode([form.largest_code - 1], form)[0]
    ends = _beside(np.array([form.largest + step / 2]))
    far = [x for x in (form.largest + step, form.largest * 1.5) if x < _FLOAT32_MAX]
    given = _in_float32([form.largest, form.largest - step / 4], ends, far, [math.inf])
    return [*given, math.nan]


def _around_largest(form: Format, rng: np.random.Generator) -> list[float]:
    """Up to a step past the largest or half of one below it, and further on."""
    step = form.largest - rounding.decode([form.largest_code - 1], form)[0]
    near = form.largest + step * rng.uniform(-0.5, 1.0, 8)
    far = form.largest * rng.uniform(1.0, 9.0, 4)
    return _in_float32(near, far[far < _FLOAT32_MAX])


def _beside(values: np.ndarray) -> np.ndarray:
    """Float32 numbers with their neighbors."""
    exact = np.asarray(values, np.float32)
    infinity = np.float32(np.inf)
    return np.concatenate([exact, np.nextafter(exact, infinity), np.nextafter(exact, -infinity)])


def _in_float32(*parts: Sequence[float] | np.ndarray) -> list[float]:
    """Both signs of each, as float32 numbers in Python floats."""
    values = np.concatenate([np.asarray(part, np.float32) for part in parts])
    values = values[values >= 0]
    return [sign * float(value) for value in values for sign in _SIGNS]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The first pattern or number that is wrong."""
    form = Format(case.inputs["format"], *case.inputs["spec"])
    given, got = case.inputs["given"], observed["got"]
    (prop,) = case.decides
    if case.inputs["ask"] == "decode":
        expected = rounding.decode(given, form)
        for code, theirs, ours in zip(given, got, expected.tolist(), strict=True):
            if not _same_number(theirs, ours):
                yield _decode_fault(prop, form, code, theirs, ours)
                return
        return
    for value, theirs, ours in zip(given, got, rounding.encode(given, form).tolist(), strict=True):
        right = _is_nan(theirs, form) if math.isnan(value) else theirs == ours
        if not right:
            yield _encode_fault(prop, form, value, theirs, ours)
            return


def _same_number(got: float, expected: float) -> bool:
    if math.isnan(expected):
        return math.isnan(got)
    return got == expected and math.copysign(1, got) == math.copysign(1, expected)


def _is_nan(code: int, form: Format) -> bool:
    return 0 <= code < 2**form.bits and math.isnan(rounding.decode([code], form)[0])


def _decode_fault(prop: str, form: Format, code: int, got: float, expected: float) -> Fault:
    told, wanted = show_apart(got, expected) if got != expected else (str(got), str(expected))
    call = f"decode({_pattern(code, form)}, {_spec(form)})"
    return Fault(prop, f"`{call}` gave {told}, expected {wanted}")


def _encode_fault(prop: str, form: Format, value: float, got: int, expected: int) -> Fault:
    call = f"encode({_exactly(value)}, {_spec(form)})"
    wanted = "a NaN" if math.isnan(value) else _code(expected, form)
    return Fault(prop, f"`{call}` gave {_code(got, form)}, expected {wanted}")


def _spec(form: Format) -> str:
    return f"{form.exponent_bits}, {form.mantissa_bits}, {form.has_infinity}"


def _exactly(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return f'float("{value}")'
    return repr(value)


def _code(code: int, form: Format) -> str:
    if not 0 <= code < 2**form.bits:
        return f"`{code:#x}`, which is no pattern of {form.bits} bits"
    return f"`{_pattern(code, form)}` ({rounding.decode([code], form)[0]:.6g})"


def _pattern(code: int, form: Format) -> str:
    """A pattern as the lesson writes it: in as many hexadecimal digits as it needs."""
    return f"0x{code:0{-(-form.bits // 4)}x}"


_FIELDS = (
    "Cut this pattern into sign, exponent field and mantissa by hand. Which of the three kinds of "
    "number is it, and what does its formula give?"
)
_NEIGHBORS = (
    "Is this a number of the format, or between which two does it lie? Which one should it become?"
)
_LARGE = "Which row of the table is this number in, and what does the row say?"


JUDGE = Judge(
    title="What do the bits of a number say?",
    properties=(
        Property("values", "`decode`: normal numbers of all formats", 1, asks=_FIELDS),
        Property(
            "subnormals", "`decode`: an exponent field of 0, both zeros included", 1, asks=_FIELDS
        ),
        Property(
            "specials",
            "`decode`: infinity and NaN, and what e4m3 has in their place",
            1,
            asks=_FIELDS,
        ),
        Property(
            "nearest", "`encode`: the nearest number, a tie to the even pattern", 2, asks=_NEIGHBORS
        ),
        Property(
            "small", "`encode`: subnormal numbers, and zero with its sign", 1, asks=_NEIGHBORS
        ),
        Property("overflow", "`encode`: past the largest number, infinity and NaN", 2, asks=_LARGE),
    ),
    hints=(
        "`decode`: how do you cut M bits out of the right end of a whole number, and E bits to "
        "their left? `encode`: between which powers of 2 does the number lie, and how many steps "
        "of `2.0 ** (exponent - M)` long is it?",
        "`decode`: `bits & (2**M - 1)` is the mantissa m, `bits >> M & (2**E - 1)` the exponent "
        "field. Normal: `(2**M + m) * 2.0 ** (field - bias - M)`; for field 0 the 2**M is missing "
        "and the exponent is that of field 1. `encode`: `math.frexp(size)[1] - 1` is the exponent, "
        "not below `1 - bias`; Python's `round` takes ties to even.",
        "With `steps = round(size / 2.0 ** (exponent - M))`, a normal number has `steps` from 2**M "
        "on, a subnormal one has less, and `steps + ((exponent + bias - 1) << M)` is the pattern "
        "of both, carry included. Take the smaller of that and the pattern that stands for "
        "everything too large. Before that: NaN, infinity, and 0, for which `frexp` gives 0.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "float-anatomy": Prediction(
            "What is the next fp16 number above 2048?",
            truth=2050,
            exact=True,
            because="2048 is 2**11, and there are 1024 steps from it to 4096: a step is 2.",
        )
    },
)
