"""The host side and the machine together, as a lesson uses them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.errors import KernelSourceError
from gpuedu.simt.host.errors import CudaPerformanceWarning, KernelHazardError, KernelHazardWarning


@cuda.jit
def scale(a, factor, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = factor * a[i]


@cuda.jit
def too_far(a):
    a[cuda.grid(1)] = 1


@cuda.jit
def shift(a):
    i = cuda.threadIdx.x
    if i + 1 < a.size:
        a[i] = a[i + 1]


@cuda.jit(device=True)
def twice(x):
    return 2 * x


@cuda.jit
def tile(a, out):
    block = cuda.shared.array(64, float32)
    i = cuda.threadIdx.x
    block[i] = twice(a[i])
    cuda.syncthreads()
    out[i] = block[63 - i]


def values(n, dtype=np.float32):
    return np.random.default_rng(3).standard_normal(n).astype(dtype)


def test_device_arrays():
    host = values(1000)
    out = cuda.device_array_like(host)
    scale[8, 128](cuda.to_device(host), np.float32(3), out)
    np.testing.assert_array_equal(out.copy_to_host(), np.float32(3) * host)
    assert scale.last_trace.launch.blocks == 8


def test_views_reach_their_part_only():
    device = cuda.to_device(values(100))
    scale.forall(20)(device[10:50:2], np.float32(0), device[10:50:2])
    expected = values(100)
    expected[10:50:2] = 0
    np.testing.assert_array_equal(device.copy_to_host(), expected)


def test_host_arrays_come_back():
    host, out = values(100), np.zeros(100, np.float32)
    with pytest.warns(CudaPerformanceWarning):
        scale[1, 128](host, np.float32(2), out)
    np.testing.assert_array_equal(out, 2 * host)


def test_shared_memory_and_device_functions():
    out = cuda.device_array(64, np.float32)
    tile[1, 64](cuda.to_device(values(64)), out)
    np.testing.assert_array_equal(out.copy_to_host(), 2 * values(64)[::-1])


def test_an_index_outside_stops_the_launch():
    with pytest.raises(
        KernelHazardError, match=r"(?s)line \d+ of `too_far`.*a\[cuda.grid\(1\)\] = 1"
    ):
        too_far[2, 64](cuda.device_array(100))


def test_a_race_is_told():
    with pytest.warns(KernelHazardWarning, match=r"line \d+ of `shift`"):
        shift[1, 64](cuda.to_device(values(64)))


def test_signatures_are_compiled_at_once():
    def wrong(a):
        a[0] = nothing_of_this_name  # noqa: F821

    with pytest.raises(KernelSourceError, match="nothing_of_this_name"):
        cuda.jit("void(float32[:])")(wrong)


def test_random_numbers_are_those_of_numba():
    from numba.cuda.random import xoroshiro128p_uniform_float32 as theirs

    draw = cuda.random.xoroshiro128p_uniform_float32

    @cuda.jit
    def two_each(states, out):
        i = cuda.grid(1)
        out[i, 0] = draw(states, i)
        out[i, 1] = theirs(states, i)

    states = cuda.random.create_xoroshiro128p_states(64, seed=5)
    host = states.copy_to_host()
    out = cuda.device_array((64, 2), np.float32)
    two_each[2, 32](states, out)
    expected = [[theirs(host, i), theirs(host, i)] for i in range(64)]
    np.testing.assert_array_equal(out.copy_to_host(), expected)
