"""The generator against ``numba.cuda.random`` itself, whose functions are also compiled for CPUs."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.intrinsics import random

SEEDS = [0, 1, 42, 2**63, 2**64 - 1, -5]


@pytest.fixture(scope="module")
def numba_random():
    pytest.importorskip("numba.cuda")
    return pytest.importorskip("numba.cuda.random")


def numba_states(numba_random, n, seed, start):
    states = np.empty(n, numba_random.xoroshiro128p_dtype)
    numba_random.init_xoroshiro128p_states_cpu(states, np.uint64(seed % 2**64), np.uint64(start))
    return states


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("n", "start"), [(1, 0), (37, 0), (8, 1), (5, 100)])
def test_states_are_numbas(numba_random, seed, n, start):
    states = random.create_states(n, seed, start)
    expected = numba_states(numba_random, n, seed, start)
    assert states.dtype == expected.dtype
    np.testing.assert_array_equal(states, expected)


def test_a_far_start_continues_the_sequence():
    start = 2**63 + 12345
    states = random.create_states(4, 7, start)
    s0, s1 = random.jump(states["s0"], states["s1"])
    np.testing.assert_array_equal(s0[:-1], states["s0"][1:])
    np.testing.assert_array_equal(s1[:-1], states["s1"][1:])
    assert states[1] == random.create_states(1, 7, start + 1)[0]


def test_no_states():
    assert random.create_states(0, 1).shape == (0,)


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
    states = random.create_states(16, 99)
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


@pytest.mark.parametrize("seed", SEEDS)
def test_init_and_jump_are_numbas(numba_random, seed):
    expected = numba_states(numba_random, 1, seed, 0)
    s0, s1 = random.init_state(seed)
    assert (s0, s1) == tuple(expected[0])
    numba_random.xoroshiro128p_jump(expected, 0)
    assert random.jump(s0, s1) == tuple(expected[0])


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
    states = random.create_states(20000, 3)
    uniform, s0, s1 = random.uniform_float64(states["s0"], states["s1"])
    normal, _, _ = random.normal_float32(s0, s1)
    assert abs(uniform.mean() - 0.5) < 0.01
    assert abs(normal.mean()) < 0.03
    assert abs(normal.std() - 1) < 0.03
    assert abs(np.corrcoef(uniform[:-1], uniform[1:])[0, 1]) < 0.03
