"""accumulate: whose mistake a wrong sum looks like, by computing what known ways to add give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.exercises.mixed_precision.accumulate.judge import sums

_ZERO = np.float16(0)


def _in_float32(values: np.ndarray) -> float:
    return float(np.cumsum(values, dtype=np.float32)[-1]) if values.size else 0.0


def _padded(values: np.ndarray) -> np.ndarray:
    """With zeros behind, up to a power of 2 of numbers: rounds of additions need one."""
    missing = (1 << max(0, values.size - 1).bit_length()) - values.size
    return np.concatenate([values, np.zeros(missing, values.dtype)])


def _neighbours(values: np.ndarray) -> float:
    return sums.by_neighbours(_padded(values))


def _folded(values: np.ndarray) -> float:
    return sums.by_folding(_padded(values))


def _mirrored(values: np.ndarray) -> float:
    """In rounds, the first added to the last, the second to the last but one."""
    values = _padded(values)
    while values.size > 1:
        half = values.size // 2
        values = values[:half] + values[::-1][:half]
    return float(values[0]) if values.size else 0.0


def _one_round(values: np.ndarray) -> float:
    values = _padded(values)
    return sums.running(values[0::2] + values[1::2]) if values.size > 1 else sums.running(values)


def _twice_first(values: np.ndarray) -> float:
    return sums.running(np.concatenate([values[:1], values]))


def _two_running(values: np.ndarray) -> float:
    return float(np.float16(sums.running(values[0::2])) + np.float16(sums.running(values[1::2])))


def _kahan_like(step: Callable[..., tuple[np.float16, np.float16]]) -> Callable[..., float]:
    """A running sum with a memory: ``step(total, value, lost)`` gives the new total and loss."""

    def add(values: np.ndarray) -> float:
        total = lost = _ZERO
        for value in values:
            total, lost = step(total, value, lost)
        return float(total)

    return add


def _wrong_sign(total: np.float16, value: np.float16, lost: np.float16) -> tuple:
    new = total + (value - lost)
    return new, (value - lost) - (new - total)


def _forgetful(total: np.float16, value: np.float16, lost: np.float16) -> tuple:
    new = total + (value + lost)
    return new, value - (new - total)


def _to_the_total(total: np.float16, value: np.float16, lost: np.float16) -> tuple:
    new = total + value + lost
    return new, value - (new - total)


def _into_the_total(total: np.float16, value: np.float16, lost: np.float16) -> tuple:
    wanted = value + lost
    new = total + wanted
    return new + (wanted - (new - total)), wanted - (new - total)


def _at_once(total: np.float16, value: np.float16, lost: np.float16) -> tuple:
    new = total + value
    return new + (value - (new - total)), lost


def _at_the_end(values: np.ndarray) -> float:
    total = lost = _ZERO
    for value in values:
        new = total + value
        lost = lost + (value - (new - total))
        total = new
    return float(total + lost)


_WIDER = (
    "That is added up in a wider format (`np.sum` does so inside, too). Here every addition is "
    "rounded to float16."
)
_TO_THE_TOTAL = (
    "What was lost is added to the large total there, and lost again. To what should it go?"
)
_APART = (
    "That keeps what was lost apart until the end. Kahan adds it to the next number, so it never "
    "grows."
)
_RUNNING, _PAIRWISE, _KAHAN = {"running"}, {"pairwise"}, {"kahan"}
_ALL = _RUNNING | _PAIRWISE | _KAHAN
_KNOWN: tuple[tuple[set[str], Callable[[np.ndarray], float], str], ...] = (
    (
        _PAIRWISE | _KAHAN,
        sums.running,
        "That is the running sum. What does it lose, and when?",
    ),
    (_RUNNING, _neighbours, "That is a pairwise sum. Here the order is another."),
    (_RUNNING, _folded, "That is a pairwise sum. Here the order is another."),
    (
        _PAIRWISE,
        _one_round,
        "That is one round, and then a running sum. What follows the first round?",
    ),
    (
        _PAIRWISE,
        _mirrored,
        "That adds the first to the last in each round. Here it is neighbours, or the first of one "
        "half to the first of the other.",
    ),
    (
        _PAIRWISE,
        _two_running,
        "Those are two running sums: each still goes through n / 2 roundings.",
    ),
    (_KAHAN, _kahan_like(_into_the_total), _TO_THE_TOTAL),
    (_KAHAN, _kahan_like(_to_the_total), _TO_THE_TOTAL),
    (_KAHAN, _kahan_like(_at_once), _TO_THE_TOTAL),
    (_KAHAN, sums.neumaier, _APART),
    (_KAHAN, _at_the_end, _APART),
    (
        _KAHAN,
        _kahan_like(_wrong_sign),
        "That takes what was lost away a second time. Which sign makes up for it?",
    ),
    (
        _KAHAN,
        _kahan_like(_forgetful),
        "What should have been added is the value *and* what was lost before. Is the new loss "
        "counted from both?",
    ),
    (
        _RUNNING,
        lambda values: sums.running(values[::-1]),
        "That adds from the last to the first. Here it is from the first to the last.",
    ),
    (_RUNNING, lambda values: sums.running(values[:-1]), "Is the last number left out?"),
    (_RUNNING, lambda values: sums.running(values[1:]), "Is the first number left out?"),
    (_RUNNING, _twice_first, "Is the first number added twice?"),
    (_ALL, lambda values: float(np.sum(values)), _WIDER),
    (_ALL, lambda values: float(np.float16(sums.exact(values))), _WIDER),
    (_ALL, lambda values: float(np.float16(_in_float32(values))), _WIDER),
)


def of_sum(prop: str, values: np.ndarray, got: float) -> str:
    """A likely cause of a wrong sum; ``prop`` is what it should have been."""
    with np.errstate(all="ignore"):
        if np.isfinite(got) and got != float(np.float16(got)):
            return f"{_WIDER} What came back is no float16 number."
        for asked, gives, says in _KNOWN:
            if prop in asked and got == gives(values):
                return says
    return ""


_PRODUCTS = (
    "The product of two float16 numbers is rounded to float16 before it is added. In which format "
    "must the factors be when they are multiplied?"
)
_TOTAL = "The total is rounded to float16 after each addition. In which format should it be?"
_RESULT = (
    "Only the result was rounded to float16: products and total were float32. (`np.dot` of float16 "
    "arrays does that inside.) Leave the result as it is."
)


def of_dot(a: np.ndarray, b: np.ndarray, got: float) -> str:
    """A likely cause of a wrong dot product."""
    with np.errstate(all="ignore"):
        products, wide = a * b, a.astype(np.float32) * b.astype(np.float32)
        exact = bool(np.array_equal(products, wide))
        half_total = _ZERO
        for product in wide:
            half_total = np.float16(product + half_total)
        if not exact and _agree(got, float(np.sum(products, dtype=np.float32))):
            return _PRODUCTS
        if got == float(np.float16(np.sum(wide))) or got == float(np.float16(np.dot(a, b))):
            return _RESULT
        if got == float(half_total) or (exact and got == sums.running(products)):
            return f"The products are exact. {_TOTAL}"
        if got == float(np.sum(products)):
            return f"{_PRODUCTS} (`dtype=np.float16` rounds what is summed, too.)"
        if got in (sums.running(products), _neighbours(products)):
            return _TOTAL if exact else f"{_PRODUCTS} The total is rounded each time, too."
    return ""


def _agree(got: float, known: float) -> bool:
    """Whether it is that, up to the order of float32 additions."""
    return (np.isnan(got) and np.isnan(known)) or abs(got - known) <= 1e-5 * abs(known)
