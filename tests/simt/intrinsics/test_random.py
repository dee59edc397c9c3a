"""The generator against ``numba.cuda.random`` itself, whose functions are also compiled for CPUs."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.host import random as host_random
from gpuedu.simt.intrinsics import random


@pytest.fixture(scope="module")
def numba_random():
    pytest.importorskip("numba.cuda")
    return pytest.importorskip("numba.cuda.random")


def states_of(n, seed):
    states = np.empty(n, host_random.xoroshiro128p_dtype)
    host_random.init_xoroshiro128p_states_cpu(states, seed, 0)
    return states


DRAWS = {
    "next_uint64": "xoroshiro128p_next",
    "uniform_float32": "xoroshiro128p_uniform_float32",
    "uniform_float64": "xoroshiro128p_uniform_float64",
    "normal_float32": "xoroshiro128p_normal_float32",
    "normal_float64": "xoroshiro128p_normal_float64",
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_numbas(numba_random, name):
    draw, numba_draw = getattr(random, name), getattr(numba_random, DRAWS[name])
    states = states_of(16, 99)
    expected_states = states.copy()
    s0, s1 = states["s0"], states["s1"]
    for _ in range(20):
        value, s0, s1 = draw(s0, s1)
        expected = [numba_draw(expected_states, lane) for lane in range(16)]
        if name.startswith("normal"):
            # Only the rounding of log and cos differs. Numba's CPU build has them in float32 too.
            tolerance = 4e-6 if name == "normal_float32" else 1e-6
            np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(value, np.array(expected, value.dtype))
    np.testing.assert_array_equal(s0, expected_states["s0"])
    np.testing.assert_array_equal(s1, expected_states["s1"])
    assert value.dtype == {"next_uint64": "uint64"}.get(name, name.split("_")[1])


def test_uniform_float32_rounds_up_to_one():
    largest = np.array([2**64 - 1], np.uint64)
    value, _, _ = random.uniform_float32(largest, np.zeros(1, np.uint64))
    assert value[0] == 1.0
    value, _, _ = random.uniform_float64(largest, np.zeros(1, np.uint64))
    assert value[0] < 1.0


def test_normal_of_a_zero_uniform_is_infinite():
    zero = np.zeros(2, np.uint64)
    value, _, _ = random.normal_float32(zero, zero)
    assert np.isinf(value).all()


def test_the_statistics_of_many_lanes():
    states = states_of(20000, 3)
    uniform, s0, s1 = random.uniform_float64(states["s0"], states["s1"])
    normal, _, _ = random.normal_float32(s0, s1)
    assert abs(uniform.mean() - 0.5) < 0.01
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.03
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.03
