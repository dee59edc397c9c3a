"""The special functions against mpmath, which comes with PyTorch's symbolic half."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from gpuedu.simt.intrinsics import special

mp = pytest.importorskip("mpmath")


@pytest.fixture(autouse=True)
def many_digits():
    with mp.workdps(50):
        yield


def draw(seed, *ranges, n=400):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(low, high, n) for low, high in ranges])


def small_numbers(seed):
    rng = np.random.default_rng(seed)
    return 10.0 ** rng.uniform(-300, -1, 100) * rng.choice([-1, 1], 100)


def log_of_size_of_gamma(x):
    return mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x)


CASES = {
    "erf": (mp.erf, [draw(1, (-6, 6), (-1, 1), (0.99, 1.01)), small_numbers(2)]),
    "erfc": (mp.erfc, [draw(3, (-6, 6), (0, 26.2), (0.99, 1.01)), small_numbers(4)]),
    "gamma": (mp.gamma, [draw(5, (-10, 10), (-168, 171.6), (9.9, 10.1)), small_numbers(6)]),
    "lgamma": (
        log_of_size_of_gamma,
        [draw(7, (0, 3), (0, 10), (0.99, 1.01), (1.99, 2.01), (9.9, 200)), small_numbers(8),
         10.0 ** draw(9, (0, 300))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_float64_is_exact_to_14_digits(name):
    exact, parts = CASES[name]
    x = np.concatenate(parts)
    result = getattr(special, name)(x)
    assert result.dtype == np.float64
    for value, answer in zip(x.tolist(), result.tolist(), strict=True):
        truth = exact(mp.mpf(value))
        assert abs(answer - truth) <= 1e-14 * abs(truth), value


def test_lgamma_of_negative_numbers():
    x = draw(10, (-168, 0), (-5, 0))
    for value, answer in zip(x.tolist(), special.lgamma(x).tolist(), strict=True):
        truth = log_of_size_of_gamma(mp.mpf(value))
        assert abs(answer - truth) <= 1e-14 * max(1, abs(truth)), value


@pytest.mark.parametrize("name", CASES)
def test_float32_is_the_nearest_number(name):
    exact, parts = CASES[name]
    with np.errstate(over="ignore", under="ignore"):
        x = parts[0].astype(np.float32)
        result = getattr(special, name)(x)
        nearest = np.array([float(exact(mp.mpf(float(value)))) for value in x]).astype(np.float32)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result, nearest)


EDGES = [
    ("erf", [0.0, -0.0, math.inf, -math.inf, 5e-324, 30.0], [0.0, -0.0, 1, -1, 5e-324, 1]),
    ("erfc", [0.0, math.inf, -math.inf, 30.0, -30.0, 5e-324], [1, 0, 2, 0, 2, 1]),
    (
        "gamma",
        [0.0, -0.0, 5e-324, -5e-324, math.inf, 171.7, 1e308, 1.0, 2.0, 5.0, 0.5],
        [math.inf, -math.inf, math.inf, -math.inf, math.inf, math.inf, math.inf, 1, 1, 24,
         math.sqrt(math.pi)],
    ),
    ("gamma", [-1.0, -2.0, -171.0, -1e15, -1e308, -math.inf], [math.nan] * 6),
    (
        "lgamma",
        [1.0, 2.0, 0.0, -0.0, -1.0, -1e308, math.inf, -math.inf, 1e308],
        [0, 0, math.inf, math.inf, math.inf, math.inf, math.inf, math.inf, math.inf],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "expected"), EDGES)
def test_edges(name, x, expected):
    result = getattr(special, name)(np.array(x))
    np.testing.assert_allclose(result, expected, rtol=3e-16)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[number]), np.signbit(expected)[number])


@pytest.mark.parametrize("name", CASES)
def test_nan_stays_nan_beside_numbers(name):
    function = getattr(special, name)
    x = np.array([math.nan, 0.3, -math.nan, 20.5])
    assert np.isnan(function(x)).tolist() == [True, False, True, False]


def test_gamma_near_its_smallest_results():
    result = special.gamma(np.array([-170.5, -171.5, -172.5, -180.5]))
    expected = [float(mp.gamma(x)) for x in (-170.5, -171.5, -172.5, -180.5)]
    np.testing.assert_allclose(result, expected, rtol=1e-13, atol=5e-324)


@pytest.mark.parametrize("name", CASES)
def test_portions_do_not_show(name):
    function = getattr(special, name)
    x = np.linspace(-20.3, 20.3, 20001)
    whole = function(x.reshape(3, -1))
    assert whole.shape == (3, 6667)
    np.testing.assert_array_equal(whole.ravel()[::97], [function(v) for v in x[::97]])


def chebyshev_in_powers(function, low, high, degree):
    """Power coefficients, in u from -1 to 1, of the interpolant in Chebyshev's points."""
    count = degree + 1
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [function((high - low) / 2 * u + (high + low) / 2) for u in nodes]
    rising = [[mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]]
    while len(rising) < count:
        doubled = [mp.mpf(0)] + [2 * c for c in rising[-1]]
        padded = rising[-2] + [mp.mpf(0)] * 2
        rising.append([a - b for a, b in zip(doubled, padded, strict=True)])
    total = [mp.mpf(0)] * count
    for j, polynomial in enumerate(rising):
        weight = sum(v * mp.cos(j * mp.acos(u)) for u, v in zip(nodes, values, strict=True))
        for power, coefficient in enumerate(polynomial):
            total[power] += (1 if j == 0 else 2) * weight / count * coefficient
    return [float(c) for c in total]


def scaled_erf(square):
    root = mp.sqrt(square)
    return mp.erf(root) / root


def scaled_erfcx(w):
    x = 1 / w - 3
    return mp.exp(x * x) * mp.erfc(x) / w


def scaled_lgamma(z):
    return mp.loggamma(2 + z) / z


@pytest.mark.parametrize(
    ("table", "function", "low", "high"),
    [
        (special.ERF, scaled_erf, 0, 1),
        (special.ERFCX, scaled_erfcx, mp.mpf(1) / 32, mp.mpf(1) / 4),
        (special.GAMMA, lambda z: mp.gamma(2 + z), mp.mpf(-0.5), mp.mpf(0.5)),
        (special.LGAMMA, scaled_lgamma, mp.mpf(-0.5), mp.mpf(0.5)),
    ],
)
def test_coefficients_are_what_the_docstring_says(table, function, low, high):
    derived = chebyshev_in_powers(function, mp.mpf(low), mp.mpf(high), len(table) - 1)
    np.testing.assert_allclose(table, derived, rtol=1e-15, atol=1e-30)


def test_stirlings_coefficients_are_bernoulli_numbers():
    expected = [float(mp.bernoulli(2 * k) / (2 * k * (2 * k - 1))) for k in range(1, 9)]
    np.testing.assert_allclose(special.STIRLING, expected, rtol=1e-15)
    assert all(a * b < 0 for a, b in pairwise(special.STIRLING))
