"""The error function and the gamma function, with NumPy alone.

Accuracy (checked by tests against 50 digits): relative error below 1e-14 in float64, and in float32
nearly always the nearest number. Near its zeros on the negative axis ``lgamma`` has that as an
absolute error; every library loses digits there.

Each function is one or two polynomials and an elementary function. The coefficients are Chebyshev
interpolants, computed with 50 digits, of

- ``erf(x) / x`` in ``x**2`` from 0 to 1,
- ``erfcx(x) * (x + 3)`` in ``1 / (x + 3)`` for x from 1 to 29, ``erfcx(x) = exp(x**2) * erfc(x)``,
- ``gamma(2 + z)`` and ``lgamma(2 + z) / z`` in ``z`` from -1/2 to 1/2,

and Stirling's series from 10 on (NIST Digital Library of Mathematical Functions, 5.11.1).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np

ERF = (
    0.9654687386698673, -0.1405360890227171, 0.019852496688984218, -0.0022854855611440855,
    0.00021751715603563488, -1.75371694412802e-05, 1.2233827638093572e-06, -7.51156925108609e-08,
    4.115751500265885e-09, -2.035231956483527e-10, 9.21125018742823e-12, -3.80659122412214e-13,
)  # fmt: skip
ERFCX = (
    0.949270791828202, 0.4724631677742055, 0.19861246782209918, 0.06849217205124494,
    0.018269743346158523, 0.003230766444983572, 0.00013236235945528337, -0.00011318461939523486,
    -2.7719786584549722e-05, 1.8964039728235377e-06, 1.9014317714357058e-06, 6.759521326784547e-08,
    -1.2628493306325106e-07, -1.134698410297883e-08, 9.40201904831998e-09, 9.695671525479484e-10,
    -7.645550681963079e-10, -5.2759380792386816e-11, 4.9546794775881485e-11,
)  # fmt: skip
GAMMA = (
    1.0, 0.21139216754923354, 0.10296008260659793, 0.01019711490588878, 0.004640563172413618,
    -8.343189728041855e-06, 0.00017428196108297835, -2.228629466196774e-05, 8.218506290895972e-06,
    -1.7960468241883213e-06, 4.788472417176877e-07, -1.1763525148272525e-07, 2.978530076689239e-08,
    -7.440955219050821e-09, 1.7818692041881095e-09, -4.4571372216695903e-10, 1.551502445541799e-10,
    -3.8798186348451556e-11,
)  # fmt: skip
LGAMMA = (
    0.42278433509846713, 0.1612335167120566, -0.016838075263298908, 0.0025726010534729226,
    -0.00046159693930847154, 9.03284478395594e-05, -1.8636779703098573e-05, 3.981793122286463e-06,
    -8.716991307145595e-07, 1.94253158049944e-07, -4.38708276994606e-08, 1.0012704932493954e-08,
    -2.3086641882572558e-09, 5.350164231426595e-10, -1.2050236137952312e-10, 2.8206946487921987e-11,
    -8.867306165956492e-12, 2.0962059060600024e-12,
)  # fmt: skip
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)

_PORTION = 8192
_TINY = 2.0**-54  # up to here gamma(x) is 1 / x
_HALF_LOG_2PI = 0.9189385332046727
_ROOT_2PI = 2.5066282746310007


def _by_lanes(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Give ``function`` flat float64 arrays, and its results the operand's shape and dtype.

    The lanes come in portions whose temporaries stay in the cache, which halves the time.
    """

    @wraps(function)
    @np.errstate(all="ignore")
    def shaped(x: np.ndarray) -> np.ndarray:
        x = np.asarray(x)
        result = np.empty(x.size, x.dtype if x.dtype.kind == "f" else np.float64)
        flat = x.reshape(-1)
        for start in range(0, x.size, _PORTION):
            part = slice(start, start + _PORTION)
            result[part] = function(flat[part].astype(np.float64))
        return result.reshape(x.shape)[()]

    return shaped


@_by_lanes
def erf(x: np.ndarray) -> np.ndarray:
    """The error function.

    >>> float(erf(np.float64(0.5)))
    0.5204998778130465
    """
    far = np.abs(x) >= 1
    result = _erf_near(np.where(far, 0, x))
    if far.any():
        result[far] = np.copysign(1 - _erfc_far(np.abs(x[far])), x[far])
    result[np.isnan(x)] = np.nan
    return result


