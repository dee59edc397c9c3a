"""What judges share: whether two results are equal, and where they first differ."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Fault

NEAR_ZERO = 1e-12
"""How far from 0 a rounded result may be: a share of 0 says nothing about its size."""


def is_close(got: float, expected: float, rel: float = 1e-9, near_zero: float = NEAR_ZERO) -> bool:
    """Whether two numbers agree; an infinity agrees with the same one, NaN with nothing.

    If 0 is expected, ``near_zero`` says how far off a number may be.

    >>> is_close(1.0, 1.0 + 1e-12), is_close(math.inf, math.inf), is_close(math.nan, math.nan)
    (True, True, False)
    >>> is_close(1e-61, 0.0), is_close(1e-6, 0.0), is_close(1e-6, 0.0, near_zero=1e-5)
    (True, False, True)
    """
    return math.isclose(got, expected, rel_tol=rel, abs_tol=0.0 if expected else near_zero)


def number_fault(
    prop: str,
    call: str,
    got: float,
    expected: float,
    *,
    unit: str = "",
    rel: float = 1e-6,
    near_zero: float = NEAR_ZERO,
) -> Iterable[Fault]:
    """A fault if a number is not what it should be: ``call`` says what was asked.

    An expected whole number must be matched exactly; for others ``rel`` leaves room for float32 and
    sensible rounding, and if 0 is expected, ``near_zero`` does.

    >>> list(number_fault("limit", "amdahl(0.5, 2)", 2.0, 4 / 3))[0].message
    '`amdahl(0.5, 2)` gave 2, expected 1.33333'
    """
    if isinstance(expected, int):
        rel = near_zero = 0.0
    if not is_close(got, expected, rel, near_zero):
        behind = f" {unit}" if unit else ""
        shown, wanted = show_apart(got, expected)
        yield Fault(prop, f"`{call}` gave {shown}{behind}, expected {wanted}{behind}")


def are_close(got: np.ndarray, expected: np.ndarray, tolerance: np.ndarray | float) -> np.ndarray:
    """Where two arrays agree; an infinity agrees with the same one, whatever the tolerance.

    >>> with_infinity = np.array([1.0, np.inf, -np.inf, np.nan])
    >>> are_close(np.array([1.1, np.inf, 0.0, np.nan]), with_infinity, np.inf).tolist()
    [True, True, False, False]
    """
    with np.errstate(invalid="ignore"):
        is_near = np.isfinite(expected) & (np.abs(got - expected) <= tolerance)
    return is_near | (got == expected)


_RELATED = 0.99
"""A correlation of results that differ by a slip, such as a factor, from the right ones."""


def array_fault(
    prop: str,
    got: np.ndarray,
    expected: np.ndarray,
    *,
    tolerance: np.ndarray | float,
    name: str = "out",
    times: np.ndarray | None = None,
) -> Iterable[Fault]:
    """A fault at the first element that is off by more than ``tolerance``; NaN never passes.

    ``times`` is how often each element was written, if known: the fault then says that an element
    was never written.
    """
    wrong = ~are_close(got.astype(np.float64), expected, tolerance)
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        at = f"[{', '.join(map(str, index))}]" if index else ""
        count = int(wrong.sum())
        many = f"{count} of {got.size} elements {'is' if count == 1 else 'are'}"
        shown, wanted = show_apart(float(got[index]), float(expected[index]))
        unwritten = times is not None and not times.reshape(got.shape)[index]
        yield Fault(
            prop,
            f"`{name}{at}` is {shown}{', and nothing was written there' if unwritten else ''}, "
            f"expected {wanted}{f' ({many} wrong)' if index else ''}",
            is_near=_is_near(got, expected, wrong),
        )


def _is_near(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> bool:
    """Whether half of the elements are right, or all rise and fall as the right ones do."""
    if 2 * int(wrong.sum()) <= wrong.size:
        return True
    pairs = np.stack([got.astype(np.float64).ravel(), expected.astype(np.float64).ravel()])
    pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
    if 2 * pairs.shape[1] < wrong.size:
        return False
    with np.errstate(all="ignore"):  # memory that nobody has written may hold any numbers
        return bool(np.ptp(pairs, axis=1).all() and np.corrcoef(pairs)[0, 1] > _RELATED)


def show_apart(got: float, expected: float) -> tuple[str, str]:
    """Two numbers with enough digits to see that they differ.

    >>> show_apart(2164.131, 2164.132), show_apart(2, 3), show_apart(1637421.0, 1637420.9)
    (('2164.131', '2164.132'), ('2', '3'), ('1637421', '1637420.9'))
    """
    if f"{got:.6g}" != f"{expected:.6g}":
        return show(got), show(expected)
    return f"{got:.15g}", f"{expected:.15g}"


def show(value: float) -> str:
    """A number as a learner would write it: whole numbers in full, others to six digits.

    >>> show(1024.0), show(1 / 3), show(3e18), show(1e-7)
    ('1024', '0.333333', '3e+18', '1e-07')
    """
    if isinstance(value, int) or (math.isfinite(value) and value == int(value)):
        return f"{int(value)}" if abs(value) < 1e15 else f"{value:.6g}"
    return f"{value:.6g}"