@_by_lanes
def erfc(x: np.ndarray) -> np.ndarray:
    """``1 - erf(x)`` without its loss of digits for large x."""
    far = np.abs(x) >= 1
    result = 1 - _erf_near(np.where(far, 0, x))
    if far.any():
        tail = _erfc_far(np.abs(x[far]))
        result[far] = np.where(x[far] < 0, 2 - tail, tail)
    result[np.isnan(x)] = np.nan
    return result


@_by_lanes
def gamma(x: np.ndarray) -> np.ndarray:
    """The gamma function: NaN at negative integers and -inf, infinite with the zero's sign at 0."""
    size = np.abs(x)
    result = np.empty_like(x)
    near = size < 10
    result[near] = _gamma_near(size[near])
    power, rest = _stirling(size[~near])
    result[~near] = power * rest
    negative = np.signbit(x)
    if negative.any():
        divisor = x * _sine_of_pi_times(x)
        small = negative & near
        result[small] = -np.pi / (divisor[small] * result[small])
        large = (negative & ~near)[~near]
        result[negative & ~near] = -np.pi / divisor[negative & ~near] / power[large] / rest[large]
        result[negative & (np.floor(x) == x)] = np.nan
    tiny = size < _TINY
    result[tiny] = 1 / x[tiny]
    return result


@_by_lanes
def lgamma(x: np.ndarray) -> np.ndarray:
    """The logarithm of the gamma function's size; infinite at its poles and at +-inf."""
    size = np.abs(x)
    result = np.empty_like(x)
    near = size < 10
    result[near] = _lgamma_near(size[near])
    far = size[~near]
    series = _polynomial(STIRLING, 1 / (far * far)) / far
    result[~near] = (far - 0.5) * (np.log(far) - 1) + (_HALF_LOG_2PI - 0.5 + series)
    negative = x < 0
    if negative.any():
        at = x[negative]
        result[negative] = np.log(np.pi / np.abs(at * _sine_of_pi_times(at))) - result[negative]
    result[np.isinf(x) | (negative & (np.floor(x) == x))] = np.inf
    tiny = size < _TINY
    result[tiny] = -np.log(size[tiny])
    return result


def _polynomial(coefficients: tuple[float, ...], u: np.ndarray) -> np.ndarray:
    result = np.full_like(u, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= u
        result += coefficient
    return result


def _erf_near(x: np.ndarray) -> np.ndarray:
    return x * _polynomial(ERF, 2 * (x * x) - 1)


def _erfc_far(x: np.ndarray) -> np.ndarray:
    """Erfc from 1 on. ``x**2`` is split, as its rounding error would show after ``exp``."""
    x = np.minimum(x, 28.0)
    u = (2 / (x + 3) - (1 / 4 + 1 / 32)) / (1 / 4 - 1 / 32)
    head = x.astype(np.float32).astype(np.float64)
    exponential = np.exp(-head * head) * np.exp(-(x - head) * (x + head))
    return exponential * _polynomial(ERFCX, u) / (x + 3)


def _from_nearest(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For 0 <= x < 10: the nearest integer m, x - m, and (x - 1)(x - 2)... down to about 2."""
    nearest = np.rint(x)
    z = x - nearest
    product = np.ones_like(x)
    for factor in range(2, 10):
        product = np.where(factor < nearest, product * (factor + z), product)
    return nearest, z, product


def _gamma_near(x: np.ndarray) -> np.ndarray:
    nearest, z, product = _from_nearest(x)
    result = _polynomial(GAMMA, 2 * z) * product
    return np.where(nearest < 2, result / np.where(nearest == 0, x * (1 + x), x), result)


def _lgamma_near(x: np.ndarray) -> np.ndarray:
    nearest, z, product = _from_nearest(x)
    result = z * _polynomial(LGAMMA, 2 * z) + np.log(product)
    result = np.where(nearest < 2, result - np.log1p(z), result)
    return np.where(nearest == 0, result - np.log(x), result)


def _stirling(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two factors of gamma(x) for x >= 10: together they overflow later than one would."""
    x = np.minimum(x, 200.0)  # where both are finite and their product is not
    power = np.power(x, (x - 0.5) / 2)
    series = np.exp(_polynomial(STIRLING, 1 / (x * x)) / x)
    return power, power * np.exp(-x) * (_ROOT_2PI * series)


def _sine_of_pi_times(x: np.ndarray) -> np.ndarray:
    nearest = np.rint(x)
    sine = np.sin(np.pi * (x - nearest))
    return np.where(np.fmod(nearest, 2) == 0, sine, -sine)
